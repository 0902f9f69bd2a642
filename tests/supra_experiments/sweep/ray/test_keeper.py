"""What becomes of trials, and whose fault a failure is: made-up news and a made-up clock, no cluster."""

from types import SimpleNamespace

import pytest

from supra_experiments import Config
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.journal import RECORDS, Failure, Journal
from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.ray.interrupt import Interrupt
from supra_experiments.sweep.ray.keeper import MAX_LOST, PATIENCE, Keeper, why_lost
from supra_experiments.sweep.ray.tuning import NextRun
from supra_experiments.sweep.search import Search
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.storage import SweepStorage
from supra_experiments.sweep.trial import PlannedRun
from supra_experiments.training.record import EpochRecord

from ...sweeps import record_of

VANISHED = "The actor is temporarily unavailable: RpcError: Socket closed rpc_code: 14."
QUICK = Config(model="grugcn", features="zeros", max_epochs=12, min_epochs=12)
RUN = PlannedRun(QUICK, "graph")


class Scene:
    """A sweep whose trials, clock and nodes a test moves."""

    def __init__(self, storage, journal, folder, **options) -> None:
        self.folder, self.storage, self.journal = folder, storage, journal
        self.dead: set[str] = set()
        self.now = 0.0
        self.events = []
        self.keeper = Keeper(
            options.pop("runs", iter([RUN])),
            journal,
            storage,
            SweepProgress(on_event=self.events.append),
            Interrupt(),
            dead_nodes=lambda: self.dead,
            clock=lambda: self.now,
            **options,
        )

    def _trial(self, run, **more):
        return {"iteration": 0, "trials": [], "trial": SimpleNamespace(config={"name": run.name}, **more)}

    def start(self, node=None, run=RUN):
        assert self.keeper.next() == run
        self.keeper.on_trial_start(**self._trial(run))
        if node is not None:
            self.report({"epoch": 0, "loss": 0.0, "node": node}, run)

    def report(self, result, run=RUN):
        self.keeper.on_trial_result(**self._trial(run), result=result)
        assert self.keeper.error is None

    def finish(self, record, run=RUN):
        self.report({"record": record.to_json()}, run)
        self.complete(run)

    def complete(self, run=RUN, last=None):
        self.keeper.on_trial_complete(**self._trial(run, last_result=last or {}))
        assert self.keeper.error is None

    def fail(self, message=VANISHED, run=RUN):
        file = self.folder / "error.txt"
        file.write_text(message)
        self.keeper.on_trial_error(**self._trial(run, error_file=str(file)))
        assert self.keeper.error is None

    @property
    def is_over(self):
        return not self.keeper.unfinished

    @property
    def kinds(self):
        return [failure.kind for failure in self.journal.failures]


@pytest.fixture
def open_scene(tmp_path):
    with SweepStorage.open(tmp_path, "mine") as storage, Journal(storage.folder) as journal:
        yield lambda **options: Scene(storage, journal, tmp_path, **options)


# ── failures ───────────────────────────────────────────────────────────────────────────────────────────────


def test_what_a_trial_says_of_its_failure_is_believed(open_scene):
    scene = open_scene()
    scene.start("a")
    scene.report({"failure": ("memory", "MemoryError")})
    scene.fail()
    [failure] = scene.journal.failures
    assert (failure.kind, failure.reason, failure.attempts) == ("memory", "MemoryError", 1)
    assert scene.keeper.next() is None
    assert scene.is_over


def test_failures_are_kept_and_told_with_the_number_of_attempts(open_scene):
    scene = open_scene(max_failures=1)
    for reason in ("first", "second"):
        scene.start("a")
        scene.report({"failure": ("memory", reason)})
        scene.fail()
    assert scene.journal.failures == (
        Failure(digest=QUICK.digest, cell=Cell.of(QUICK), seed=0, reason="second", kind="memory", attempts=2),
    )
    assert scene.is_over
    assert [(event.kind, event.text) for event in scene.events] == [
        ("started", ""),
        ("retried", "first"),
        ("started", ""),
        ("failed", "second"),
    ]


def test_a_worker_that_vanished_is_given_up_when_its_node_is_well(open_scene):
    scene = open_scene()
    scene.start("a")
    scene.fail()
    scene.now = PATIENCE / 2
    scene.dead = {"b"}
    scene.keeper.settle()
    assert not scene.is_over
    scene.now = PATIENCE
    scene.keeper.settle()
    assert scene.kinds == ["worker"]
    assert scene.keeper.next() is None


@pytest.mark.parametrize("node", ["a", None])
def test_a_worker_that_went_with_its_node_is_run_again(open_scene, node):
    scene = open_scene()
    scene.start(node)
    scene.fail()
    assert scene.keeper.next() is None
    assert not scene.is_over
    scene.dead = {"a"}
    scene.keeper.settle()
    assert scene.journal.failures == ()
    assert scene.keeper.next() == RUN
    assert scene.keeper.next() is None
    assert [event.text for event in scene.events if event.kind == "retried"] == ["its node died"]


def test_a_node_that_was_dead_before_explains_nothing(open_scene):
    scene = open_scene()
    scene.dead = {"old"}
    scene.start(None)
    scene.fail()
    scene.now = PATIENCE
    scene.keeper.settle()
    assert scene.kinds == ["worker"]


def test_a_node_of_an_earlier_attempt_explains_nothing(open_scene):
    scene = open_scene(max_failures=1)
    scene.start("a")
    scene.fail()
    scene.start()  # where is not known yet
    scene.dead = {"a"}
    scene.fail()
    scene.now = PATIENCE
    scene.keeper.settle()
    # The first was lost with its node and is not counted, so that there is one attempt more.
    scene.start("b")
    scene.report({"failure": ("error", "why")})
    scene.fail()
    assert scene.kinds == ["error"]


