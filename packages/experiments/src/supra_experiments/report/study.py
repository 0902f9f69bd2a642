"""The records of a report, put beside the paper's figures."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from supra_experiments.analysis.claims import Claim, counting_claims, headline_claims
from supra_experiments.analysis.compare import compare
from supra_experiments.analysis.frame import KEYS, cells, is_learned, paper_cells, runs
from supra_experiments.config import LEARNED
from supra_experiments.errors import ExperimentError
from supra_experiments.report.encoding_times import with_times
from supra_experiments.report.inputs import Inputs


@dataclass(frozen=True, eq=False)
class Study:
    """What a report is made from.

    Attributes:
        inputs: the records and where they came from.
        settings: of each record, defaults filled in, by name.
        runs: one row a run.
        cells: one row for each (dataset, model, features, encoding) of the records.
        paper: the same for the paper's 336 cells.
        origin: the machine and commit of the runs, in words; may be empty.
        encoding_times: seconds of encodings measured apart from the runs, None where they were not.
        claims, counting: the paper's claims and those on counting, tested on the runs.
        compared: the cells that both have, side by side, as from :func:`supra_experiments.analysis.compare`.
    """

    inputs: Inputs
    settings: list[dict[str, Any]]
    runs: pd.DataFrame
    cells: pd.DataFrame
    paper: pd.DataFrame
    compared: pd.DataFrame
    claims: list[Claim]
    counting: list[Claim]
    origin: str = ""
    encoding_times: pd.DataFrame | None = None

    @classmethod
    def of(cls, inputs: Inputs, origin: str = "", encoding_times: pd.DataFrame | None = None) -> "Study":
        """The study of these records.

        Raises:
            ExperimentError: one cell with runs of different settings.
        """
        table = runs(inputs.records)
        settings = [record.config.to_dict() for record in inputs.records]
        _check_settings(table, settings)
        ours, paper = cells(table), paper_cells()
        return cls(
            inputs=inputs,
            settings=settings,
            runs=table,
            cells=ours,
            paper=paper,
            compared=compare(ours, paper),
            claims=headline_claims(table),
            counting=counting_claims(table),
            origin=" ".join(origin.split()),
            encoding_times=encoding_times,
        )

    @cached_property
    def priced(self) -> pd.DataFrame:
        """The runs with the cost of their encodings as measured apart, where it was."""
        return self.runs if self.encoding_times is None else with_times(self.runs, self.encoding_times)

    @property
    def pairs_of_times(self) -> pd.DataFrame:
        """What two encodings are compared on: times measured in turns if there are such, else the runs'."""
        return self.runs if self.encoding_times is None else self.encoding_times

    @property
    def learned(self) -> pd.DataFrame:
        """Cells of models."""
        return self.cells[is_learned(self.cells)]

    @property
    def unlearned(self) -> pd.DataFrame:
        """Cells of scores without learning."""
        return self.cells[~is_learned(self.cells)]

    @property
    def learned_settings(self) -> list[dict[str, Any]]:
        """The settings of runs that learned something."""
        return [each for each in self.settings if each["model"] in LEARNED]

    @cached_property
    def paper_claims(self) -> list[Claim]:
        """The paper's claims, tested on its own cells."""
        return headline_claims(self.paper)

    @property
    def missing(self) -> pd.DataFrame:
        """Cells of the paper without a run that has an AUC."""
        return self.paper[~self._in(self.paper, self.compared)]

    @property
    def others(self) -> pd.DataFrame:
        """Cells of models that the paper does not have."""
        return self.learned[~self._in(self.learned, self.paper)]

    @staticmethod
    def _in(cells: pd.DataFrame, others: pd.DataFrame) -> pd.Series:
        keys = set(others[KEYS].itertuples(index=False, name=None))
        return pd.Series([key in keys for key in cells[KEYS].itertuples(index=False, name=None)], cells.index)


def _check_settings(table: pd.DataFrame, settings: list[dict[str, Any]]) -> None:
    """Refuse two runs of one cell and seed, and say in what they differ: their mean would mean nothing."""
    first: dict[tuple[Any, ...], int] = {}
    for place, key in enumerate(table[[*KEYS, "seed"]].itertuples(index=False, name=None)):
        other = first.setdefault(key, place)
        if other != place:
            one, two = settings[other], settings[place]
            names = [name for name in {**one, **two} if one.get(name) != two.get(name)]
            differ = ", ".join(f"{name} {one.get(name)} and {two.get(name)}" for name in names)
            cell = " ".join(filter(None, key[1:4]))
            raise ExperimentError(
                f"{key[0]} {cell}, seed {key[4]}: two runs with different settings ({differ}); "
                "give records of one"
            )
