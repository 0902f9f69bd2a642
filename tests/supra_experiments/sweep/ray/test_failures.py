"""Whose fault a failure is, and what is tried again."""

import pytest

from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.journal import Failure
from supra_experiments.sweep.ray.failures import MAX_LOST, PATIENCE, why_lost
from supra_experiments.sweep.trial import PlannedRun

from ...sweeps import record_of
from .scene import QUICK, RUN


def test_what_a_trial_says_of_its_failure_is_believed(open_scene):
    scene = open_scene()
    scene.start("a")
    scene.end("failure", ("memory", "MemoryError"))
    [failure] = scene.journal.failures
    assert (failure.kind, failure.reason, failure.attempts) == ("memory", "MemoryError", 1)
    assert scene.keeper.next() is None
    assert scene.is_over


def test_failures_are_kept_and_told_with_the_number_of_attempts(open_scene):
    scene = open_scene(max_failures=1)
    for reason in ("first", "second"):
        scene.start("a")
        scene.end("failure", ("memory", reason))
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
    assert scene.next() == (RUN,)
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
    scene.end("failure", ("error", "why"))
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
        scene.end("failure", ("error", f"attempt {attempt}"))
        scene.fail()  # its process is not used again, which is no second failure
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


# ── packs ──────────────────────────────────────────────────────────────────────────────────────────────────

FOUR = tuple(PlannedRun(QUICK.replace(seed=seed), "graph") for seed in range(4))


def test_a_run_of_a_pack_ends_while_the_others_go_on(open_scene):
    scene = open_scene(packs=iter([FOUR]), max_failures=1)
    scene.start("a", *FOUR)
    scene.finish(record_of(FOUR[1].config, graph_digest="graph"), FOUR[1])
    assert [record.config.training.seed for record in scene.journal.records] == [1]
    scene.end("failure", ("error", "why"), FOUR[2])
    scene.start("b", FOUR[2])  # at once, and alone
    scene.finish(record_of(FOUR[3].config, float("nan"), graph_digest="graph"), FOUR[3])
    scene.end("failure", ("error", "again"), FOUR[2])
    scene.finish(record_of(FOUR[0].config, graph_digest="graph"), FOUR[0])
    scene.complete(FOUR[0])
    assert scene.is_over
    assert scene.next() == ()
    assert [record.config.training.seed for record in scene.journal.records] == [1, 3, 0]
    assert [(failure.seed, failure.attempts) for failure in scene.journal.failures] == [(2, 2)]


def test_nobody_is_blamed_for_the_end_of_a_worker_with_several_runs(open_scene):
    """Halves go on by themselves until the one that ends its worker is found."""
    scene = open_scene(packs=iter([FOUR]))
    scene.start("a", *FOUR)
    scene.fail(run=FOUR[0])
    scene.start("a", *FOUR[:2])
    scene.start("a", *FOUR[2:])
    for run in FOUR[:2]:
        scene.finish(record_of(run.config, graph_digest="graph"), run)
    scene.fail(run=FOUR[2])
    scene.start("a", FOUR[2])
    scene.start("a", FOUR[3])
    scene.finish(record_of(FOUR[3].config, graph_digest="graph"), FOUR[3])
    scene.fail(run=FOUR[2])
    assert scene.next() == ()
    assert not scene.is_over  # what of its node?
    scene.now = PATIENCE
    scene.keeper.settle()
    assert [(failure.seed, failure.kind, failure.attempts) for failure in scene.journal.failures] == [
        (2, "worker", 3)
    ]
    assert {record.config.training.seed for record in scene.journal.records} == {0, 1, 3}


def test_what_is_left_of_a_pack_goes_on_as_one_after_its_node_died(open_scene):
    scene = open_scene(packs=iter([FOUR]))
    scene.start("a", *FOUR)
    scene.finish(record_of(FOUR[1].config, graph_digest="graph"), FOUR[1])
    scene.fail("its node has died", FOUR[0])
    scene.start("b", FOUR[0], *FOUR[2:])
    assert scene.journal.failures == ()
    for _ in range(MAX_LOST - 1):
        assert not scene.kinds
        scene.fail("its node has died", FOUR[0])
        scene.next()
    assert scene.kinds == ["node"] * 3


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
