"""The records of a report, put beside the paper's figures."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from supra_experiments.analysis.agreement import compare
from supra_experiments.analysis.averages import rank_encodings
from supra_experiments.analysis.claims import Claim, counting_claims, headline_claims
from supra_experiments.analysis.contrasts import Gain, gain_by_encoding, overall_gain
from supra_experiments.analysis.cost import with_times
from supra_experiments.analysis.frame import KEYS, is_learned, paper_cells, runs
from supra_experiments.analysis.sides import Side, beside, main_side, sides
from supra_experiments.analysis.statistics import Ranking
from supra_experiments.report.records import Inputs


@dataclass(frozen=True, eq=False)
class Study:
    """What a report is made from; everything else follows, once it is asked for.

    Attributes:
        inputs: the records and where they came from.
        origin: the machine and commit of the runs, in words; may be empty.
        encoding_times: seconds of encodings measured apart from the runs, None where they were not.
    """

    inputs: Inputs
    origin: str = ""
    encoding_times: pd.DataFrame | None = None

    @cached_property
    def all_runs(self) -> pd.DataFrame:
        """One row a run; ``digest`` is its key in the records."""
        table = runs(self.inputs.records.values())
        apart = [
            f", {self.inputs.apart[each]}" if each in self.inputs.apart else "" for each in table["digest"]
        ]
        return table.assign(model=table["model"] + pd.Series(apart, index=table.index, dtype=object))

    @cached_property
    def sides(self) -> list[Side]:
        """Runs by how their settings were found."""
        return [*sides(self.all_runs), *beside(self.all_runs)]

    @cached_property
    def main(self) -> Side:
        """The side that the study is about: each cell and seed has one run."""
        return main_side(self.all_runs)

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
