"""Fed with the paper's cells, the summaries must give the paper's own tables and the figures of its text."""

import pytest

from supra_experiments.analysis import paper_cells
from supra_experiments.analysis.averages import (
    EXACT_INEXACT,
    SLPE_LPE,
    averages,
    describe,
    differences,
)

from .paper_counts import frequencies, gains

CELLS = paper_cells()
# Half of the last printed digit. A figure that lies on the half may be printed either way.
ROUNDED = 0.005 + 1e-9
# Some tables of the paper were cut off after two digits, or made from unrounded figures.
CUT = 0.0101


@pytest.mark.parametrize(
    ("pe", "auc"),
    [
        ("slpe-i", 86.96),
        ("slpe-e", 86.38),
        ("lpe-e", 86.21),
        ("lpe-i", 84.72),
        ("slpe-t", 83.98),
        ("lpe-t", 83.13),
        ("none", 78.13),
    ],
)
def test_average_by_variant(pe, auc):
    table = averages(CELLS, ["pe"]).set_index("pe")
    assert table.auc[pe] == pytest.approx(auc, abs=ROUNDED)
    assert table.num_cells[pe] == 48


# One-hot, random, zeros.
VARIANT_FEATURES = {
    "none": (87.63, 78.00, 68.75),
    "lpe-e": (88.75, 83.46, 86.43),
    "lpe-i": (88.21, 80.96, 85.0),
    "lpe-t": (86.45, 78.79, 84.16),
    "slpe-e": (88.74, 83.57, 86.83),
    "slpe-i": (88.52, 85.14, 87.23),
    "slpe-t": (87.37, 81.33, 83.24),
}


@pytest.mark.parametrize("pe", VARIANT_FEATURES)
def test_average_by_variant_and_features(pe):
    table = averages(CELLS, ["pe", "features"]).pivot(index="pe", columns="features", values="auc")
    assert table.loc[pe].tolist() == pytest.approx(VARIANT_FEATURES[pe], abs=ROUNDED)


# EGCN, GRUGCN, HTGN, SLATE and their mean.
FEATURES_MODEL = {
    "one-hot": (87.87, 86.75, 91.73, 85.66, 88.00),
    "random": (81.72, 80.89, 88.59, 77.63, 82.21),
    "zeros": (87.16, 84.74, 89.48, 80.55, 85.48),
}
DELTA = (6.15, 5.86, 3.14, 8.03, 5.79)


def test_average_by_features_and_model_with_encodings():
    table = averages(CELLS[CELLS.pe != "none"], ["features", "model"])
    table = table.pivot(index="features", columns="model", values="auc")
    table["mean"] = table.mean(axis=1)
    for features, expected in FEATURES_MODEL.items():
        assert table.loc[features].tolist() == pytest.approx(expected, abs=ROUNDED)
    # The paper subtracts rounded figures.
    assert (table.max() - table.min()).tolist() == pytest.approx(DELTA, abs=CUT)


