"""Settings that are found on some datasets and carried over to one where a search would take too long."""

from supra_experiments.config import Config
from supra_experiments.sweep.cell_search import CellSearch, Settings
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.record import Searched


class CarriedOver:
    """The settings of a cell that has no trials of its own.

    They are those that gained most over the default settings in the same cell of other datasets; of equal
    gains the first dataset's count, and where none gained anything the default settings are kept.

    Args:
        spec: the sweep.
        cell: of it.
        sources: the searches of the same cell on other datasets.

    Example:
        >>> spec = SweepSpec.from_toml('''
        ... mode = "search"
        ... datasets = ["enron10", "as733"]
        ... models = ["htgn"]
        ... num_trials = 2
        ... [search]
        ... lr = [0.1, 0.01]
        ... [carry]
        ... as733 = ["enron10"]
        ... ''')
        >>> source, cell = spec.cells
        >>> carried = CarriedOver(spec, cell, (CellSearch(spec, source, ""),))
        >>> carried.has_ended, carried.settings
        (False, {})
    """

    def __init__(self, spec: SweepSpec, cell: Cell, sources: tuple[CellSearch, ...]) -> None:
        self.spec, self.cell, self.sources = spec, cell, sources

    @property
    def has_ended(self) -> bool:
        """Whether all searches have that it waits for."""
        return all(source.has_ended for source in self.sources)

    @property
    def source(self) -> CellSearch:
        """The search whose best setting gained most."""
        return max(self.sources, key=lambda own: own.best_gain)

    @property
    def settings(self) -> Settings:
        """What is carried over: nothing that the cell's model or dataset fixes."""
        best, space = self.source.best, self.spec.search_space(self.cell)
        found = {} if best is None else best.settings
        return {name: value for name, value in found.items() if name in space}

    def runs(self) -> dict[int, Config]:
        """The runs with these settings, by seed."""
        settings = self.settings
        return {seed: self.spec.config(self.cell, seed, **settings) for seed in self.spec.seeds(self.cell)}

    @property
    def found(self) -> Searched | None:
        """What the records of its runs tell of the search; None where it found nothing."""
        source = self.source
        if source.best is None:
            return None
        return Searched(source.selection, 0, carried_from=source.cell.dataset)
