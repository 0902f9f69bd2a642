import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supra_experiments.analysis import paper_cells
from supra_experiments.analysis.compare import (
    agreement,
    agreement_table,
    compare,
    comparison_table,
    matching,
)
from supra_experiments.analysis.frame import CELL_COLUMNS, KEYS, paper_marks
from supra_experiments.analysis.summaries import averages, balanced, gains, ranked
from supra_experiments.analysis.table import Score, Table, label
from supra_experiments.analysis.tables import (
    all_tables,
    auc_table,
    feature_model_table,
    negatives_table,
    variant_table,
)
from supra_experiments.report.latex import latex_table
from supra_experiments.report.markdown import markdown_table
from supra_experiments.report.pairing import paired
from supra_experiments.report.table import Column, text_of

PAPER = paper_cells()


def unlearned(**aucs: float) -> pd.DataFrame:
    """Rows of `count`, one a dataset."""
    rows = [
        {"dataset": name, "model": "count", "features": "", "pe": "none", "auc": auc, "num_runs": 1}
        for name, auc in aucs.items()
    ]
    return pd.DataFrame(rows, columns=CELL_COLUMNS)


def column(table: Table, name: str) -> list:
    return [row[table.columns.index(name)] for row in table.rows]


# ── missing cells ───────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=8)
@given(st.sets(st.integers(0, 335), max_size=300))
def test_tables_stand_whatever_is_missing(missing):
    cells = PAPER.drop(index=list(missing)).reset_index(drop=True)
    tables = all_tables(cells)
    for table in tables:
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert markdown_table(paired(table))
        assert latex_table(paired(table))
    # What an average stands for is what it says: every variant over the same settings.
    counts = averages(cells, ["pe"]).num_cells
    assert counts.nunique() <= 1


def test_an_average_leaves_out_settings_that_lack_a_variant():
    odd = (PAPER.dataset == "enron10") & (PAPER.model == "egcn") & (PAPER.features == "zeros")
    partial = PAPER[~(odd & (PAPER.pe == "none"))]  # without the 50 of EGCN
    table = averages(partial, ["pe"]).set_index("pe")
    expected = PAPER[~odd].groupby("pe").auc.mean()
    assert table.auc.to_dict() == pytest.approx(expected.to_dict())
    assert set(table.num_cells) == {47}
    assert "47 of 48 settings" in variant_table(partial).note
    assert "All 48 settings" in variant_table(PAPER).note


def test_an_unknown_auc_is_a_missing_cell():
    unknown = PAPER.assign(auc=PAPER.auc.where(PAPER.index != 0))
    assert len(balanced(unknown)) == 329
    assert math.isnan(ranked(unknown)["rank"][0])
    assert gains(PAPER[PAPER.pe != "none"]).empty
    assert "111 of 112 cells" in auc_table(unknown, "one-hot").note


def test_a_users_own_data_and_features():
    cells = PAPER[(PAPER.dataset == "dblp") & (PAPER.features == "zeros")]
    cells = cells.assign(dataset="../my edges.csv", features="../f/my_own.csv")
    tables = {table.name: table for table in all_tables(cells)}
    assert tables["auc-f-my_own.csv"].rows[0][:2] == ("../my edges.csv", "none")
    assert "average-by-encoding" in tables
    assert len(gains(cells)) == 4


def test_the_best_of_fewer_encodings_says_so():
    table = gains(PAPER[PAPER.pe.isin(["none", "slpe-e", "slpe-i"])])
    assert set(table.num_encodings) == {2}
    row = table.set_index(["dataset", "model", "features"]).loc[("dblp", "egcn", "zeros")]
    assert (row.best_pe, row.best, row.none) == ("slpe-e", 87.16, 50.0)
    assert row.gain == pytest.approx(37.16)


# ── rows without learning ──────────────────────────────────────────────────────────────────────────────────


def test_rows_without_learning_stand_in_the_tables():
    cells = pd.concat([PAPER, unlearned(dblp=80.0, enron10=90.0)], ignore_index=True)
    table = auc_table(cells, "zeros")
    found = {row[0]: row[-1] for row in table.rows if row[1] == "count"}
    assert found == {"dblp": 80.0, "enron10": 90.0}
    # An average over datasets of which one is unknown is unknown.
    assert "count" not in column(variant_table(cells), "encoding")
    two = cells[cells.dataset.isin(["dblp", "enron10"])]
    averages_of = dict(
        zip(column(variant_table(two), "encoding"), column(variant_table(two), "AUC"), strict=True)
    )
    assert averages_of["count"].mean == pytest.approx(85.0)
    by_model = feature_model_table(two)
    assert by_model.rows[-1] == ("count", *[pytest.approx(85.0)] * 5)
    # It changes nothing else.
    assert ranked(cells).equals(ranked(PAPER))
    assert averages(cells, ["pe"]).equals(averages(PAPER, ["pe"]))