MODEL_VARIANT_FEATURES = {
    ("egcn-h", "none"): (88.01, 81.43, 50.0),
    ("egcn-h", "lpe-e"): (88.12, 80.59, 85.36),
    ("egcn-h", "lpe-i"): (87.87, 73.74, 85.2),
    ("egcn-h", "lpe-t"): (85.64, 80.05, 86.1),
    ("egcn-h", "slpe-e"): (88.93, 83.27, 88.79),
    ("egcn-h", "slpe-i"): (88.88, 87.62, 89.55),
    ("egcn-h", "slpe-t"): (87.78, 85.08, 87.92),
    ("grugcn", "none"): (84.78, 79.68, 84.14),
    ("grugcn", "lpe-e"): (88.02, 83.68, 88.96),
    ("grugcn", "lpe-i"): (87.04, 80.4, 84.56),
    ("grugcn", "lpe-t"): (85.88, 79.14, 80.83),
    ("grugcn", "slpe-e"): (87.2, 80.64, 85.4),
    ("grugcn", "slpe-i"): (87.08, 81.17, 86.16),
    ("grugcn", "slpe-t"): (85.3, 80.31, 82.54),
    ("htgn", "none"): (92.44, 91.08, 85.37),
    ("htgn", "lpe-e"): (92.71, 89.39, 89.55),
    ("htgn", "lpe-i"): (92.53, 89.2, 88.99),
    ("htgn", "lpe-t"): (89.34, 87.52, 89.82),
    ("htgn", "slpe-e"): (92.73, 88.94, 89.28),
    ("htgn", "slpe-i"): (92.57, 89.52, 89.76),
    ("htgn", "slpe-t"): (90.52, 86.99, 89.44),
    ("slate", "none"): (85.29, 59.81, 55.49),
    ("slate", "lpe-e"): (86.14, 80.2, 81.83),
    ("slate", "lpe-i"): (85.41, 80.49, 81.23),
    ("slate", "lpe-t"): (84.94, 68.44, 79.87),
    ("slate", "slpe-e"): (86.1, 81.44, 83.86),
    ("slate", "slpe-i"): (85.53, 82.25, 83.43),
    ("slate", "slpe-t"): (85.86, 72.96, 73.05),
}
# The two best of each model and kind of features.
BEST_TWO = {
    ("egcn-h", "one-hot"): ("slpe-e", "slpe-i"),
    ("egcn-h", "random"): ("slpe-i", "slpe-t"),
    ("egcn-h", "zeros"): ("slpe-i", "slpe-e"),
    ("grugcn", "one-hot"): ("lpe-e", "slpe-e"),
    ("grugcn", "random"): ("lpe-e", "slpe-i"),
    ("grugcn", "zeros"): ("lpe-e", "slpe-i"),
    ("htgn", "one-hot"): ("slpe-e", "lpe-e"),
    ("htgn", "random"): ("none", "slpe-i"),
    ("htgn", "zeros"): ("lpe-t", "slpe-i"),
    ("slate", "one-hot"): ("lpe-e", "slpe-e"),
    ("slate", "random"): ("slpe-i", "slpe-e"),
    ("slate", "zeros"): ("slpe-e", "slpe-i"),
}


def test_average_by_model_variant_and_features():
    table = averages(CELLS, ["model", "pe", "features"])
    table = table.pivot(index=["model", "pe"], columns="features", values="auc")
    for key, expected in MODEL_VARIANT_FEATURES.items():
        assert table.loc[key].tolist() == pytest.approx(expected, abs=ROUNDED)
    for (model, features), best in BEST_TWO.items():
        assert tuple(table.loc[model][features].nlargest(2).index) == best


# Mean, median, first and third quartile.
GAINS = {
    "egcn-h": (15.95, 8.20, 1.50, 36.06),
    "grugcn": (4.23, 2.35, 0.87, 6.19),
    "htgn": (1.40, -0.29, -0.47, 0.75),
    "slate": (18.05, 16.63, 0.22, 34.23),
}
# Mean, standard deviation, median, first and third quartile.
GAINS_BY_FEATURES = {
    ("one-hot", "egcn-h"): (1.50, 1.37, 1.48, 1.03, 1.95),
    ("one-hot", "grugcn"): (3.34, 3.02, 2.21, 1.77, 3.79),
    ("one-hot", "htgn"): (0.34, 1.18, -0.08, -0.48, 0.75),
    ("one-hot", "slate"): (0.98, 1.85, 0.12, -0.02, 1.13),
    ("random", "egcn-h"): (6.70, 5.77, 8.20, 4.56, 10.35),
    ("random", "grugcn"): (4.39, 4.93, 3.95, 1.46, 6.88),
    ("random", "htgn"): (-1.29, 1.98, -0.35, -1.39, -0.25),
    ("random", "slate"): (23.66, 16.06, 29.83, 20.06, 33.42),
    ("zeros", "egcn-h"): (39.64, 4.13, 38.97, 36.79, 41.83),
    ("zeros", "grugcn"): (4.96, 7.58, 2.02, -0.03, 7.01),
    ("zeros", "htgn"): (5.13, 6.85, 3.65, -0.35, 9.13),
    ("zeros", "slate"): (29.49, 15.45, 36.32, 27.16, 38.65),
}


