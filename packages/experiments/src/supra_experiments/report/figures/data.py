"""What figures are drawn from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from supra_core import TemporalGraph
from supra_experiments.analysis.frame import RUN_COLUMNS, cells, paper_cells


@dataclass(frozen=True, eq=False)
class FigureData:
    """What figures are drawn from. Whatever is missing, the figures that need it are left out.

    Attributes:
        runs: as of ``analysis.frame.runs``.
        paper: as of ``analysis.frame.paper_cells``.
        solver_times: lines of ``supra bench scaling``.
        graph: a window of a real temporal graph, some hundred nodes and a few snapshots.
        graph_name: its name.
    """

    runs: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=RUN_COLUMNS))
    paper: pd.DataFrame = field(default_factory=paper_cells)
    solver_times: Sequence[Mapping[str, Any]] = ()
    graph: TemporalGraph | None = None
    graph_name: str = ""

    @cached_property
    def cells(self) -> pd.DataFrame:
        """Means over seeds."""
        return cells(self.runs)