def test_under_each_kind_of_negatives():
    known = PAPER[PAPER.dataset == "dblp"].assign(auc_active=lambda t: t.auc - 1, auc_historical=50.0)
    count = unlearned(dblp=80.0).assign(auc_active=70.0, auc_historical=40.0)
    table = negatives_table(pd.concat([known, count], ignore_index=True))
    rows = {row[1]: row[2:] for row in table.rows}
    assert rows["count"] == (80.0, 70.0, 40.0, 1)
    none = known[known.pe == "none"].auc.mean()
    assert rows["learned, no encoding"] == pytest.approx((none, none - 1, 50.0, 12))
    assert rows["learned, best cell of each column"][0] == known.auc.max()
    assert negatives_table(PAPER).rows == ()


# ── marks and rendering ────────────────────────────────────────────────────────────────────────────────────


def test_marks_are_those_of_the_paper():
    marks = paper_marks().set_index(KEYS)["mark"]
    names = {"first": 1, "second": 2, "third": 3, "": 0}
    table = auc_table(PAPER, "one-hot")  # where the paper breaks no rule
    for row in table.rows:
        for model, score in zip(table.columns[2:-1], row[2:-1], strict=True):
            key = (row[0].lower(), model.lower(), "one-hot", row[1].lower())
            assert score.rank == names[marks[key]]


def test_figures_that_print_alike_share_a_mark():
    cells = PAPER[(PAPER.dataset == "dblp") & (PAPER.model == "egcn") & (PAPER.features == "zeros")].copy()
    cells["auc"] = [50.001, 49.999, 49.99, 40, 40, 40, 40]
    assert ranked(cells)["rank"].tolist() == [1, 1, 3, 4, 4, 4, 4]


def test_markdown_and_latex():
    table = Table(
        "odd",
        "100 % of A_B & C",
        ("a|b", "x"),
        (("x_1", Score(1.0, 0.5, 2)), ("#", Score(math.nan)), ("~", -0.25)),
        "Δ ≥ 0",
    )
    shown = paired(table)
    assert markdown_table(shown).splitlines() == [
        "| a\\|b | x |",
        "| :-- | --: |",
        "| x\\_1 | 1.00 ± 0.50 ② |",
        "| \\# | – |",
        "| \\~ | −0.25 |",
    ]
    latex = latex_table(shown)
    assert r"\caption{100 \% of A\_B \& C. $\Delta$ $\ge$ 0}\label{tab:odd}" in latex
    assert r"x\_1 & \underline{1.00} $\pm$ 0.50 \\" in latex
    assert r"\# & -- \\" in latex
    assert r"\textasciitilde{} & $-$0.25 \\" in latex


def test_every_table_of_the_paper_renders():
    for table in all_tables(PAPER):
        assert len(markdown_table(paired(table)).splitlines()) == len(table.rows) + 2
        latex = latex_table(paired(table))
        assert latex.count("{") == latex.count("}")
        assert latex.isascii()
        body = [line for line in latex.split(r"\endfoot")[1].splitlines() if line.endswith(r"\\")]
        assert {line.count("&") for line in body} == {len(table.columns) - 1}


def test_whole_numbers_stay_whole():
    assert [text_of(value, Column("x")) for value in (3, 3.0, np.float64(3), None)] == [
        "3",
        "3.00",
        "3.00",
        "–",
    ]
    assert label("slpe-t") == "SLPE-T"


# ── beside the paper ───────────────────────────────────────────────────────────────────────────────────────


def test_compare():
    ours = PAPER.iloc[:4].copy()
    ours["auc"] = ours["auc"] + [0.0, -3.0, -3.01, 9.0]
    ours.loc[len(ours)] = {**ours.iloc[0].to_dict(), "dataset": "mine.csv"}
    ours.loc[len(ours)] = {**PAPER.iloc[5].to_dict(), "auc": math.nan}
    table = compare(ours, PAPER)
    assert table.difference.tolist() == [0.0, -3.0, -3.01, 9.0]
    assert table.close.tolist() == [True, True, False, False]
    assert table.reproduced.tolist() == [True, True, False, True]
    row = agreement(table).iloc[0]
    assert (row.num_cells, row.num_reproduced, row.share, row.share_close) == (4, 3, 75.0, 50.0)
    assert row.mean_difference == pytest.approx(2.99 / 4)
    assert agreement(table, ["model"]).share.tolist() == [100.0, 100.0, 0.0, 100.0]
    assert agreement_table(table).rows[-1][:5] == ("all", "all", 3, 4, 75.0)
    assert column(comparison_table(table), "reproduced") == ["yes", "yes", "no", "yes"]
    assert len(matching(PAPER, ours)) == 4
    assert matching(PAPER, ours).columns.tolist() == CELL_COLUMNS


def test_compare_nothing():
    nothing = compare(PAPER.iloc[:0], PAPER)
    assert len(nothing) == len(agreement(nothing)) == len(agreement_table(nothing).rows) == 0


def test_compare_refuses_a_bad_margin():
    with pytest.raises(ValueError, match="margin=-1: must be"):
        compare(PAPER, PAPER, margin=-1)
