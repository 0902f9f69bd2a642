"""The tables of a study: beside the paper, learning against counting, claims, ranks and cost."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pandas as pd

from supra_experiments.analysis.agreement import MARGIN, agreement, matching
from supra_experiments.analysis.averages import ranked
from supra_experiments.analysis.claims import Claim
from supra_experiments.analysis.cost import MARGIN as COST_MARGIN
from supra_experiments.analysis.cost import cost_by_encoding, exact_cost
from supra_experiments.analysis.counting import KINDS, best_of_each_kind, by_negatives
from supra_experiments.analysis.frame import FEATURES, KEYS, NEGATIVES, ordered
from supra_experiments.analysis.ranking import Ranking, rank_encodings
from supra_experiments.report.cell_tables import (
    DATASET,
    DERIVED,
    ENCODING,
    FEATURE,
    MODEL,
    auc_table,
)
from supra_experiments.report.study import Study
from supra_experiments.report.table import (
    AUC,
    COUNT,
    DIFFERENCE,
    KEY,
    LABEL,
    P_VALUE,
    RATIO,
    SECONDS,
    SHARE,
    TEXT,
    WORD,
    Column,
    Table,
    beside_paper,
)
from supra_experiments.words import known, label, points

_OURS = Column("ours", "auc", AUC, "mean AUC in percent ± standard deviation over runs", spread="auc_std")
_PAPER = Column("paper", "paper_auc", AUC, "mean ± standard deviation of five runs", spread="paper_std")
_DIFFERENCE = Column("difference", "difference", DIFFERENCE, "ours minus the paper's")


def agreement_table(compared: pd.DataFrame) -> Table:
    """The share of reproduced cells by dataset and model, and overall."""
    overall = agreement(compared).assign(dataset="", model="")
    return Table(
        "agreement",
        f"Cells within {MARGIN:g} AUC points of the paper or better",
        (
            Column("dataset", "dataset", KEY, empty="all"),
            Column("model", "model", KEY, empty="all"),
            Column("reproduced", "num_reproduced", COUNT),
            Column("of", "num_cells", COUNT),
            Column("share (%)", "share", SHARE),
            Column("close (%)", "share_close", SHARE),
            Column("mean difference", "mean_difference", DIFFERENCE),
            Column("median", "median_difference", DIFFERENCE),
        ),
        pd.concat([agreement(compared, ["dataset", "model"]), overall], ignore_index=True),
        f"Close: within {MARGIN:g} points either way. Difference: ours minus the paper's.",
    )


def beside_table(study: Study) -> Table:
    """Every cell that we have, beside the paper's."""
    theirs = study.compared[[*KEYS, "paper_auc", "paper_std", "difference"]]
    learned = ranked(study.cells).merge(theirs, on=KEYS, how="left")
    scores = study.unlearned.assign(pe="")
    return Table(
        "beside-the-paper",
        "Test AUC in percent, cell by cell, beside the paper's",
        (
            DATASET,
            MODEL,
            FEATURE,
            Column("encoding", "pe", KEY, empty="no learning"),
            Column("ours", "auc", AUC, _OURS.help, spread="auc_std", rank="rank", marks=3),
            Column("runs", "num_runs", COUNT, "seeds"),
            _PAPER,
            _DIFFERENCE,
        ),
        pd.concat([learned[learned["auc"].notna()], scores], ignore_index=True),
        "The three best encodings of each dataset, model and features are marked. Rows without features "
        "learn nothing: scores from past snapshots alone.",
    )


def furthest_table(study: Study, number: int = 10) -> Table:
    """The cells furthest below and above the paper's, of those beyond the margin."""
    table = study.compared.sort_values("difference", kind="stable")
    below = table[table["difference"] < -MARGIN].head(number)
    above = table[table["difference"] > MARGIN].tail(number)
    return Table(
        "furthest",
        "Cells furthest from the paper's",
        (DATASET, MODEL, FEATURE, ENCODING, _OURS, _PAPER, _DIFFERENCE),
        pd.concat([below, above], ignore_index=True),
        f"Up to {number} below and {number} above, of those more than {MARGIN:g} points away.",
    )


