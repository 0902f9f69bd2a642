"""The tables of a report: ours with the paper's figure beside each, and the difference."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pandas as pd

from supra_experiments.analysis import tables as paper_tables
from supra_experiments.analysis.claim import Claim, claims_table
from supra_experiments.analysis.compare import MARGIN, agreement_table, matching
from supra_experiments.analysis.cost import cost_table, exact_cost_table
from supra_experiments.analysis.frame import FEATURES, KEYS
from supra_experiments.analysis.ranking import rank_encodings, ranking_table
from supra_experiments.analysis.summaries import ranked
from supra_experiments.analysis.table import Score, label
from supra_experiments.analysis.table import Table as Plain
from supra_experiments.report.learning import ladders, learning_table
from supra_experiments.report.pairing import paired
from supra_experiments.report.study import Study
from supra_experiments.report.table import Column, Row, Table, known

_DERIVED: tuple[Callable[[pd.DataFrame], Plain], ...] = (
    paper_tables.variant_table,
    paper_tables.variant_feature_table,
    paper_tables.feature_model_table,
    partial(paper_tables.gain_table, by=["model"]),
    partial(paper_tables.gain_table, by=["features", "model"]),
    paper_tables.difference_table,
    paper_tables.frequency_table,
    paper_tables.model_variant_feature_table,
)


@dataclass(frozen=True, slots=True)
class Tables:
    """All tables of a report; those that the records do not fill have no rows.

    Attributes:
        learning: learning against counting, under each kind of negatives.
        negatives: harder negatives.
        agreement: how much of the paper is reproduced.
        claims: the paper's claims, tested, and those on counting.
        ranking: encodings by their average rank.
        cost: seconds and what they gain.
        beside: cell by cell.
        auc: the paper's big tables.
        derived: its averages and differences.
    """

    learning: Table
    negatives: Table
    agreement: Table
    claims: tuple[Table, ...]
    ranking: Table
    cost: tuple[Table, ...]
    beside: Table
    auc: tuple[Table, ...]
    derived: tuple[Table, ...]

    @classmethod
    def of(cls, study: Study) -> "Tables":
        """The tables of a study."""
        return cls(
            learning=learning_table(ladders(study)),
            negatives=paired(paper_tables.negatives_table(study.cells)),
            agreement=paired(agreement_table(study.compared)),
            claims=(
                paired(claims_table(_tested(study.claims))),
                paired(
                    claims_table(_tested(study.counting), "counting", "Learning against counting, tested")
                ),
            ),
            ranking=_ranking(study),
            cost=_cost(study),
            beside=beside_table(study),
            auc=tuple(auc_tables(study)),
            derived=tuple(derived_tables(study)),
        )

    def all(self) -> list[Table]:
        """Those with rows, one after another."""
        first = (*self.claims, self.ranking, self.agreement, self.learning, self.negatives, *self.cost)
        return with_rows(*first, *self.auc, *self.derived, self.beside)


def with_rows(*tables: Table) -> list[Table]:
    """Tables that have something to show."""
    return [table for table in tables if table.rows]


def beside_table(study: Study) -> Table:
    """Every cell that we have, beside the paper's."""
    columns = ["paper_auc", "paper_std", "difference"]
    table = ranked(study.cells).merge(study.compared[[*KEYS, *columns]], on=KEYS, how="left")
    table = table[table["auc"].notna()]
    rows = [
        Row(
            (
                *(label(str(cell[name])) for name in KEYS),
                Score(cell["auc"], cell["auc_std"], _place(cell["rank"])),
                int(cell["num_runs"]),
                Score(cell["paper_auc"], cell["paper_std"]),
                float(cell["difference"]),
            ),
            {name: str(cell[name]) for name in KEYS},
        )
        for cell in table.to_dict("records")
    ]
    for cell in study.unlearned.to_dict("records"):
        figures = (Score(cell["auc"], cell["auc_std"]), int(cell["num_runs"]), None, None)
        names = (label(cell["dataset"]), cell["model"], "", "no learning")
        keys = {"dataset": cell["dataset"], "model": cell["model"]}
        rows.append(Row((*names, *figures), keys, learned=False))
    headers = (
        Column("dataset"),
        Column("model"),
        Column("features"),
        Column("encoding"),
        Column("ours", number=True, help="mean AUC in percent ± standard deviation over runs"),
        Column("runs", number=True, help="seeds"),
        Column("paper", number=True, help="mean ± standard deviation of five runs"),
        Column("difference", number=True, signed=True, help="ours minus the paper's"),
    )
    return Table(
        "beside-the-paper",
        "Test AUC in percent, cell by cell, beside the paper's",
        headers,
        tuple(rows),
        "The three best encodings of each dataset, model and features are marked. Rows without features "
        "learn nothing: scores from past snapshots alone.",
    )


