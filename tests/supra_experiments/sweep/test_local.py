"""Runs one after the other in this process: nothing twice, nothing lost."""

import pytest

from supra_experiments.sweep.local import run_here
from supra_experiments.training import record_file
from supra_experiments.training.fit import CHECKPOINT_EVERY, fit
from supra_experiments.training.record_file import RecordFile

from ..toys import QUICK, toy

RUNS = [
    QUICK.replace(model="degree"),
    *(
        QUICK.replace(model="grugcn", pe="slpe-e", max_epochs=2 * CHECKPOINT_EVERY, seed=seed)
        for seed in (0, 1)
    ),
]


def nothing(run, epoch, loss) -> None:
    pass


def test_a_run_that_is_stopped_goes_on_from_its_checkpoint(tmp_path):
    path, dataset, seen = tmp_path / "runs.jsonl", toy(), []

    def stop(run, epoch, loss) -> None:
        if (run, epoch) == (RUNS[2], CHECKPOINT_EVERY + 3):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run_here(RUNS, dataset, RecordFile(path), stop))
    kept = path.read_text()
    assert len(kept.splitlines()) == 2
    assert [file.stem for file in (tmp_path / "runs.jsonl.checkpoints").iterdir()] == [
        RUNS[2].run_name(dataset.graph.digest)
    ]
    found = list(
        run_here(RUNS, dataset, RecordFile(path), lambda run, epoch, loss: seen.append((run, epoch)))
    )
    assert seen == [(RUNS[2], epoch) for epoch in range(CHECKPOINT_EVERY + 1, 2 * CHECKPOINT_EVERY + 1)]
    assert [record.outcome() for record in found] == [fit(run, dataset=dataset).outcome() for run in RUNS]
    assert path.read_text().startswith(kept)
    assert not list((tmp_path / "runs.jsonl.checkpoints").iterdir()), "what is kept needs no checkpoint"


def test_the_file_is_read_once_however_many_runs_there_are(tmp_path, monkeypatch):
    opened = []
    real = record_file.JsonLines
    monkeypatch.setattr(record_file, "JsonLines", lambda path, *how: opened.append(path) or real(path, *how))
    runs = [QUICK.replace(model=model, test_seed=seed) for model in ("degree", "count") for seed in range(10)]
    records = RecordFile(tmp_path / "runs.jsonl", shared=True)
    assert len(list(run_here(runs, toy(), records, nothing))) == 20
    assert len(opened) == 1


def test_a_run_on_another_graph_is_another_run(tmp_path):
    records = RecordFile(tmp_path / "runs.jsonl")
    small = toy(toy().graph.window(4, 5))
    for dataset in (toy(), small, toy()):
        (record,) = run_here(RUNS[:1], dataset, records, nothing)
        assert record.graph_digest == dataset.graph.digest
    assert len(records.records) == 2


def test_without_a_file_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = []
    found = list(run_here(RUNS[1:2], toy(), None, lambda run, epoch, loss: seen.append(epoch)))
    assert len(found) == 1
    assert seen == list(range(1, 2 * CHECKPOINT_EVERY + 1))
    assert not list(tmp_path.iterdir())
