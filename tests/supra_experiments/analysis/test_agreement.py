"""Cells that are missing, unknown or not the paper's: averages, marks and comparisons."""

import math

import pytest

from supra_experiments.analysis import agreement, compare, matching, paper_cells
from supra_experiments.analysis.averages import averages, balanced, ranked
from supra_experiments.analysis.frame import CELL_COLUMNS

from .paper_counts import gains

PAPER = paper_cells()


def test_an_average_leaves_out_settings_that_lack_a_variant():
    odd = (PAPER.dataset == "enron10") & (PAPER.model == "egcn-h") & (PAPER.features == "zeros")
    partial = PAPER[~(odd & (PAPER.pe == "none"))]  # without the 50 of EGCN
    table = averages(partial, ["pe"]).set_index("pe")
    expected = PAPER[~odd].groupby("pe").auc.mean()
    assert table.auc.to_dict() == pytest.approx(expected.to_dict())
    assert set(table.num_cells) == {47}
    assert table["rank"].to_dict() == expected.rank(ascending=False).to_dict()


def test_an_unknown_auc_is_a_missing_cell():
    unknown = PAPER.assign(auc=PAPER.auc.where(PAPER.index != 0))
    assert len(balanced(unknown)) == 329
    assert math.isnan(ranked(unknown)["rank"][0])
    assert gains(PAPER[PAPER.pe != "none"]).empty


def test_the_best_of_fewer_encodings_says_so():
    table = gains(PAPER[PAPER.pe.isin(["none", "slpe-e", "slpe-i"])])
    assert set(table.num_encodings) == {2}
    row = table.set_index(["dataset", "model", "features"]).loc[("dblp", "egcn-h", "zeros")]
    assert (row.best_pe, row.best, row.none) == ("slpe-e", 87.16, 50.0)
    assert row.gain == pytest.approx(37.16)


def test_figures_that_print_alike_share_a_rank():
    cells = PAPER[(PAPER.dataset == "dblp") & (PAPER.model == "egcn-h") & (PAPER.features == "zeros")].copy()
    cells["auc"] = [50.001, 49.999, 49.99, 40, 40, 40, 40]
    assert ranked(cells)["rank"].tolist() == [1, 1, 3, 4, 4, 4, 4]


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
    assert len(matching(PAPER, ours)) == 4
    assert matching(PAPER, ours).columns.tolist() == CELL_COLUMNS


def test_compare_nothing():
    nothing = compare(PAPER.iloc[:0], PAPER)
    assert len(nothing) == len(agreement(nothing)) == 0


def test_compare_refuses_a_bad_margin():
    with pytest.raises(ValueError, match="margin=-1: must be"):
        compare(PAPER, PAPER, margin=-1)