def furthest_table(study: Study, number: int = 10) -> Table:
    """The cells furthest below and above the paper's, of those beyond the margin."""
    table = study.compared.sort_values("difference", kind="stable")
    below = table[table["difference"] < -MARGIN].head(number)
    above = table[table["difference"] > MARGIN].tail(number)
    rows = [
        Row(
            (
                *(label(str(cell[name])) for name in KEYS),
                Score(cell["auc"], cell["auc_std"]),
                Score(cell["paper_auc"], cell["paper_std"]),
                float(cell["difference"]),
            ),
            {name: str(cell[name]) for name in KEYS},
        )
        for cell in [*below.to_dict("records"), *above.to_dict("records")]
    ]
    names = [Column(name) for name in ("dataset", "model", "features", "encoding")]
    figures = [Column("ours", number=True), Column("paper", number=True)]
    return Table(
        "furthest",
        "Cells furthest from the paper's",
        (*names, *figures, Column("difference", number=True, signed=True)),
        tuple(rows),
        f"Up to {number} below and {number} above, of those more than {MARGIN:g} points away.",
    )


def auc_tables(study: Study) -> Iterator[Table]:
    """The paper's big tables, one for each kind of features."""
    learned = study.learned
    for features in dict.fromkeys((*FEATURES, *learned["features"])):
        if (learned["features"] == features).any():
            ours = paper_tables.auc_table(study.cells, features)
            yield paired(ours, paper_tables.auc_table(study.paper, features))


def derived_tables(study: Study) -> Iterator[Table]:
    """The paper's averages and differences over the cells we share, then over those that it does not have."""
    shared = matching(study.paper, study.cells)
    if len(shared):
        ours = pd.concat([matching(study.cells, study.paper), study.unlearned], ignore_index=True)
        for make in _DERIVED:
            table = make(ours)
            if table.rows:
                yield paired(table, make(shared), note="The paper's figures are over the same cells.")
    others = study.others
    if len(others):
        ours = pd.concat([others, study.unlearned], ignore_index=True)
        for make in _DERIVED:
            table = make(ours)
            if table.rows:
                yield paired(table, suffix=" (not in the paper)")


def _tested(claims: Sequence[Claim]) -> list[Claim]:
    return [claim for claim in claims if claim.n]


def _ranking(study: Study) -> Table:
    """Encodings by their rank; no rows where there are too few settings for Friedman's test."""
    ranking = rank_encodings(study.learned)
    table = paired(ranking_table(ranking))
    return table if known(ranking.p_value) else replace(table, rows=(), note="")


def _cost(study: Study) -> tuple[Table, Table]:
    apart = "" if study.encoding_times is None else "Encodings were timed apart from the runs, in turns."
    tables = cost_table(study.priced), exact_cost_table(study.pairs_of_times)
    return paired(tables[0], note=apart), paired(tables[1], note=apart)


def _place(rank: float) -> int:
    """The rank if it is one of the first three, else 0."""
    return int(rank) if rank <= 3 else 0