@pytest.mark.parametrize("model", GAINS)
def test_best_encoding_minus_none_by_model(model):
    row = describe(gains(CELLS), "gain", ["model"]).set_index("model").loc[model]
    assert row[["mean", "median", "q1", "q3"]].tolist() == pytest.approx(GAINS[model], abs=ROUNDED)
    assert row.num_cells == 12


@pytest.mark.parametrize("key", GAINS_BY_FEATURES, ids="-".join)
def test_best_encoding_minus_none_by_features_and_model(key):
    row = describe(gains(CELLS), "gain", ["features", "model"]).set_index(["features", "model"]).loc[key]
    expected = GAINS_BY_FEATURES[key]
    assert row[["median", "q1", "q3"]].tolist() == pytest.approx(expected[2:], abs=ROUNDED)
    assert row[["mean", "std"]].tolist() == pytest.approx(expected[:2], abs=CUT)


# Mean, median, first and third quartile of E − I and of SLPE − LPE.
DIFFERENCES = {
    "egcn-h": ((0.36, 0.17, -0.68, 0.57), (3.91, 2.27, 0.70, 4.86)),
    "grugcn": ((1.25, 0.15, -0.11, 1.43), (-0.30, -0.01, -1.16, 0.69)),
    "htgn": ((0.003, 0.02, -0.08, 0.43), (0.08, 0.04, -0.21, 0.23)),
    "slate": ((0.21, 0.08, -0.32, 0.36), (0.66, 0.46, -0.02, 3.77)),
}


@pytest.mark.parametrize("model", DIFFERENCES)
@pytest.mark.parametrize(("side", "pairs"), [(0, EXACT_INEXACT), (1, SLPE_LPE)], ids=["E - I", "SLPE - LPE"])
def test_differences_by_model(model, side, pairs):
    row = describe(differences(CELLS, pairs), "difference", ["model"]).set_index("model").loc[model]
    found = row[["mean", "median", "q1", "q3"]].tolist()
    assert found == pytest.approx(DIFFERENCES[model][side], abs=ROUNDED)


def test_differences_of_all_models():
    exact = describe(differences(CELLS, EXACT_INEXACT), "difference", ["model"])
    supra = describe(differences(CELLS, SLPE_LPE), "difference", ["model"])
    assert exact["mean"].mean() == pytest.approx(0.46, abs=ROUNDED)
    assert [supra["mean"].mean(), supra["median"].mean()] == pytest.approx([1.09, 0.69], abs=ROUNDED)


@pytest.mark.parametrize(
    ("question", "column", "share"),
    [
        ("encoding first", "share", 70.8),
        ("top three encodings", "share", 64.6),
        ("SLPE over LPE", "share", 64.6),
        ("E over I", "share_equal", 62.5),
    ],
)
def test_how_often(question, column, share):
    table = frequencies(CELLS).set_index("question")
    assert table.loc[question, column] == pytest.approx(share, abs=0.05)


@pytest.mark.parametrize(("features", "num_first"), [("one-hot", 11), ("zeros", 13)])
def test_encodings_first_by_features(features, num_first):
    table = frequencies(CELLS[CELLS.features == features]).set_index("question")
    assert table.loc["encoding first", ["num_better", "num_cases"]].tolist() == [num_first, 16]


def test_signs_that_the_text_reads_off_its_tables():
    """Medians of the gain are positive but for HTGN; with zero features even HTGN's is."""
    by_model = describe(gains(CELLS), "gain", ["model"]).set_index("model")["median"]
    assert by_model[by_model > 0].index.tolist() == ["egcn-h", "grugcn", "slate"]
    by_both = describe(gains(CELLS), "gain", ["features", "model"]).pivot(
        index="model", columns="features", values="median"
    )
    assert (by_both["zeros"] > 0).all()
    assert by_both.loc["egcn-h"].idxmax() == by_both.loc["slate"].idxmax() == "zeros"
    # The choice of variant matters least with one-hot and most with random features.
    encoded = averages(CELLS[CELLS.pe != "none"], ["pe", "features"]).groupby("features").auc
    spread = encoded.max() - encoded.min()
    assert spread.sort_values().index.tolist() == ["one-hot", "zeros", "random"]


def test_every_setting_has_every_variant():
    assert (CELLS.groupby(["dataset", "model", "features"]).size() == 7).all()
