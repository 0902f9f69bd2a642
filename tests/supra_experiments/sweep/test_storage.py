"""Where sweeps keep their records and checkpoints: folders, and storage that a URI names."""

import pytest

from supra_core.files import replacing
from supra_experiments import Config
from supra_experiments.sweep.journal import RECORDS, Journal
from supra_experiments.sweep.storage import CheckpointStore, SweepStorage
from supra_experiments.sweep.trial import PlannedRun, StoppedEarly, describe, run_pack
from supra_experiments.training.fit import fit
from supra_experiments.training.pack_fit import try_pack

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


def train(runs, place, on_epoch=lambda run, epoch, best: None):
    """What becomes of runs that train as one, in the order in which they end."""
    ended = []
    run_pack(
        runs,
        dataset=toy(),
        objective=try_pack,
        store=CheckpointStore(place),
        on_epoch=on_epoch,
        on_outcome=lambda run, outcome: ended.append((run, outcome)),
    )
    return ended


@pytest.mark.parametrize("size", [1, 3])
def test_runs_go_on_from_the_store(place, tmp_path, size):
    runs = [PlannedRun(QUICK.replace(seed=seed), toy().graph.digest) for seed in range(size)]

    def die(run, epoch, best):
        if (run, epoch.epoch) == (runs[-1], 10):
            raise Killed

    with pytest.raises(Killed):
        train(runs, place, die)
    names = {f"{run.name}.pt" for run in runs}
    assert {path.name for path in (tmp_path / "there").iterdir()} == names
    told = []
    ended = train(runs, place, lambda run, epoch, best: told.append((run, epoch.epoch, best)))
    assert [(run, epoch) for run, epoch, _ in told] == [(run, epoch) for epoch in (11, 12) for run in runs]
    for (run, record), (_, _, best) in zip(ended, told[-size:], strict=True):
        lowest = min(record.history, key=lambda epoch: epoch.loss)
        assert best == (-lowest.loss, lowest.epoch)
        alone = fit(run.config, dataset=toy())
        losses, expected = ([epoch.loss for epoch in part.history] for part in (record, alone))
        assert losses == pytest.approx(expected, rel=1e-4)
        assert size > 1 or record.outcome() == alone.outcome()
    for run in runs * 2:
        CheckpointStore(place).remove(run.name)
    assert list((tmp_path / "there").iterdir()) == []


def test_what_a_kill_left_of_a_checkpoint_goes_with_it(tmp_path):
    names = []
    for run in ("one", "other"):
        with replacing(tmp_path / f"{run}.pt") as temporary:
            temporary.write_bytes(b"whole")
            names.append(temporary.name)
    for name in names:  # as a kill leaves them
        (tmp_path / name).write_bytes(b"half")
    CheckpointStore(str(tmp_path)).remove("one")
    assert {path.name for path in tmp_path.iterdir()} == {"other.pt", names[1]}


def test_a_run_ends_when_it_does_and_not_with_its_pack(tmp_path):
    """One is stopped early, one is short, one raises, one goes to its end; each is told of at once."""
    digest, order = toy().graph.digest, []
    stopped, short, broken, long = (
        PlannedRun(QUICK.replace(seed=seed, max_epochs=12 if seed != 1 else 5, min_epochs=1), digest)
        for seed in range(4)
    )

    def listen(run, epoch, best):
        order.append((run, epoch.epoch))
        if (run, epoch.epoch) == (stopped, 3):
            raise StoppedEarly(3, best, 0.3)
        if (run, epoch.epoch) == (broken, 7):
            raise ZeroDivisionError

    ended = train([stopped, short, broken, long], str(tmp_path), listen)
    assert [run for run, _ in ended] == [stopped, short, broken, long]
    outcomes = dict(ended)
    assert (type(outcomes[stopped]), outcomes[stopped].epochs) == (StoppedEarly, 3)
    assert isinstance(outcomes[broken], ZeroDivisionError)
    assert [len(outcomes[run].history) for run in (short, long)] == [5, 12]
    assert {run: max(epoch for other, epoch in order if other == run) for run in outcomes} == {
        stopped: 3,
        short: 5,
        broken: 7,
        long: 12,
    }


def test_a_checkpoint_that_cannot_be_read_is_as_none(place, tmp_path):
    run = PlannedRun(QUICK, toy().graph.digest)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / f"{run.name}.pt").write_bytes(b"not a checkpoint")
    [(_, record)] = train([run], place)
    assert record.outcome() == fit(QUICK, dataset=toy()).outcome()


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
