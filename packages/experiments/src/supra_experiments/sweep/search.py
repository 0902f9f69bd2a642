"""The searches of all cells, whose trials train in packs."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from supra_experiments.config import Config
from supra_experiments.sweep.carried import CarriedOver
from supra_experiments.sweep.cell_search import CellSearch
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.halving import Reached, milestones
from supra_experiments.sweep.held_out import HeldOut
from supra_experiments.sweep.journal import SearchTrial
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.trial import NOTHING, Best, PlannedRun, Runs
from supra_experiments.training.record import RunRecord, Searched


@dataclass
class Search:
    """The searches of all cells, which take turns: the one with the fewest trials under way is next.

    Of several such cells those of the first dataset and model are first, so that these are over while others
    have hardly begun: what is stopped has whole tables to show, not a part of each.

    Attributes:
        cells: the searches.
        carried: cells that have no search of their own, but what others found.
    """

    cells: dict[Cell, CellSearch]
    carried: dict[Cell, CarriedOver] = field(default_factory=dict)
    _tested: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def of(
        cls,
        spec: SweepSpec,
        graph_digests: Mapping[str, str],
        held_out: Mapping[str, HeldOut] | None = None,
    ) -> "Search":
        """Those of a sweep; digests, and training snapshots that judge, by dataset."""
        judges = held_out or {}
        sources = {cell: spec.sources(cell) for cell in spec.cells}
        cells = {
            cell: CellSearch(spec, cell, graph_digests[cell.dataset], judges.get(cell.dataset))
            for cell, others in sources.items()
            if not others
        }
        carried = {
            cell: CarriedOver(spec, cell, tuple(cells[other] for other in others))
            for cell, others in sources.items()
            if others
        }
        return cls(cells, carried)

    @property
    def num_trials(self) -> int:
        """Of all cells."""
        return sum(search.num_trials for search in self.cells.values())

    def recall(self, trials: Iterable[SearchTrial]) -> Iterable[SearchTrial]:
        """Take in the trials of earlier starts; yields those that count."""
        for trial in trials:
            if trial.cell in self.cells and self.cells[trial.cell].recall(trial):
                self._share(trial)
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
            lead = min(waiting, key=self._turn).ask()
            if lead is not None:
                cell = Cell.of(lead.config)
                near = [search for search in waiting if _group(search.cell) == _group(cell)]
                limit = most(lead.config, 1 + sum(s.num_trials - s.num_started for s in near))
                return (lead, *itertools.islice(_companions(lead, near), limit - 1))
        return None

    def reached(self) -> Iterator[Reached]:
        """What the trials that are over came to, for those that come after them.

        What a trial had at each milestone is not kept: it counts with what it had in the end.
        """
        for search in self.cells.values():
            for trial in search.finished:
                if trial.value is not None:
                    run = search.planned(trial.settings)
                    score = -trial.value if run.selection == "train_loss" else trial.value
                    for epoch in milestones(run.config.training):
                        if epoch <= trial.epochs:
                            yield trial.cell.name, run.name, epoch, score

    @property
    def is_over(self) -> bool:
        """Whether all trials of all cells came to their end."""
        return all(search.has_ended for search in self.cells.values())

    def _turn(self, search: CellSearch) -> tuple[int, int, int]:
        return search.num_running, self._place[_group(search.cell)], search.num_started

    @cached_property
    def _place(self) -> dict[tuple[str, str], int]:
        return {group: place for place, group in enumerate(dict.fromkeys(map(_group, self.cells)))}

    def newly_over(self) -> list[Config]:
        """The runs with the best settings of all cells of each dataset and model whose searches have ended.

        Each comes once: whoever asks runs them.
        """
        by_group: dict[tuple[str, str], list[CellSearch | CarriedOver]] = {}
        for cell, search in self._answers.items():
            by_group.setdefault(_group(cell), []).append(search)
        over = [
            group
            for group, searches in by_group.items()
            if group not in self._tested and all(own.has_ended for own in searches)
        ]
        self._tested.update(over)
        return [run for group in over for search in by_group[group] for run in search.runs().values()]

    def runs(self) -> dict[tuple[Cell, int], Config]:
        """The best setting of each cell, with every seed."""
        return {(cell, seed): run for cell, own in self._answers.items() for seed, run in own.runs().items()}

    def found(self, cell: Cell) -> Searched | None:
        """What the records of these runs tell of the search that chose their settings, if one did."""
        return self._answers[cell].found if cell in self._answers else None

    @property
    def _answers(self) -> dict[Cell, CellSearch | CarriedOver]:
        return {**self.cells, **self.carried}

    def best_run(self, cell: Cell) -> PlannedRun | None:
        """The best trial of a cell so far that came to its end, where its run is one of the sweep's own."""
        search = self.cells[cell]
        if search.best is None or search.held_out is not None:
            return None
        return search.planned(search.best.settings)

    def best_of(self, run: PlannedRun, record: RunRecord) -> Best:
        """What a trial that came to its end was at its best."""
        return self.cells[Cell.of(run.config)].best_of(record)

    def ended(
        self,
        run: PlannedRun,
        *,
        epochs: int = 0,
        best: Best = NOTHING,
        seconds: float = 0.0,
        stopped_early: bool = False,
        diverged: bool = False,
    ) -> SearchTrial:
        """A trial is over; one without a finite score has failed or diverged."""
        found = math.isfinite(best.score) and not diverged
        # Others choose an epoch by the criterion itself, so that their runs do again what the trial did.
        ends_there = found and run.selection == "held_out_auc" and (stopped_early or best.epochs < epochs)
        trial = SearchTrial(
            digest=run.config.digest,
            cell=Cell.of(run.config),
            settings=dict(run.settings or {}),
            criterion=run.selection,
            value=(-best.score if run.selection == "train_loss" else best.score) if found else None,
            epochs=epochs,
            best_epochs=best.epochs if ends_there else None,
            stopped_early=stopped_early,
            status="done" if found else "diverged" if diverged else "failed",
            seconds=seconds,
        )
        self.cells[trial.cell].tell(trial)
        self._share(trial)
        return trial

    def _share(self, trial: SearchTrial) -> None:
        """Let the other cells of its dataset and model learn from a trial."""
        gain = self.cells[trial.cell].gain(trial)
        if gain is not None:
            for cell, other in self.cells.items():
                if cell != trial.cell and _group(cell) == _group(trial.cell):
                    other.hint(trial.settings, gain)


def _group(cell: Cell) -> tuple[str, str]:
    """Cells whose trials may train as one."""
    return cell.dataset, cell.model


def _companions(lead: PlannedRun, searches: Sequence[CellSearch]) -> Iterator[PlannedRun]:
    """Further trials that fit together with a first one, the searches in turns."""
    room = {s.cell: s.num_at_once - (s.cell == Cell.of(lead.config)) for s in searches}
    left = [search for search in searches if room[search.cell]]
    while left:
        search = min(left, key=lambda own: (own.num_running, own.num_started))
        run = search.ask(like=lead)
        room[search.cell] -= 1
        if run is None or not room[search.cell]:
            left.remove(search)
        if run is not None:
            yield run
