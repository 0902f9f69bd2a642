"""Runs by how their settings were found: the defaults, others that a person chose, or those of a search."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from supra_experiments.analysis.frame import CHOSEN, DEFAULT, KEYS, SEARCHED, cells, is_learned


@dataclass(frozen=True, eq=False)
class Side:
    """Runs of which each cell and seed has one.

    Attributes:
        name: how their settings were found: ``default``, ``chosen``, ``fixed`` (some of both), ``searched``.
        runs: as from :func:`~supra_experiments.analysis.frame.runs`.
    """

    name: str
    runs: pd.DataFrame

    @property
    def words(self) -> str:
        """The same in a sentence."""
        return "after search" if self.name == SEARCHED else f"at {self.name} settings"

    @cached_property
    def cells(self) -> pd.DataFrame:
        """Means over seeds."""
        return cells(self.runs)

    @property
    def num_cells(self) -> int:
        """Cells of models."""
        return len(self.runs.loc[is_learned(self.runs), KEYS].drop_duplicates())


def sides(runs: pd.DataFrame) -> list[Side]:
    """The runs without a search and those after one; scores without learning belong to both.

    Without a search, a cell that was run at default settings counts with these runs alone; for others see
    :func:`beside`. Where models were run in one of the two ways only, it is the only one.

    Example:
        >>> found = [("none", "default"), ("none", "chosen"), ("none", "searched"), ("lpe-e", "chosen")]
        >>> frame = pd.DataFrame(found, columns=["pe", "settings"])
        >>> frame = frame.assign(dataset="demo", model="htgn", features="zeros")
        >>> [(side.words, list(side.runs.index)) for side in sides(frame)]
        [('at fixed settings', [0, 3]), ('after search', [2])]
    """
    learned, searched = is_learned(runs), runs["settings"] == SEARCHED
    first = runs[~searched & ~_is_beside(runs)]
    ways = set(first.loc[is_learned(first), "settings"])
    name = ways.pop() if len(ways) == 1 else "fixed"
    found = [Side(name, first), Side(SEARCHED, runs[searched | ~learned])]
    return [side for side in found if side.num_cells] or found[:1]


def main_side(runs: pd.DataFrame) -> Side:
    """The side that has the most cells; of two, the one without search."""
    return largest(sides(runs))


def largest(sides: Iterable[Side]) -> Side:
    """The side that has the most cells; of several, the first."""
    return max(sides, key=lambda side: side.num_cells)


def beside(runs: pd.DataFrame) -> Iterator[Side]:
    """Runs at chosen settings in cells that were run at default settings as well, if there are any."""
    if (left := _is_beside(runs)).any():
        yield Side(CHOSEN, runs[left])


def _is_beside(runs: pd.DataFrame) -> pd.Series:
    at_default = pd.MultiIndex.from_frame(runs.loc[runs["settings"] == DEFAULT, KEYS])
    return (runs["settings"] == CHOSEN) & pd.MultiIndex.from_frame(runs[KEYS]).isin(at_default)
