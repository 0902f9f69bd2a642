"""Whose fault a failure is: told with made-up news and a made-up clock, no cluster needed."""

import pytest

from supra_experiments import Config
from supra_experiments.sweep.book import Book, Grid, Task
from supra_experiments.sweep.journal import Journal
from supra_experiments.sweep.lost_workers import MAX_LOST, PATIENCE, Suspicions
from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.storage import SweepStorage
from supra_experiments.sweep.trial_news import News

from ..sweeps import record_of

VANISHED = "The actor is temporarily unavailable: RpcError: Socket closed rpc_code: 14."
TASK = Task(Config(model="grugcn"), "graph")


class Scene:
    """A sweep of one task, with a clock and nodes that a test moves and kills."""

    def __init__(self, book: Book) -> None:
        self.book, self.grid = book, Grid([])
        self.dead: set[str] = set()
        self.now = 0.0
        self.forgiven: list[str] = []
        self.news = News(book, self.grid, lambda: self.dead, self.forgiven.append)
        self.news._suspicions = Suspicions(lambda: self.dead, lambda: self.now)

    def start(self, node: str | None) -> None:
        self.news.started(TASK)
        if node is not None:
            self.news.reported(TASK, {"epoch": 0, "loss": 0.0, "node": node})


@pytest.fixture
def scene(tmp_path):
    with SweepStorage.open(tmp_path, "mine") as storage, Journal(storage.folder) as journal:
        yield Scene(Book(journal, SweepProgress(), storage))


def test_what_a_trial_says_of_its_failure_is_believed(scene):
    scene.start("a")
    scene.news.reported(TASK, {"failure": ("memory", "MemoryError")})
    scene.news.failed(TASK, VANISHED)
    [failure] = scene.book.journal.failures
    assert (failure.kind, failure.reason, failure.attempts) == ("memory", "MemoryError", 1)
    assert scene.grid.next() is None


def test_a_worker_that_vanished_is_given_up_when_its_node_is_well(scene):
    scene.start("a")
    scene.news.failed(TASK, VANISHED)
    scene.now = PATIENCE / 2
    scene.dead = {"b"}
    scene.news.settle()
    assert not scene.book.is_over(TASK)
    scene.now = PATIENCE
    scene.news.settle()
    assert [failure.kind for failure in scene.book.journal.failures] == ["worker"]
    assert scene.news.num_lost == 0


@pytest.mark.parametrize("node", ["a", None])
def test_a_worker_that_went_with_its_node_is_run_again(scene, node):
    scene.start(node)
    scene.news.failed(TASK, VANISHED)
    assert not scene.book.is_over(TASK)
    scene.dead = {"a"}
    scene.news.settle()
    assert scene.book.journal.failures == ()
    assert scene.grid.next() == TASK
    assert scene.news.num_lost == 1


def test_a_node_that_was_dead_before_explains_nothing(scene):
    scene.dead = {"old"}
    scene.start(None)
    scene.news.failed(TASK, VANISHED)
    scene.now = PATIENCE
    scene.news.settle()
    assert [failure.kind for failure in scene.book.journal.failures] == ["worker"]


def test_attempts_that_a_node_took_are_not_counted(scene):
    scene.start("a")
    scene.news.retried(TASK, VANISHED)
    assert scene.forgiven == []
    scene.dead = {"a"}
    scene.news.settle()
    assert scene.forgiven == [TASK.name]
    scene.start("b")
    scene.news.retried(TASK, "The actor died because its node has died. Node Id: b")
    assert scene.forgiven == [TASK.name, TASK.name]


def test_a_run_that_kills_node_after_node_is_given_up(scene):
    for number in range(MAX_LOST):
        scene.start(str(number))
        scene.news.failed(TASK, "its node has died")
    assert [failure.kind for failure in scene.book.journal.failures] == ["node"]
    assert scene.news.num_lost == MAX_LOST - 1


def test_waiting_ends_when_someone_asks(scene):
    scene.start("a")
    scene.news.failed(TASK, VANISHED)
    scene.news.wait(lambda: True)
    assert not scene.book.is_over(TASK)
    scene.now = PATIENCE
    scene.news.wait(lambda: False)
    assert scene.book.is_over(TASK)


def test_a_record_is_taken_out_of_the_report(scene):
    result = {"record": record_of(TASK.config, graph_digest="graph").to_json(), "done": True}
    scene.start("a")
    scene.news.reported(TASK, result)
    assert result == {"done": True}
    assert scene.book.is_over(TASK)
