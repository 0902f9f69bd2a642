"""Sweeps on a real cluster of two nodes: where trials run, how they fail, what they share."""

import dataclasses
import itertools
import os
import signal

import pytest

from supra_experiments.bench import sweep as bench
from supra_experiments.errors import SweepError
from supra_experiments.sweep.cells import Resources
from supra_experiments.sweep.journal import Journal
from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.ray.run import run_sweep
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.fit import fit
from supra_experiments.training.record import read_records

from ... import objectives

pytestmark = pytest.mark.cluster

FEW = """
name = "few"
datasets = ["demo"]
models = ["grugcn"]
features = ["zeros"]
baselines = false
seeds = {seeds}
[fixed]
max_epochs = 4
"""


@pytest.fixture
def address(two_nodes):
    return two_nodes.address


def few(seeds: int, pack: int | str = 1) -> SweepSpec:
    return dataclasses.replace(SweepSpec.from_toml(FEW.format(seeds=seeds)), pack=pack)


def overlapping(records):
    """Pairs of runs that were under way at the same time on the same node."""
    for one, other in itertools.combinations(records, 2):
        a, b = one.versions, other.versions
        together = float(a["begin"]) < float(b["end"]) and float(b["begin"]) < float(a["end"])
        if a["node"] == b["node"] and together:
            yield one, other


# ── where trials run ───────────────────────────────────────────────────────────────────────────────────────


