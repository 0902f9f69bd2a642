"""What it means to go on with a file that was changed."""

from collections.abc import Iterable
from dataclasses import dataclass

from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.types import Cell


@dataclass(frozen=True, slots=True)
class SpecChange:
    """What resuming with a changed file means.

    Attributes:
        new: cells and seeds to run that the old file did not ask for, or with other settings.
        dropped: those that only the old file asked for; their records are kept but not counted.
    """

    new: tuple[tuple[Cell, int], ...] = ()
    dropped: tuple[tuple[Cell, int], ...] = ()

    def lines(self, max_cells: int = 20) -> tuple[str, ...]:
        """One line a cell, for people; of those beyond ``max_cells`` the number alone.

        Example:
            >>> SpecChange(dropped=((Cell("demo", "htgn", "none", "zeros"), 3),)).lines()
            ('dropped: demo htgn none zeros, seed 3',)
        """
        return (*_told("new", self.new, max_cells), *_told("dropped", self.dropped, max_cells))


def compare(old: SweepSpec, new: SweepSpec) -> SpecChange:
    """What is new in a changed sweep, and what it dropped.

    Runs are the same if all their settings are; those of a search if the search is the same as well.
    """
    before, after = _planned(old), _planned(new)
    return SpecChange(
        tuple(after[key] for key in after if key not in before),
        tuple(before[key] for key in before if key not in after),
    )


def _planned(spec: SweepSpec) -> dict[tuple[str, str], tuple[Cell, int]]:
    """What each run is made of, and its cell and seed."""
    planned = {}
    for config in spec.baseline_runs():
        planned[config.digest, ""] = (Cell.of(config), config.training.seed)
    for cell, seed in spec.pairs():
        searched = ""
        if spec.mode == "search":
            searched = f"{spec.search_space(cell)} {spec.num_trials} {spec.selection(cell)}"
        planned[spec.config(cell, seed).digest, searched] = (cell, seed)
    return planned


def _told(what: str, runs: Iterable[tuple[Cell, int]], max_cells: int) -> list[str]:
    seeds: dict[Cell, list[int]] = {}
    for cell, seed in runs:
        seeds.setdefault(cell, []).append(seed)
    lines = [
        f"{what}: {cell.name}, seed{'s' * (len(own) > 1)} {', '.join(map(str, own))}"
        for cell, own in seeds.items()
    ]
    if len(lines) > max_cells:
        lines[max_cells:] = [f"{what}: {len(lines) - max_cells} more cells"]
    return lines
