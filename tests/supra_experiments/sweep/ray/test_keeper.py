"""What becomes of trials: made-up news and a made-up clock, no cluster."""

from types import SimpleNamespace

import pytest

from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.journal import RECORDS, Journal
from supra_experiments.sweep.ray.failures import PATIENCE
from supra_experiments.sweep.ray.tuning import NextPack
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.storage import SweepStorage
from supra_experiments.sweep.trial import Best, PlannedRun
from supra_experiments.training.record import EpochRecord, RunRecord, Searched

from ...sweeps import record_of
from .scene import QUICK, RUN, Scene

# ── what Tune asks for ─────────────────────────────────────────────────────────────────────────────────────


def test_tune_waits_for_what_may_have_to_be_run_again(open_scene):
    scene = open_scene(packs=iter([]))
    asked = NextPack(scene.keeper)
    assert asked.suggest("0") == asked.FINISHED
    scene = open_scene()
    asked = NextPack(scene.keeper)
    given = asked.suggest("1")
    assert [PlannedRun.from_dict(run) for run in given["runs"]] == [RUN]
    scene.packs[RUN.name] = given["pack"]
    assert asked.suggest("2") is None
    scene.fail()
    assert asked.suggest("3") is None
    scene.now = PATIENCE
    assert asked.suggest("4") == asked.FINISHED
    assert scene.kinds == ["worker"]


def test_waiting_ends_when_someone_asks(open_scene):
    scene = open_scene()
    scene.start("a")
    scene.fail()
    asked = NextPack(scene.keeper)
    assert asked.suggest("1") is None
    scene.keeper.interrupt.asked = True
    assert asked.suggest("2") == asked.FINISHED
    assert not scene.is_over


def test_an_error_of_the_journal_ends_the_sweep(open_scene, monkeypatch):
    scene = open_scene()
    scene.start("a")

    def full(record):
        raise OSError("No space left on device")

    monkeypatch.setattr(scene.journal, "add", full)
    record = record_of(QUICK, graph_digest="graph").to_json()
    result = {"ended": [(RUN.name, "record", record)]}
    scene.keeper.on_trial_result(**scene._trial(RUN), result=result)
    assert str(scene.keeper.error) == "No space left on device"
    assert scene.keeper.interrupt.stop_all()


# ── records ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_record_is_taken_out_of_the_report(open_scene):
    scene = open_scene()
    record = record_of(QUICK, graph_digest="graph").to_json()
    result = {"epochs": [(RUN.name, 3, 0.5)], "ended": [(RUN.name, "record", record)], "node": "a"}
    scene.start("a")
    scene.report(result)
    assert result == {"node": "a"}
    assert scene.is_over
    assert scene.journal.get(QUICK, "graph") is not None


def test_a_worker_that_dies_after_its_record_has_not_failed(open_scene):
    scene = open_scene()
    scene.start("a")
    scene.finish(record_of(QUICK, graph_digest="graph"))
    scene.fail()
    scene.now = PATIENCE
    assert scene.keeper.next() is None
    assert scene.journal.failures == ()
    assert [event.kind for event in scene.events] == ["started", "finished"]