def test_trials_spread_over_nodes_and_each_sees_only_its_gpu(address, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    result = run_sweep(
        few(seeds=6),
        storage_path=f"file://{tmp_path}/sweeps",  # as any storage that a URI names
        address=address,
        resources=Resources(cpus=0.25, gpus=1),
        objective=objectives.each(objectives.look_around, folder=str(tmp_path), together={"grugcn": 3}),
    )
    records = result.records
    assert len(records) == 6
    assert not result.failures
    assert len({record.versions["node"] for record in records}) == 2
    assert all(record.versions["gpus"] in ("0", "1") for record in records)
    pairs = list(overlapping(records))
    assert pairs
    assert all(one.versions["gpus"] != other.versions["gpus"] for one, other in pairs)
    assert {record.versions["threads"] for record in records} == {"1 1 1"}
    stored = list(read_records(tmp_path / "sweeps" / "few" / "records.jsonl"))
    assert {record.config.training.seed for record in stored} == set(range(6))
    # Ray's own state is beside.
    assert list((tmp_path / "sweeps" / "few" / "ray").glob("*/experiment_state-*.json"))


@pytest.mark.long
def test_two_trials_with_half_a_gpu_share_one(address, tmp_path):
    # Models differ in what they reserve: the first shares GPUs, the second has one for itself. Four trials of
    # the first are under way together on three GPUs, so that two share one.
    [block] = few(seeds=4).blocks
    spec = dataclasses.replace(few(seeds=4), blocks=(dataclasses.replace(block, models=("grugcn", "htgn")),))
    result = run_sweep(
        spec,
        storage_path=tmp_path,
        address=address,
        resources=Resources(cpus=0.1, gpus=0.5, by_model={"htgn": Resources(cpus=0.1, gpus=1)}),
        objective=objectives.each(objectives.look_around, folder=str(tmp_path), together={"grugcn": 4}),
    )
    assert len(result.records) == 8
    shared = [
        {one.config.model.name, other.config.model.name}
        for one, other in overlapping(result.records)
        if one.versions["gpus"] == other.versions["gpus"]
    ]
    assert shared
    assert all(models == {"grugcn"} for models in shared)


# ── failures ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("pack", [1, pytest.param(3, marks=pytest.mark.long)])
def test_failures_have_reasons_and_do_not_stop_the_others(address, tmp_path, pack):
    events = []
    result = run_sweep(
        few(seeds=6, pack=pack),
        storage_path=tmp_path,
        address=address,
        max_failures=1,
        progress=SweepProgress(on_event=events.append),
        objective=objectives.each(objectives.troubled, folder=str(tmp_path)),
    )
    failures = {failure.seed: failure for failure in result.failures}
    assert set(failures) == {0, 2, 3}
    assert failures[0].kind == "error"
    assert failures[0].reason == "ZeroDivisionError: this never works"
    assert (failures[2].kind, failures[2].reason) == ("diverged", "diverged at epoch 4")
    assert (failures[3].kind, failures[3].reason) == ("memory", "MemoryError")
    assert (failures[0].attempts, failures[3].attempts) == (2, 2)
    # What diverged left its record, since it would do the same again; so did what worked the second time.
    assert {record.config.training.seed for record in result.records} == {1, 2, 4, 5}
    attempts = [len((tmp_path / f"{seed}.attempts").read_text().splitlines()) for seed in range(6)]
    assert attempts == [2, 2, 1, 2, 2, 1]
    retried = {event.config.training.seed: event.text for event in events if event.kind == "retried"}
    # What shares a worker that dies is tried again, too.
    assert set(retried) == {0, 1, 3, 4} | ({5} if pack > 1 else set())
    assert "killed" in retried[4] or "died" in retried[4]
    assert result.empty_cells == ()
    with Journal(result.folder) as journal:
        assert {failure.seed for failure in journal.failures} == {0, 3}

    # Once more: only what failed is tried again, and an empty folder of nothing but failures may be reused.
    with pytest.raises(SweepError, match="holds 4 finished runs; go on with --resume"):
        run_sweep(few(seeds=6), storage_path=tmp_path, address=address)
    again = run_sweep(
        few(seeds=6, pack=pack),
        storage_path=tmp_path,
        address=address,
        max_failures=0,
        resume=True,
        objective=objectives.each(objectives.troubled, folder=str(tmp_path)),
    )
    attempts = [len((tmp_path / f"{seed}.attempts").read_text().splitlines()) for seed in range(6)]
    assert attempts == [3, 2, 1, 3, 2, 1]
    assert len(list(read_records(again.folder / "records.jsonl"))) == 4


def test_an_interrupt_keeps_what_is_finished(address, tmp_path):
    events = []

    def interrupt_after_the_second(event):
        events.append(event)
        if event.kind == "finished" and len([e for e in events if e.kind == "finished"]) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    options = {
        "storage_path": tmp_path,
        "address": address,
        "resources": Resources(cpus=1),
        "objective": objectives.each(objectives.look_around, folder=str(tmp_path), seconds=0.5),
    }
    before = signal.getsignal(signal.SIGINT)
    progress = SweepProgress(on_event=interrupt_after_the_second)
    with pytest.raises(KeyboardInterrupt):
        run_sweep(few(seeds=8), progress=progress, **options)
    assert signal.getsignal(signal.SIGINT) == before
    kept = (tmp_path / "few" / "records.jsonl").read_text().splitlines()
    assert 2 <= len(kept) < 8
    result = run_sweep(few(seeds=8), resume=True, **options)
    assert len(result.records) == 8
    assert (result.folder / "records.jsonl").read_text().splitlines()[: len(kept)] == kept


# ── packs ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_packs_go_on_with_a_sweep_of_single_runs_and_find_the_same(address, tmp_path):
    spec = few(seeds=5, pack="auto")
    alone = [fit(config) for config in spec.runs()]
    with Journal(tmp_path / "few") as journal:
        journal.add(alone[0])
    kept = (tmp_path / "few" / "records.jsonl").read_text()
    result = run_sweep(spec, storage_path=tmp_path, address=address, resources=Resources(cpus=1), resume=True)
    assert (result.folder / "records.jsonl").read_text().startswith(kept)
    # Four runs were left for two nodes.
    assert sorted(record.timings.pack for record in result.records) == [1, 2, 2, 2, 2]
    assert [record.config.digest for record in result.records] == [run.digest for run in spec.runs()]
    for record, single in zip(result.records, alone, strict=True):
        assert (record.graph_digest, record.num_negatives) == (single.graph_digest, single.num_negatives)
        losses, expected = ([epoch.loss for epoch in part.history] for part in (record, single))
        assert losses == pytest.approx(expected, rel=1e-4)
        assert record.test.auc == pytest.approx(single.test.auc, abs=2e-3)
    assert not list((result.folder / "checkpoints").glob("*.pt"))


# ── what trials share ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.long
def test_an_encoding_is_computed_once_for_all_trials(address, tmp_path):
    spec = SweepSpec.from_toml("""
        name = "shared"
        datasets = ["demo"]
        models = ["grugcn", "egcn-o"]
        encodings = ["slpe-i", "lpe-e"]
        features = ["zeros", "random"]
        seeds = 2
        baselines = false
        [fixed]
        max_epochs = 2
    """)
    result = run_sweep(
        spec, storage_path=tmp_path, address=address, resources=Resources(cpus=1), max_concurrent=2
    )
    assert len(result.records) == 16
    seconds = {}
    for record in result.records:
        # Seconds to the last digit: those of one computation.
        seconds.setdefault(record.config.encoding.pe, set()).add(record.encoding["seconds"])
    assert {pe: len(found) for pe, found in seconds.items()} == {"slpe-i": 1, "lpe-e": 1}
    assert seconds["slpe-i"] != seconds["lpe-e"]


@pytest.mark.long
def test_the_benchmark_times_runs_of_warm_workers(address):
    records = bench.run(num_concurrent=(1, 2), runs_each=2, epochs=3, address=address)
    assert [(record.num_concurrent, record.num_runs) for record in records] == [(1, 2), (2, 4)]
    assert all(record.seconds > 0 and record.startup > 0 for record in records)
    one, two = records
    assert one.speedup == 1
    assert two.speedup == pytest.approx(4 / two.seconds / (2 / one.seconds))
    assert "speed-up" in bench.outcome(records).columns