def auc_tables(study: Study) -> Iterator[Table]:
    """The paper's big tables, one for each kind of features."""
    for features in ordered(study.learned["features"], FEATURES):
        yield beside_paper(auc_table(study.cells, features), auc_table(study.paper, features))


def derived_tables(study: Study) -> Iterator[Table]:
    """The paper's averages and differences over the cells that both have."""
    ours = pd.concat([matching(study.cells, study.paper), study.unlearned], ignore_index=True)
    shared = matching(study.paper, study.cells)
    if len(shared):
        for make in DERIVED:
            table = beside_paper(make(ours), make(shared))
            yield replace(table, note=f"{table.note} The paper's figures are over the same cells.")


def other_tables(study: Study) -> Iterator[Table]:
    """The same over the cells that the paper does not have."""
    if len(study.others):
        ours = pd.concat([study.others, study.unlearned], ignore_index=True)
        for make in DERIVED:
            table = make(ours)
            title = f"{table.title} (not in the paper)"
            yield replace(table, name=f"{table.name}-others", title=title)


def learning_table(cells: pd.DataFrame) -> Table:
    """What learning adds over counting, and encodings over none: the best of each."""
    table = best_of_each_kind(cells)
    which = {
        f"{kind}_name": [
            " ".join(filter(None, (label(model), features, label(pe) if pe != "none" else "")))
            for model, features, pe in table[[f"{kind}_model", f"{kind}_features", f"{kind}_pe"]].to_numpy()
        ]
        for kind in KINDS
    }
    return Table(
        "learning-over-counting",
        "What learning adds over counting, and encodings over none",
        (
            DATASET,
            Column("negatives", "negatives", LABEL),
            Column("no learning", "counting", AUC, "AUC of the best score without learning"),
            Column("model", "plain", AUC, "AUC of the best model without encoding"),
            Column("model and encoding", "encoded", AUC, "AUC of the best model with an encoding"),
            Column("learning adds", "learning_adds", DIFFERENCE, "best model minus best without learning"),
            Column("encodings add", "encodings_add", DIFFERENCE, "best with an encoding minus best without"),
            Column("which score", "counting_name", WORD),
            Column("which model", "plain_name", WORD),
            Column("which model and encoding", "encoded_name", WORD),
        ),
        table.assign(**which),
        "The best cell of each kind by its mean AUC on the test itself: a kind with more candidates has "
        "more chances. Active: both ends of a non-link were seen in training. Historical: non-links were "
        "links before. New links: positives that are not in the last snapshot that scores may use.",
    )


def negatives_table(cells: pd.DataFrame) -> Table:
    """Scores without learning beside averages of learned models, under each kind of negatives."""
    return Table(
        "negatives",
        "AUC in percent under each kind of negatives: scores without learning beside learned models",
        (
            DATASET,
            Column("score", "group", LABEL, instead="score"),
            *(Column(kind, kind, AUC) for kind in NEGATIVES),
            Column("cells", "num_cells", COUNT),
        ),
        by_negatives(cells),
        "Learned: the mean over models and features in which all encodings of the dataset were run. The "
        "best cell is chosen by the test itself and so looks better than it is.",
    )


