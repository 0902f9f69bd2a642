"""What a report is about: runs, put beside the paper's figures, and what was measured apart from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import pandas as pd

from supra_core import TemporalGraph
from supra_experiments.analysis.agreement import compare
from supra_experiments.analysis.averages import rank_encodings
from supra_experiments.analysis.claims import Claim, counting_claims, headline_claims
from supra_experiments.analysis.contrasts import Gain, gain_by_encoding, overall_gain
from supra_experiments.analysis.cost import cost_by_encoding, with_times
from supra_experiments.analysis.frame import KEYS, is_learned, paper_cells, runs
from supra_experiments.analysis.sides import Side, beside, largest, sides
from supra_experiments.analysis.statistics import Ranking
from supra_experiments.report.records import Inputs

SNAPSHOTS = 3


@dataclass(frozen=True, eq=False)
class Study:
    """What a report is made from; everything else follows, once it is asked for. What is missing is left out.

    Attributes:
        all_runs: one row a run; ``digest`` is its key in the records.
        inputs: the records and where they came from.
        origin: the machine and commit of the runs, in words; may be empty.
        encoding_times: seconds of encodings measured apart from the runs, None where they were not.
        solver_times: lines of ``supra bench scaling``.
        graph, graph_name: a real temporal graph of some hundred nodes and a few snapshots, to be drawn.
    """

    all_runs: pd.DataFrame
    inputs: Inputs = field(default_factory=Inputs)
    origin: str = ""
    encoding_times: pd.DataFrame | None = None
    solver_times: Sequence[Mapping[str, Any]] = ()
    graph: TemporalGraph | None = None
    graph_name: str = ""

    @classmethod
    def of(cls, inputs: Inputs, **more: Any) -> Self:
        """The study of some records; ``more`` are its other attributes."""
        table = runs(inputs.records.values())
        apart = [f", {inputs.apart[each]}" if each in inputs.apart else "" for each in table["digest"]]
        models = table["model"] + pd.Series(apart, index=table.index, dtype=object)
        return cls(table.assign(model=models), inputs, **more)

    @cached_property
    def sides(self) -> list[Side]:
        """Runs by how their settings were found; those at chosen settings of cells with others stand last."""
        return [*self._whole, *beside(self.all_runs)]

    @cached_property
    def _whole(self) -> list[Side]:
        return sides(self.all_runs)

    @cached_property
    def main(self) -> Side:
        """The side that the study is about: each cell and seed has one run."""
        return largest(self._whole)

    @property
    def runs(self) -> pd.DataFrame:
        """The runs that it is about."""
        return self.main.runs

    @property
    def cells(self) -> pd.DataFrame:
        """One row for each (dataset, model, features, encoding) of these."""
        return self.main.cells

    @cached_property
    def paper(self) -> pd.DataFrame:
        """The same for the paper's 336 cells."""
        return paper_cells()

    @cached_property
    def compared_sides(self) -> Mapping[str, pd.DataFrame]:
        """For each side that has cells of the paper, by its words: both, side by side."""
        found = {side.words: compare(side.cells, self.paper) for side in self.sides}
        return {words: table for words, table in found.items() if len(table)}

    @cached_property
    def compared(self) -> pd.DataFrame:
        """The same for the runs that the study is about; may be empty."""
        return compare(self.cells, self.paper)

    @cached_property
    def gain(self) -> Gain | None:
        """What encodings add over none."""
        return overall_gain(self.runs)

    @cached_property
    def gains(self) -> pd.DataFrame:
        """What each of them adds."""
        return gain_by_encoding(self.runs)

    @cached_property
    def ranking(self) -> Ranking:
        """Encodings by their average rank."""
        return rank_encodings(self.learned)

    @cached_property
    def claims(self) -> list[Claim]:
        """The paper's claims, tested on the runs, where any outcome could show them."""
        return [claim for claim in headline_claims(self.runs) if claim.verdict != "too few"]

    @cached_property
    def counting_claims(self) -> list[Claim]:
        """Claims on learning against counting, likewise."""
        return [claim for claim in counting_claims(self.runs) if claim.verdict != "too few"]

    @cached_property
    def paper_claims(self) -> list[Claim]:
        """The paper's claims, tested on its own cells."""
        return headline_claims(self.paper)

    @cached_property
    def priced(self) -> pd.DataFrame:
        """The runs with the cost of their encodings as measured apart, where it was."""
        return self.runs if self.encoding_times is None else with_times(self.runs, self.encoding_times)

    @cached_property
    def costs(self) -> pd.DataFrame:
        """What each encoding gains and costs on each dataset."""
        return cost_by_encoding(self.priced)

    @property
    def pairs_of_times(self) -> pd.DataFrame:
        """What two encodings are compared on: times measured in turns if there are such, else the runs'."""
        return self.runs if self.encoding_times is None else self.encoding_times

    @property
    def how_timed(self) -> str:
        """A sentence on times that were measured apart."""
        return "" if self.encoding_times is None else " Encodings were timed apart from the runs, in turns."

    @property
    def learned(self) -> pd.DataFrame:
        """Cells of models."""
        return self.cells[is_learned(self.cells)]

    @property
    def unlearned(self) -> pd.DataFrame:
        """Cells of scores without learning."""
        return self.cells[~is_learned(self.cells)]

    @property
    def is_reproduction(self) -> bool:
        """Whether most of the paper's cells were run, so that what is missing is worth a word."""
        return 2 * len(self.compared) >= len(self.paper)

    @property
    def missing(self) -> pd.DataFrame:
        """Cells of the paper without a run that has an AUC, however its settings were found."""
        known = pd.MultiIndex.from_frame(pd.concat([self.compared, *self.compared_sides.values()])[KEYS])
        return self.paper[~pd.MultiIndex.from_frame(self.paper[KEYS]).isin(known)]


def newest(graph: TemporalGraph) -> TemporalGraph:
    """The snapshots of a graph that are drawn: more would make matrices too small to read."""
    return graph.window(graph.num_snapshots - 1, min(SNAPSHOTS, graph.num_snapshots))