@pytest.mark.parametrize("kind", ["folder", "uri"])
def test_records_are_in_their_place_before_checkpoints_go(kind, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    place = str(tmp_path / "there") if kind == "folder" else f"file://{tmp_path}/there"
    there = tmp_path / "there" / "mine"
    runs = [PlannedRun(QUICK.replace(seed=seed), "graph") for seed in range(3)]

    def num_lines(path) -> int:
        return path.read_bytes().count(b"\n")

    with SweepStorage.open(place, "mine") as storage, Journal(storage.folder) as journal:
        (there / "checkpoints").mkdir(parents=True)
        scene = Scene(storage, journal, tmp_path, packs=iter([(run,) for run in runs]))
        for seed, run in enumerate(runs):
            checkpoint = there / "checkpoints" / f"{run.name}.pt"
            checkpoint.write_bytes(b"x")
            scene.start("a", run)
            scene.finish(record_of(run.config, graph_digest="graph"), run)
            # Whichever comes first, a kill between the two loses nothing.
            assert not checkpoint.exists() or num_lines(storage.folder / RECORDS) == seed + 1
            if not checkpoint.exists():
                assert num_lines(there / RECORDS) == seed + 1
            assert scene.is_over
    assert num_lines(there / RECORDS) == 3
    assert list((there / "checkpoints").iterdir()) == []
    with SweepStorage.open(place, "mine") as storage, Journal(storage.folder) as journal:
        assert [record.config.training.seed for record in journal.records] == [0, 1, 2]


# ── searches ───────────────────────────────────────────────────────────────────────────────────────────────

SPEC = SweepSpec.from_toml("""
mode = "search"
datasets = "demo"
models = "grugcn"
num_trials = 4
[search]
lr = {low = 1e-4, high = 1e-1, log = true}
""")


def test_a_trial_keeps_its_checkpoint_only_while_it_is_the_best(open_scene, tmp_path):
    search = Search.of(SPEC, {"demo": "graph"})
    scene = open_scene(packs=iter(search.next, None), search=search)
    checkpoints = tmp_path / "mine" / "checkpoints"
    checkpoints.mkdir()
    left = []
    for loss in (0.5, 0.7, 0.3):
        [run] = scene.next()
        (checkpoints / f"{run.name}.pt").write_bytes(b"x")
        history = (EpochRecord(1, loss, None, 0.1), EpochRecord(2, loss + 1, None, 0.1))
        scene.finish(record_of(run.config, graph_digest="graph", history=history), run)
        left.append([path.stem for path in checkpoints.iterdir()])
    assert [len(names) for names in left] == [1, 1, 1]
    assert left[0] == left[1] != left[2] == [run.name]
    assert [trial.value for trial in scene.journal.search_trials] == [0.5, 0.7, 0.3]
    # Nothing of a search is a record of the sweep.
    assert scene.journal.records == ()
    # Stopped by the search: what it had come to counts, and its checkpoint is of no use.
    [run] = scene.next()
    (checkpoints / f"{run.name}.pt").write_bytes(b"x")
    scene.end("stopped", (10, Best(-0.1, 10), 2.5), run)
    last = scene.journal.search_trials[-1]
    assert (last.value, last.epochs, last.stopped_early, last.seconds) == (0.1, 10, True, 2.5)
    assert [path.stem for path in checkpoints.iterdir()] == left[2]
    assert search.is_over
    assert scene.is_over


def test_records_tell_of_the_search_that_chose_their_settings(open_scene):
    others = QUICK.replace(model="htgn")
    runs = tuple(PlannedRun(config, "graph") for config in (QUICK, others))
    searched = Searched("held_out_auc", num_trials=12, seconds=90.5)
    search = SimpleNamespace(found={Cell.of(QUICK): searched}.get)
    scene = open_scene(packs=iter([runs]), search=search)
    scene.start("a", *runs)
    for run in runs:
        scene.finish(record_of(run.config, graph_digest="graph"), run)
    assert scene.journal.get(QUICK, "graph").searched == searched
    assert scene.journal.get(others, "graph").searched is None
    kept = [RunRecord.from_json(line) for line in (scene.journal.folder / RECORDS).read_text().splitlines()]
    assert [record.searched for record in kept] == [searched, None]


def test_a_trial_that_is_given_up_or_diverges_has_no_value(open_scene):
    search = Search.of(SPEC, {"demo": "graph"})
    scene = open_scene(packs=iter(search.next, None), search=search)
    for attempt in ("failed", "diverged"):
        [run] = scene.next()
        if attempt == "failed":
            scene.end("failure", ("error", "why"), run)
        else:
            scene.finish(record_of(run.config, float("nan"), graph_digest="graph"), run)
    assert [(trial.status, trial.value) for trial in scene.journal.search_trials] == [
        ("failed", None),
        ("diverged", None),
    ]
    assert scene.is_over
    now = scene.keeper.progress.snapshot()
    assert (now.num_done, now.num_failed) == (1, 1)


def test_an_interrupted_trial_is_not_taken_for_one_that_ended(open_scene):
    search = Search.of(SPEC, {"demo": "graph"})
    scene = open_scene(packs=iter(search.next, None), search=search)
    [run] = scene.next()
    scene.keeper.interrupt.asked = True
    scene.complete(run)
    assert scene.journal.search_trials == ()
    assert not scene.is_over
