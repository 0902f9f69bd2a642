"""Tables of typed columns: what they show of frames, and what is written of them in each format."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supra_experiments.analysis import compare, paper_cells
from supra_experiments.analysis.averages import averages, ranked
from supra_experiments.analysis.frame import CELL_COLUMNS, KEYS
from supra_experiments.report.columns import columns
from supra_experiments.report.derived import DERIVED, average_by_encoding, average_by_features_and_model
from supra_experiments.report.latex import latex_table
from supra_experiments.report.markdown import markdown_table
from supra_experiments.report.table import (
    AUC,
    COUNT,
    DIFFERENCE,
    KEY,
    P_VALUE,
    SECONDS,
    SHARE,
    WORD,
    Column,
    Table,
    beside_paper,
)
from supra_experiments.report.tables import agreement_table, negatives_table

from ..analysis.paper_marks import paper_marks

PAPER = paper_cells()


def tables_of(cells: pd.DataFrame) -> list[Table]:
    """Every table of the paper."""
    return [make(cells) for make in DERIVED]


def unlearned(**aucs: float) -> pd.DataFrame:
    """Rows of `count`, one a dataset."""
    rows = [
        {"dataset": name, "model": "count", "features": "", "pe": "none", "auc": auc, "num_runs": 1}
        for name, auc in aucs.items()
    ]
    return pd.DataFrame(rows, columns=CELL_COLUMNS)


def column(table: Table, name: str) -> list[str]:
    """The texts of a column."""
    place = [each.name for each in table.columns].index(name)
    return [row.cells[place].text for row in table.rows()]


# ── what tables say ────────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=8)
@given(st.sets(st.integers(0, 335), max_size=300))
def test_tables_stand_whatever_is_missing(missing):
    cells = PAPER.drop(index=list(missing)).reset_index(drop=True)
    for table in tables_of(cells):
        assert all(len(row.cells) == len(table.columns) for row in table.rows())
        assert markdown_table(table)
        assert latex_table(table)
    # What an average stands for is what it says: every variant over the same settings.
    assert averages(cells, ["pe"]).num_cells.nunique() <= 1


def test_notes_say_what_was_left_out():
    odd = (PAPER.dataset == "enron10") & (PAPER.model == "egcn-h") & (PAPER.features == "zeros")
    assert "47 of 48 settings" in average_by_encoding(PAPER[~(odd & (PAPER.pe == "none"))]).note
    assert "All 48 settings" in average_by_encoding(PAPER).note


def test_a_users_own_data_and_features():
    cells = PAPER[(PAPER.dataset == "dblp") & (PAPER.features == "zeros")]
    cells = cells.assign(dataset="../my edges.csv", features="../f/my_own.csv")
    tables = {table.name: table for table in tables_of(cells)}
    first = next(tables["average-by-features-and-model"].rows())
    assert first.cells[0].text == "../f/my_own.csv"
    assert first.keys == {"features": "../f/my_own.csv"}
    assert len(tables["average-by-encoding"])


def test_rows_without_learning_stand_in_the_tables():
    cells = pd.concat([PAPER, unlearned(dblp=80.0, enron10=90.0)], ignore_index=True)
    # An average over datasets of which one is unknown is unknown.
    assert "count" not in column(average_by_encoding(cells), "encoding")
    two = cells[cells.dataset.isin(["dblp", "enron10"])]
    of_encoding = average_by_encoding(two)
    assert [row.cells[0].text for row in of_encoding.rows() if not row.learned] == ["count"]
    assert (
        dict(zip(column(of_encoding, "encoding"), column(of_encoding, "AUC"), strict=True))["count"]
        == "85.00"
    )
    last = list(average_by_features_and_model(two).rows())[-1]
    assert [cell.text for cell in last.cells] == ["count", *["85.00"] * 5]
    # It changes nothing else.
    assert ranked(cells).equals(ranked(PAPER))
    assert averages(cells, ["pe"]).equals(averages(PAPER, ["pe"]))


def test_under_each_kind_of_negatives():
    known = PAPER[PAPER.dataset == "dblp"].assign(auc_active=lambda t: t.auc - 1, auc_historical=50.0)
    count = unlearned(dblp=80.0).assign(auc_active=70.0, auc_historical=40.0)
    table = negatives_table(pd.concat([known, count], ignore_index=True))
    rows = {row.cells[1].text: tuple(cell.number for cell in row.cells[2:]) for row in table.rows()}
    assert rows["count"] == (80.0, 70.0, 40.0, 1)
    none = known[known.pe == "none"].auc.mean()
    assert rows["learned, no encoding"] == pytest.approx((none, none - 1, 50.0, 12))
    assert rows["learned, best cell of each column"][0] == known.auc.max()
    assert len(negatives_table(PAPER)) == 0


def test_marks_are_those_of_the_paper():
    marks = paper_marks()
    frame = PAPER[PAPER.features == "one-hot"]  # where the paper breaks no rule
    shown = ranked(frame).merge(marks, on=KEYS)
    table = Table("t", "T", columns("auc", auc={"rank": "rank", "marks": 3}), shown)
    names = {"first": 1, "second": 2, "third": 3, "": 0}
    assert [row.cells[0].rank for row in table.rows()] == [names[mark] for mark in shown["mark"]]


def test_agreement_by_model_and_overall():
    ours = PAPER.iloc[:4].assign(auc=lambda table: table["auc"] + [0.0, -3.0, -3.01, 9.0])
    last = list(agreement_table({"": compare(ours, PAPER)}).rows())[-1]
    assert [cell.text for cell in last.cells[:5]] == ["all", "all", "3", "4", "75.0"]
    assert last.keys == {}
    assert len(agreement_table({"": compare(PAPER.iloc[:0], PAPER)})) == 0


def test_columns_that_no_row_has_are_left_out():
    frame = pd.DataFrame(
        {"pe": ["", ""], "score": ["count", ""], "auc": [80.0, 81.0], "paper": [math.nan] * 2}
    )
    shown = (Column("encoding", "pe", KEY, instead="score"), Column("AUC", "auc"), Column("paper", "paper"))
    assert [each.name for each in Table("t", "T", shown, frame).trimmed().columns] == ["encoding", "AUC"]


@pytest.mark.parametrize(
    ("more", "text", "parts"),
    [
        ({"spread": "a"}, "3.00 ± 1.00", ("1",)),
        ({"low": "a", "high": "b"}, "3.00 (1.00 to 2.50)", ("1", "2.5")),
        ({"whose": "c"}, "3.00 HTGN", ("HTGN",)),
        ({"low": "a", "high": "d"}, "3.00", ()),
    ],
)
def test_what_stands_beside_a_number(more, text, parts):
    frame = pd.DataFrame({"x": [3.0], "a": [1.0], "b": [2.5], "c": ["HTGN"], "d": [math.nan]})
    [row] = Table("t", "T", (Column("x", "x", AUC, **more),), frame).rows()
    assert (str(row.cells[0]), row.cells[0].more) == (text, parts)


# ── beside the paper ───────────────────────────────────────────────────────────────────────────────────────


def test_rows_are_matched_by_their_keys_in_whatever_order():
    ours = PAPER.assign(auc=PAPER.auc + 1.0)
    mixed = PAPER.sample(frac=1.0, random_state=0).reset_index(drop=True)
    for make in DERIVED[:3]:
        table = beside_paper(make(ours), make(mixed))
        for row in table.rows():
            for place, each in enumerate(table.columns):
                if each.name == "paper" and row.cells[0].text != "Δ":
                    assert row.cells[place - 1].number == pytest.approx(row.cells[place].number + 1.0)


def test_a_difference_where_one_figure_is_compared():
    table = beside_paper(average_by_encoding(PAPER.assign(auc=PAPER.auc + 0.5)), average_by_encoding(PAPER))
    assert [each.name for each in table.columns] == ["encoding", "AUC", "paper", "difference"]
    assert set(column(table, "difference")) == {"+0.50"}


def test_what_the_paper_does_not_have_is_a_dash():
    ours = pd.concat([PAPER, unlearned(dblp=80.0, enron10=80.0, canparl=80.0, as733=80.0)], ignore_index=True)
    table = beside_paper(average_by_encoding(ours), average_by_encoding(PAPER))
    row = next(row for row in table.rows() if row.cells[0].text == "count")
    assert [str(cell) for cell in row.cells] == ["count", "80.00", "–", "–"]


# ── formats ────────────────────────────────────────────────────────────────────────────────────────────────


def test_markdown_and_latex():
    frame = pd.DataFrame(
        {
            "a": ["x_1", "#", "~"],
            "x": [1.0, math.nan, -0.25],
            "std": [0.5, math.nan, math.nan],
            "place": [2, 9, 9],
        }
    )
    columns = (Column("a|b", "a", WORD), Column("x", "x", AUC, spread="std", rank="place", marks=3))
    table = Table("odd", "100 % of A_B & C", columns, frame, "Δ ≥ 0")
    assert markdown_table(table).splitlines() == [
        "| a\\|b | x |",
        "| :-- | --: |",
        "| x\\_1 | 1.00 ± 0.50 ② |",
        "| \\# | – |",
        "| \\~ | −0.25 |",
    ]
    latex = latex_table(table)
    assert r"\caption{100 \% of A\_B \& C. $\Delta$ $\ge$ 0}\label{tab:odd}" in latex
    assert r"x\_1 & \underline{1.00} $\pm$ 0.50 \\" in latex
    assert r"\# & -- \\" in latex
    assert r"\textasciitilde{} & $-$0.25 \\" in latex


def test_every_table_of_the_paper_renders():
    for table in tables_of(PAPER):
        assert len(markdown_table(table).splitlines()) == len(table) + 2
        latex = latex_table(table)
        assert latex.count("{") == latex.count("}")
        assert latex.isascii()
        body = [line for line in latex.split(r"\endfoot")[1].splitlines() if line.endswith(r"\\")]
        assert {line.count("&") for line in body} == {len(table.columns) - 1}


@pytest.mark.parametrize(
    ("kind", "value", "text", "number"),
    [
        (COUNT, 1234, "1,234", 1234.0),
        (COUNT, np.float64(3), "3", 3.0),
        (AUC, 3, "3.00", 3.0),
        (DIFFERENCE, -0.001, "0.00", -0.001),
        (SHARE, 66.66, "66.7", 66.66),
        (P_VALUE, 2.51e-7, "2.5e-07", 2.51e-7),
        (SECONDS, 0.1234, "0.123", 0.1234),
        (SECONDS, 250.04, "250.0", 250.04),
        (KEY, "slpe-t", "SLPE-T", None),
        (WORD, "slpe-t", "slpe-t", None),
        (AUC, math.nan, "–", None),
        (AUC, None, "–", None),
        (KEY, "", "–", None),
    ],
)
def test_kinds(kind, value, text, number):
    frame = pd.DataFrame({"x": pd.Series([value], dtype=object)})
    [row] = Table("t", "T", (Column("x", "x", kind),), frame).rows()
    assert (row.cells[0].text, row.cells[0].number) == (text, number)
