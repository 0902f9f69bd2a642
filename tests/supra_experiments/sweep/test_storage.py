"""Where sweeps keep their records and checkpoints: folders, and storage that a URI names."""

import pytest

from supra_experiments import Config
from supra_experiments.sweep.journal import RECORDS, Journal
from supra_experiments.sweep.storage import CheckpointStore, SweepStorage
from supra_experiments.sweep.trial import describe, run_trial
from supra_experiments.training.fit import fit

from ..sweeps import record_of
from ..toys import toy

QUICK = Config(model="grugcn", features="zeros", max_epochs=12, min_epochs=12)


@pytest.fixture(params=["folder", "uri"])
def place(request, tmp_path, monkeypatch):
    """A place below ``tmp_path / "there"``, as a folder or as a URI with its mirror elsewhere."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "there"
    return str(path) if request.param == "folder" else f"file://{path}"


def num_lines(path) -> int:
    return path.read_bytes().count(b"\n")


# ── checkpoints ────────────────────────────────────────────────────────────────────────────────────────────


class Killed(BaseException):
    """The end of a process, as far as a run can tell."""


def test_a_run_goes_on_from_the_store(place, tmp_path):
    store, dataset = CheckpointStore(place), toy()
    told, whole = [], fit(QUICK, dataset=dataset)

    def die(report):
        told.append(report)
        raise Killed

    options = {"dataset": dataset, "objective": fit, "store": store, "encode": lambda *_: None}
    with pytest.raises(Killed):
        run_trial(QUICK, report=die, **options)
    name = QUICK.run_name(dataset.graph.digest)
    assert [path.name for path in (tmp_path / "there").iterdir()] == [f"{name}.pt"]
    assert told[0]["epoch"] == 10
    record = run_trial(QUICK, report=told.append, report_every=1, **options)
    assert [(report["epoch"], report["resumed_from"]) for report in told[1:]] == [(11, 10), (12, 10)]
    assert told[-1]["score"] == -min(epoch.loss for epoch in record.history)
    assert record.outcome() == whole.outcome()
    store.remove(name)
    store.remove(name)
    assert list((tmp_path / "there").iterdir()) == []


def test_a_checkpoint_that_cannot_be_read_is_as_none(place, tmp_path):
    dataset = toy()
    name = QUICK.run_name(dataset.graph.digest)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / f"{name}.pt").write_bytes(b"not a checkpoint")
    record = run_trial(
        QUICK, dataset=dataset, objective=fit, store=CheckpointStore(place), encode=lambda *_: None
    )
    assert record.outcome() == fit(QUICK, dataset=dataset).outcome()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (MemoryError("x"), "memory"),
        (
            RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried 9 bytes"),
            "memory",
        ),
        (RuntimeError("shapes do not match"), "error"),
        (KeyError("a\nb"), "error"),
    ],
)
def test_failures_are_described_in_one_line(error, kind):
    found, reason = describe(error)
    assert found == kind
    assert type(error).__name__ in reason
    assert "\n" not in reason


# ── a sweep's place ────────────────────────────────────────────────────────────────────────────────────────


def test_lines_that_only_the_mirror_has_are_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    place, there = f"file://{tmp_path}/there", tmp_path / "there" / "mine"
    with SweepStorage.open(place, "mine") as storage, Journal(storage.folder) as journal:
        journal.add(record_of(QUICK))
    # As if killed before the copy, while another machine went on from the storage.
    with Journal(storage.folder) as journal:
        journal.add(record_of(QUICK.replace(seed=1)))
    elsewhere = Journal(tmp_path / "elsewhere")
    elsewhere.add(record_of(QUICK.replace(seed=2)))
    elsewhere.close()
    with (there / RECORDS).open("ab") as file:
        file.write((tmp_path / "elsewhere" / RECORDS).read_bytes())
    with SweepStorage.open(place, "mine") as storage, Journal(storage.folder) as journal:
        assert {record.config.training.seed for record in journal.records} == {0, 1, 2}
    assert num_lines(there / RECORDS) == 3
