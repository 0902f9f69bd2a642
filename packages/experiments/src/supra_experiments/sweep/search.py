"""The searches of all cells side by side, whose trials train in packs."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from supra_experiments.config import Config
from supra_experiments.sweep.cell_search import CellSearch
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.held_out import HeldOut
from supra_experiments.sweep.journal import SearchTrial
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.trial import PlannedRun, Runs
from supra_experiments.training.record import RunRecord, Searched


@dataclass
class Search:
    """The searches of all cells, which take turns: the one with the fewest trials under way is next.

    Attributes:
        cells: the searches.
    """

    cells: dict[Cell, CellSearch]

    @classmethod
    def of(
        cls,
        spec: SweepSpec,
        graph_digests: Mapping[str, str],
        held_out: Mapping[str, HeldOut] | None = None,
    ) -> "Search":
        """Those of a sweep; digests, and training snapshots that judge, by dataset."""
        judges = held_out or {}
        return cls(
            {
                cell: CellSearch(spec, cell, graph_digests[cell.dataset], judges.get(cell.dataset))
                for cell in spec.cells
            }
        )

    @property
    def num_trials(self) -> int:
        """Of all cells."""
        return sum(search.num_trials for search in self.cells.values())

    def recall(self, trials: Iterable[SearchTrial]) -> Iterable[SearchTrial]:
        """Take in the trials of earlier starts; yields those that count."""
        for trial in trials:
            if trial.cell in self.cells and self.cells[trial.cell].recall(trial):
                yield trial

    def next(self, most: Callable[[Config, int], int] = lambda config, num_left: 1) -> Runs | None:
        """The next trials of any cells, which can train as one; None when all were asked for.

        The cell whose turn it is chooses the shape of its model; cells of the same dataset and model that can
        have that shape join with trials of their own, in turns.

        Args:
            most: how many to ask for at most, from the settings of the first trial and how many are left of
                that dataset and model.
        """
        while waiting := [search for search in self.cells.values() if not search.is_over]:
            lead = min(waiting, key=_turn).ask()
            if lead is not None:
                cell = Cell.of(lead.config)
                near = [s for s in waiting if (s.cell.dataset, s.cell.model) == (cell.dataset, cell.model)]
                limit = most(lead.config, 1 + sum(s.num_trials - s.num_started for s in near))
                return (lead, *itertools.islice(_companions(lead, near), limit - 1))
        return None

    @property
    def is_over(self) -> bool:
        """Whether all trials of all cells came to their end."""
        return all(search.is_over and not search.num_running for search in self.cells.values())

    def runs(self) -> dict[tuple[Cell, int], Config]:
        """The best setting of each cell, with every seed."""
        return {(cell, seed): run for cell, own in self.cells.items() for seed, run in own.runs().items()}

    def found(self) -> dict[Cell, Searched]:
        """What the records of these runs tell of the searches that chose their settings."""
        return {cell: found for cell, own in self.cells.items() if (found := own.found) is not None}

    def best_run(self, cell: Cell) -> PlannedRun | None:
        """The best trial of a cell so far that came to its end, where its run is one of the sweep's own."""
        search = self.cells[cell]
        if search.best is None or search.held_out is not None:
            return None
        return search.planned(search.best.settings)

    def score(self, run: PlannedRun, record: RunRecord) -> float:
        """The criterion of a trial that came to its end, larger being better."""
        return self.cells[Cell.of(run.config)].score(record)

    def ended(
        self,
        run: PlannedRun,
        *,
        epochs: int = 0,
        score: float = -math.inf,
        seconds: float = 0.0,
        stopped_early: bool = False,
        diverged: bool = False,
    ) -> SearchTrial:
        """A trial is over; one without a finite ``score`` (larger being better) has failed or diverged."""
        found = math.isfinite(score) and not diverged
        trial = SearchTrial(
            digest=run.config.digest,
            cell=Cell.of(run.config),
            settings=dict(run.settings or {}),
            criterion=run.selection,
            value=(-score if run.selection == "train_loss" else score) if found else None,
            epochs=epochs,
            stopped_early=stopped_early,
            status="done" if found else "diverged" if diverged else "failed",
            seconds=seconds,
        )
        self.cells[trial.cell].tell(trial)
        return trial


def _turn(search: CellSearch) -> tuple[int, int]:
    return search.num_running, search.num_started


def _companions(lead: PlannedRun, searches: Sequence[CellSearch]) -> Iterator[PlannedRun]:
    """Further trials that fit together with a first one, the searches in turns."""
    room = {s.cell: s.num_at_once - (s.cell == Cell.of(lead.config)) for s in searches}
    left = [search for search in searches if room[search.cell]]
    while left:
        search = min(left, key=_turn)
        run = search.ask(like=lead)
        room[search.cell] -= 1
        if run is None or not room[search.cell]:
            left.remove(search)
        if run is not None:
            yield run