def test_attempts_that_a_node_took_are_not_counted(open_scene):
    scene = open_scene(max_failures=1)
    scene.start("a")
    scene.fail()  # tried again at once, whatever became of the node
    scene.start("b")
    scene.dead = {"a"}
    scene.keeper.settle()
    scene.fail("The actor died because its node has died. Node Id: b")
    scene.start("c")
    scene.fail("its node has died")
    for attempt in range(2):  # the two that are its own
        scene.start("d")
        scene.report({"failure": ("error", f"attempt {attempt}")})
        scene.fail()
    [failure] = scene.journal.failures
    assert (failure.kind, failure.reason, failure.attempts) == ("error", "attempt 1", 5)


def test_a_run_that_kills_node_after_node_is_given_up(open_scene):
    scene = open_scene()
    for number in range(MAX_LOST):
        assert not scene.kinds
        scene.start(str(number))
        scene.fail("its node has died")
    assert scene.kinds == ["node"]
    assert [event.kind for event in scene.events].count("retried") == MAX_LOST - 1


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("The actor died because its node has died. Node Id: 4e1c", "node"),
        ("Task was killed due to the node running low on memory.", "memory"),
        ("The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR", "worker"),
        ("", "worker"),
        ("an error raised in its creation task, ray::A.__init__() (pid=3)\n\nImportError: x\n", "error"),
    ],
)
def test_words_of_ray_are_understood(message, kind):
    found, reason = why_lost(message)
    assert found == kind
    assert reason
    assert kind != "error" or reason == "ImportError: x"


# ── what Tune asks for ─────────────────────────────────────────────────────────────────────────────────────


def test_tune_waits_for_what_may_have_to_be_run_again(open_scene):
    scene = open_scene(runs=iter([]))
    asked = NextRun(scene.keeper)
    assert asked.suggest("0") == asked.FINISHED
    scene = open_scene()
    asked = NextRun(scene.keeper)
    given = asked.suggest("1")
    assert (given["name"], Config(**given["config"])) == (RUN.name, QUICK)
    scene.keeper.on_trial_start(**scene._trial(RUN))
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
    asked = NextRun(scene.keeper)
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
    result = {"record": record_of(QUICK, graph_digest="graph").to_json()}
    scene.keeper.on_trial_result(**scene._trial(RUN), result=result)
    assert str(scene.keeper.error) == "No space left on device"
    assert scene.keeper.interrupt.stop_all()


# ── records ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_record_is_taken_out_of_the_report(open_scene):
    scene = open_scene()
    result = {"record": record_of(QUICK, graph_digest="graph").to_json(), "epoch": 3}
    scene.start("a")
    scene.report(result)
    assert result == {"epoch": 3}
    assert scene.is_over
    assert scene.journal.has(QUICK, "graph")


def test_a_worker_that_dies_after_its_record_has_not_failed(open_scene):
    scene = open_scene()
    scene.start("a")
    scene.report({"record": record_of(QUICK, graph_digest="graph").to_json()})
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
        scene = Scene(storage, journal, tmp_path, runs=iter(runs))
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
    scene = open_scene(runs=iter(search.next, None), search=search)
    checkpoints = tmp_path / "mine" / "checkpoints"
    checkpoints.mkdir()
    left = []
    for loss in (0.5, 0.7, 0.3):
        run = scene.keeper.next()
        scene.keeper.on_trial_start(**scene._trial(run))
        (checkpoints / f"{run.name}.pt").write_bytes(b"x")
        history = (EpochRecord(1, loss, None, 0.1), EpochRecord(2, loss + 1, None, 0.1))
        scene.finish(record_of(run.config, graph_digest="graph", history=history), run)
        left.append([path.stem for path in checkpoints.iterdir()])
    assert [len(names) for names in left] == [1, 1, 1]
    assert left[0] == left[1] != left[2] == [run.name]
    assert [trial.value for trial in scene.journal.search_trials] == [0.5, 0.7, 0.3]
    # Nothing of a search is a record of the sweep.
    assert scene.journal.records == ()
    # Stopped by the scheduler: its last report counts, and its checkpoint is of no use.
    run = scene.keeper.next()
    scene.keeper.on_trial_start(**scene._trial(run))
    (checkpoints / f"{run.name}.pt").write_bytes(b"x")
    scene.complete(run, {"epoch": 10, "score": -0.1})
    last = scene.journal.search_trials[-1]
    assert (last.value, last.epochs, last.stopped_early) == (0.1, 10, True)
    assert [path.stem for path in checkpoints.iterdir()] == left[2]
    assert search.is_over
    assert scene.is_over


def test_a_trial_that_is_given_up_or_diverges_has_no_value(open_scene):
    search = Search.of(SPEC, {"demo": "graph"})
    scene = open_scene(runs=iter(search.next, None), search=search)
    for attempt in ("failed", "diverged"):
        run = scene.keeper.next()
        scene.keeper.on_trial_start(**scene._trial(run))
        if attempt == "failed":
            scene.report({"failure": ("error", "why")}, run)
            scene.fail(run=run)
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
    scene = open_scene(runs=iter(search.next, None), search=search)
    run = scene.keeper.next()
    scene.keeper.on_trial_start(**scene._trial(run))
    scene.keeper.interrupt.asked = True
    scene.complete(run, {"epoch": 10, "score": -0.1})
    assert scene.journal.search_trials == ()
