"""What a worker tells of its pack: epochs now and then, the end of a run at once. No cluster."""

import dataclasses
from contextlib import suppress

import pytest

from supra_experiments.sweep.halving import milestones
from supra_experiments.sweep.ray.worker import REPORT_SECONDS, News
from supra_experiments.sweep.trial import Best, PlannedRun, StoppedEarly
from supra_experiments.training.record import EpochRecord, RunRecord

from ...sweeps import record_of
from .scene import QUICK

RUNS = [PlannedRun(QUICK.replace(seed=seed, min_epochs=100, max_epochs=100), "graph") for seed in range(3)]
TRIAL = dataclasses.replace(RUNS[0], settings={"lr": 0.1})


class Told:
    """News with a clock that a test moves; all reports are kept."""

    def __init__(self, goes_on=True):
        self.now, self.reports, self.asked = 0.0, [], []

        def ask(*question):
            self.asked.append(question)
            return goes_on

        self.news = News(self.reports.append, ask, lambda: self.now)

    def epoch(self, run, number, loss=0.5):
        self.news.epoch(run, EpochRecord(number, loss, None, 0.1), Best(-loss, number))


def test_epochs_wait_for_others_and_the_last_of_each_run_is_told():
    told = Told()
    told.epoch(RUNS[0], 1)
    assert told.reports == [{"epochs": [(RUNS[0].name, 1, 0.5)]}]
    for number in (2, 3):
        for run in RUNS:
            told.epoch(run, number, loss=number)
    assert len(told.reports) == 1
    told.now += REPORT_SECONDS
    told.epoch(RUNS[0], 4, loss=4)
    assert told.reports[1] == {"epochs": [(RUNS[0].name, 4, 4), (RUNS[1].name, 3, 3), (RUNS[2].name, 3, 3)]}


def test_the_end_of_a_run_does_not_wait():
    told = Told()
    told.epoch(RUNS[0], 1)
    record = record_of(RUNS[1].config, graph_digest="graph")
    for run, outcome in zip(RUNS, (StoppedEarly(3, Best(-0.5, 2), 1.5), record, MemoryError()), strict=True):
        told.news.outcome(run, outcome)
    (stopped,), (kept,), (failed,) = (report["ended"] for report in told.reports[1:])
    assert stopped == (RUNS[0].name, "stopped", (3, Best(-0.5, 2), 1.5))
    assert kept[:2] == (RUNS[1].name, "record")
    assert RunRecord.from_json(kept[2]).outcome() == record.outcome()
    assert failed == (RUNS[2].name, "failure", ("memory", "MemoryError"))
    assert isinstance(told.news.error, MemoryError)


@pytest.mark.parametrize("goes_on", [True, False])
@pytest.mark.parametrize("settings", [None, {}, {"lr": 0.1}])
def test_only_trials_with_settings_of_their_own_are_stopped_early(goes_on, settings):
    told = Told(goes_on)
    run = dataclasses.replace(TRIAL, settings=settings)
    reached = 0
    with suppress(StoppedEarly):
        for reached in range(1, 101):
            told.epoch(run, reached)
    assert reached == (100 if goes_on or not settings else 10)
    # A default trial is compared as well: others are measured by it.
    compared = () if settings is None else milestones(run.config.training)
    assert [epoch for _, _, epoch, _ in told.asked] == [epoch for epoch in compared if epoch <= reached]


def test_a_trial_that_is_stopped_early_tells_what_its_own_epochs_took():
    told = Told(goes_on=False)
    with pytest.raises(StoppedEarly) as stopped:
        for number in range(1, 101):
            told.epoch(RUNS[1], number)
            told.epoch(TRIAL, number)
    assert stopped.value.seconds == pytest.approx(0.1 * stopped.value.epochs)
