"""How far a sweep is: counts that add up, a fair guess of the time left, and no news lost between threads."""

import math
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_experiments import Config
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.progress import SweepProgress

from ..sweeps import record_of


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


RUNS = [Config(model=model, seed=seed) for model in ("htgn", "slate") for seed in range(4)]
CELLS = [Cell.of(run) for run in RUNS]

acts = st.lists(
    st.tuples(
        st.sampled_from(RUNS), st.sampled_from(["started", "reported", "finished", "retried", "failed"])
    )
)


@given(acts=acts)
def test_counts_are_those_of_a_plain_book(acts):
    """Against a ledger of sets, which is what the numbers stand for."""
    progress = SweepProgress(num_total=len(RUNS))
    running, num_done, num_failed, num_retried = set(), 0, 0, 0
    for run, act in acts:
        if act == "started":
            progress.started(run)
            running.add(run.digest)
        elif act == "reported":
            progress.reported(run, 3, 0.5)
            running.add(run.digest)
        else:
            running.discard(run.digest)
            if act == "finished":
                progress.finished(run, record_of(run))
            else:
                progress.failed(run, "why", will_retry=act == "retried")
            num_done += act == "finished"
            num_failed += act == "failed"
            num_retried += act == "retried"
    now = progress.snapshot()
    assert {part.config.digest for part in now.running} == running
    assert (now.num_done, now.num_failed, now.num_retried) == (num_done, num_failed, num_retried)
    assert now.num_total >= now.num_done + now.num_failed + len(now.running)
    assert sum(len(cell.aucs) for cell in now.cells.values()) == num_done


def test_the_mean_of_a_cell_leaves_out_what_diverged():
    progress = SweepProgress(4)
    for seed, auc in enumerate([0.8, math.nan, 0.9]):
        progress.finished(RUNS[seed], record_of(RUNS[seed], auc))
    progress.kept(RUNS[3], record_of(RUNS[3], 0.4))
    cell = progress.snapshot().cells[CELLS[0]]
    assert cell.auc == pytest.approx((0.8 + 0.9 + 0.4) / 3)
    assert progress.snapshot().num_kept == 1


@pytest.mark.parametrize(("selection", "best"), [("train_loss", 0.2), ("validation_auc", 0.7)])
def test_the_best_of_a_search_is_by_its_criterion(selection, best):
    progress = SweepProgress(4, selection=lambda cell: selection)
    for run, value in zip(RUNS, [0.5, 0.2, math.nan, 0.7], strict=False):
        progress.finished(run, value=value)
    progress.finished(RUNS[0])  # a trial without any value
    cell = progress.snapshot().cells[CELLS[0]]
    assert cell.best == best
    assert cell.num_trials == 5
    assert math.isnan(cell.auc)


def test_time_left_is_work_left_over_the_rate():
    clock = Clock()
    progress = SweepProgress(8, clock=clock)
    assert progress.snapshot().seconds_left is None
    progress.started(RUNS[0])
    clock.now += 10
    progress.finished(RUNS[0], record_of(RUNS[0]))
    assert progress.snapshot().seconds_left == pytest.approx(70)
    clock.now += 10
    progress.failed(RUNS[1], "why", will_retry=False)
    assert progress.snapshot().seconds_left == pytest.approx(60)
    for run in RUNS[2:]:
        progress.finished(run, record_of(run))
    assert progress.snapshot().seconds_left == 0


def test_waiting_for_a_cluster_is_not_slowness():
    clock = Clock()
    progress = SweepProgress(2, clock=clock)
    clock.now += 1000
    progress.started(RUNS[0])
    clock.now += 10
    progress.finished(RUNS[0], record_of(RUNS[0]))
    assert progress.snapshot().seconds == 1010
    assert progress.snapshot().seconds_left == pytest.approx(10)


def test_what_was_finished_before_does_not_count_as_speed():
    clock = Clock()
    progress = SweepProgress(8, clock=clock)
    for run in RUNS[:6]:
        progress.kept(run, record_of(run))
    assert progress.snapshot().seconds_left is None
    progress.started(RUNS[6])
    clock.now += 10
    progress.finished(RUNS[6], record_of(RUNS[6]))
    assert progress.snapshot().seconds_left == pytest.approx(10)


def test_long_runs_weigh_more():
    clock = Clock()
    # Four of one second each, four of ten.
    progress = SweepProgress(
        8, weigh=lambda run: 10.0 if run.model.name == "slate" else 1.0, weight_total=44.0, clock=clock
    )
    for run in RUNS[:4]:
        progress.started(run)
        clock.now += 1
        progress.finished(run, record_of(run))
    assert progress.snapshot().seconds_left == pytest.approx(40)
    # Half of one in progress counts as half.
    progress.started(RUNS[4])
    clock.now += 5
    progress.reported(RUNS[4], 1, 0.5)
    progress.reported(RUNS[4], RUNS[4].training.max_epochs // 2, 0.5)
    assert progress.snapshot().seconds_left == pytest.approx(35)


def test_a_run_that_goes_on_from_a_checkpoint_counts_from_there():
    progress = SweepProgress(1)
    run = Config(max_epochs=100)
    progress.started(run)
    progress.reported(run, 91, 0.5)
    assert progress.snapshot().running[0].share == pytest.approx(0.01)
    progress.reported(run, 100, 0.5)
    assert progress.snapshot().running[0].share == pytest.approx(0.1)


def test_events_come_one_after_another_and_may_ask():
    seen, inside = [], []
    progress = SweepProgress(200)

    def listen(event):
        inside.append(event)
        assert len(inside) == 1
        seen.append((event.kind, progress.snapshot().num_done))
        inside.clear()

    progress.on_event = listen
    runs = [Config(seed=seed) for seed in range(200)]

    def work(part):
        for run in part:
            progress.started(run)
            progress.finished(run, record_of(run))

    threads = [threading.Thread(target=work, args=(runs[i::4],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert progress.snapshot().num_done == 200
    assert [kind for kind, _ in seen].count("finished") == 200
    assert [kind for kind, _ in seen].count("started") == 200


def test_a_snapshot_stays_as_it_is():
    progress = SweepProgress(2)
    progress.reported(RUNS[0], 1, 0.5)
    progress.finished(RUNS[1], record_of(RUNS[1], 0.5))
    before = progress.snapshot()
    progress.reported(RUNS[0], 2, 0.25)
    progress.finished(RUNS[0], record_of(RUNS[0], 0.9))
    assert (before.running[0].epoch, before.running[0].loss) == (1, 0.5)
    assert before.cells[CELLS[0]].aucs == [0.5]