def claims_table(claims: Sequence[Claim], name: str = "claims", title: str = "Claims, tested") -> Table:
    """Claims with all figures behind their verdicts."""
    rows = [
        (
            *(
                claim.text.replace("`", ""),
                claim.verdict,
                claim.statistic,
                claim.value,
                claim.low,
                claim.high,
            ),
            *(claim.median, claim.n, claim.p_value, claim.p_adjusted, claim.num_pairs, claim.p_value_seeds),
            ", ".join(f"{label(dataset)} {points(mean)}" for dataset, mean in claim.by_dataset.items()),
            claim.test,
        )
        for claim in claims
    ]
    columns = (
        Column("claim", "text", TEXT),
        Column("verdict", "verdict", WORD),
        Column("statistic", "statistic", TEXT),
        Column("mean", "value", DIFFERENCE),
        Column("95 % from", "low", DIFFERENCE),
        Column("to", "high", DIFFERENCE),
        Column("median", "median", DIFFERENCE),
        Column("settings", "n", COUNT),
        Column("p", "p_value", P_VALUE),
        Column("p (Holm)", "p_adjusted", P_VALUE, "adjusted for the number of claims"),
        Column("pairs of seeds", "num_pairs", COUNT),
        Column("p (seeds)", "p_value_seeds", P_VALUE, "over all pairs of seeds"),
        Column("mean by dataset", "by_dataset", TEXT),
        Column("test", "test", TEXT),
    )
    note = (
        "AUC points. Each setting of dataset, model and features counts once; intervals are by the "
        "bootstrap over settings. Signed ranks ask for the typical difference, which a few large ones do not "
        "move; the mean shows those. Settings on one dataset are not independent of each other."
    )
    return Table(name, title, columns, pd.DataFrame(rows, columns=[each.field for each in columns]), note)


def ranking_table(cells: pd.DataFrame) -> Table:
    """Average ranks, and which variants each cannot be told apart from; no rows without Friedman's test."""
    ranking = rank_encodings(cells)
    rows = [
        (name, rank, ", ".join(map(label, _alike(ranking, name))) or "all others differ")
        for name, rank in zip(ranking.names, ranking.average_ranks, strict=True)
        if known(ranking.p_value)
    ]
    return Table(
        "ranking",
        "Encodings by their average rank",
        (
            ENCODING,
            Column("average rank", "rank", RATIO),
            Column("cannot be told apart from", "alike", TEXT),
        ),
        pd.DataFrame(rows, columns=["pe", "rank", "alike"]),
        f"{ranking.num_settings} settings of dataset, model and features. Friedman's test: "
        f"χ² = {ranking.chi2:.2f}, p = {ranking.p_value:.2g}. Ranks that differ by less than "
        f"{ranking.critical_difference:.2f} (Nemenyi, {100 * ranking.level:g} %) cannot be told apart.",
    )


def cost_tables(study: Study, first: str = "slpe-e", second: str = "slpe-i") -> Iterator[Table]:
    """What encodings gain and cost; whether one of two takes longer."""
    apart = "" if study.encoding_times is None else " Encodings were timed apart from the runs, in turns."
    yield Table(
        "cost",
        "AUC points gained over none beside the cost of encoding",
        (
            DATASET,
            ENCODING,
            Column("gain", "gain", DIFFERENCE),
            Column("encoding (s)", "encoding_seconds", SECONDS),
            Column("training (s)", "training_seconds", SECONDS),
            Column("gain per second", "gain_per_second", DIFFERENCE),
            Column("runs", "num_runs", COUNT),
        ),
        cost_by_encoding(study.priced),
        "Mean gain and median seconds over models, features and seeds that have none and every encoding "
        "of the dataset. Encodings are computed once a run, for all snapshots." + apart,
    )
    one, two = label(first), label(second)
    yield Table(
        "exact-cost",
        f"Does {one} take longer than {two}?",
        (
            Column("dataset", "dataset", KEY, empty="all"),
            Column(f"{one} (s)", "first_seconds", SECONDS),
            Column(f"{two} (s)", "second_seconds", SECONDS),
            Column("ratio", "ratio", RATIO),
            Column("95 % from", "low", RATIO),
            Column("to", "high", RATIO),
            Column("p (longer)", "p_longer", P_VALUE),
            Column("p (no longer)", "p_no_longer", P_VALUE),
            Column("pairs", "num_pairs", COUNT),
        ),
        exact_cost(study.pairs_of_times, first, second),
        "Seconds of encoding: medians, and the geometric mean of their ratio run by run. Signed-rank "
        f"tests that {one} takes longer, and that it takes no more than {100 * COST_MARGIN:g} % longer."
        + apart,
    )


def _alike(ranking: Ranking, name: str) -> list[str]:
    alike = {other for group in ranking.groups if name in group for other in group} - {name}
    return [other for other in ranking.names if other in alike]
