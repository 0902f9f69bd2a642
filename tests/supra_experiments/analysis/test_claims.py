import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from supra_experiments.analysis import paper_cells
from supra_experiments.analysis.averages import EXACT_INEXACT, SLPE_LPE
from supra_experiments.analysis.claims import counting_claims, headline_claims
from supra_experiments.analysis.contrasts import against_unlearned, contrast, over_seeds
from supra_experiments.analysis.cost import cost_by_encoding, exact_cost
from supra_experiments.analysis.frame import FEATURES, MODELS, RUN_COLUMNS, VARIANTS
from supra_experiments.errors import ExperimentError
from supra_experiments.report.latex import latex_table
from supra_experiments.report.markdown import markdown_table
from supra_experiments.report.tables import claims_table

PAPER = paper_cells()
SECONDS = {"none": 0.0, "slpe-e": 1.0, "slpe-i": 2.0}
# What an encoding adds to an AUC of 70, before noise.
WORTH = {"none": 0, "slpe-e": 6, "lpe-e": 4, "slpe-i": 6, "lpe-i": 4, "slpe-t": 3, "lpe-t": 1}


def made_up(worth=WORTH, *, num_seeds=3, zeros=1.0, counting=60.0, noise=0.05, seed=0) -> pd.DataFrame:
    """Runs whose truth is known: what encodings are worth, times a factor with zero features."""
    rng = np.random.default_rng(seed)
    rows = []
    for dataset in ("dblp", "enron10"):
        for score in ("count", "neighbours"):
            rows.append((dataset, score, "", "none", 0, counting, 0.0))
        for model, features, pe, number in itertools.product(MODELS, FEATURES, VARIANTS, range(num_seeds)):
            auc = 70 + (zeros if features == "zeros" else 1) * worth[pe] + noise * rng.normal()
            seconds = SECONDS.get(pe, 0.5) * math.exp(0.1 * rng.normal())
            rows.append((dataset, model, features, pe, number, auc, seconds))
    names = ["dataset", "model", "features", "pe", "seed", "auc", "encoding_seconds"]
    table = pd.DataFrame(rows, columns=names).reindex(columns=RUN_COLUMNS).assign(training_seconds=5.0)
    return table.assign(auc_active=table.auc - 1, auc_historical=np.where(table.model == "count", 90.0, 60.0))


def verdicts(claims) -> dict[str, str]:
    return {claim.name: claim.verdict for claim in claims}


# ── differences ────────────────────────────────────────────────────────────────────────────────────────────


def test_differences_are_taken_seed_by_seed():
    rows = [
        ("dblp", "htgn", "zeros", pe, seed, auc)
        for pe, aucs in {"none": [70, 80, 90], "slpe-e": [71, 83, math.nan], "lpe-e": [70, 70]}.items()
        for seed, auc in enumerate(aucs)
    ]
    table = pd.DataFrame(rows, columns=["dataset", "model", "features", "pe", "seed", "auc"])
    found = contrast(table, [("slpe-e", "none")])
    assert found[["seed", "difference"]].values.tolist() == [[0, 1], [1, 3]]
    mean = over_seeds(found).iloc[0]
    assert (mean.difference, mean.num_seeds) == (2, 2)
    # Several pairs: their mean, over those that were run.
    both = contrast(table, [("slpe-e", "none"), ("lpe-e", "none")])
    assert both.difference.tolist() == [0.5, -3.5]
    assert contrast(table, [("slpe-t", "none")]).empty


def test_cells_count_as_one_seed():
    table = contrast(PAPER, SLPE_LPE)
    assert (len(table), set(table.seed)) == (48, {0})
    assert table.difference.mean() == pytest.approx(1.0863, abs=1e-4)


def test_learned_minus_unlearned():
    runs = made_up(noise=0.0)
    none = against_unlearned(runs, "count", ("none",))
    assert (len(none), set(none.difference)) == (72, {10.0})
    encoded = against_unlearned(runs, "neighbours", [pe for pe in VARIANTS if pe != "none"])
    assert encoded.difference.tolist() == pytest.approx([14.0] * 72)
    assert against_unlearned(runs, "edgebank").empty


def test_two_settings_of_one_seed_are_refused():
    twice = pd.concat([made_up(), made_up(seed=1)], ignore_index=True)
    with pytest.raises(ExperimentError, match="seed 0 of dblp/egcn-h/one-hot/none is there twice"):
        headline_claims(twice)


# ── claims ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_true_claims_hold():
    claims = headline_claims(made_up(zeros=2.0))
    found = verdicts(claims)
    assert found.pop("exact-over-inexact") != "holds"  # there is no difference
    assert set(found.values()) == {"holds"}, found
    by_name = {claim.name: claim for claim in claims}
    slpe = by_name["slpe-over-lpe"]
    assert (slpe.n, slpe.num_pairs, len(slpe.by_dataset)) == (24, 72, 2)
    assert slpe.value == pytest.approx(2 * 4 / 3, abs=0.05)
    assert slpe.by_dataset == pytest.approx({"dblp": slpe.value, "enron10": slpe.value}, abs=0.1)
    assert slpe.low < slpe.value < slpe.high
    assert slpe.p_value == pytest.approx(2.0**-24)
    assert slpe.p_value <= slpe.p_adjusted <= 8 * slpe.p_value
    assert slpe.p_value_seeds < slpe.p_value
    zeros = by_name["gain-zeros-over-random"]
    assert (zeros.n, zeros.num_pairs) == (8, 24)
    assert zeros.value == pytest.approx(24 / 6, abs=0.1)
    assert all("Wilcoxon" in claim.test for claim in claims)


def test_false_claims_are_contradicted():
    worse = {pe: -value for pe, value in WORTH.items()} | {"slpe-i": 0, "lpe-i": 0}
    found = verdicts(headline_claims(made_up(worse, zeros=2.0)))
    names = ("encodings-over-none", "gain-zeros-over-one-hot", "exact-over-inexact", "exact-like-inexact")
    assert {found[name] for name in names} == {"contradicted"}


def test_claims_without_a_difference_are_not_shown():
    found = verdicts(headline_claims(made_up(dict.fromkeys(VARIANTS, 0), noise=1.0, seed=1)))
    assert {"exact-like-inexact", "slpe-exact-like-inexact"} <= {k for k, v in found.items() if v == "holds"}
    others = {name: verdict for name, verdict in found.items() if "like" not in name}
    assert set(others.values()) == {"not shown"}


def test_too_few_settings_say_so():
    runs = made_up()
    one = runs[(runs.model == "htgn") & (runs.dataset == "dblp")]
    claims = headline_claims(one)
    assert set(verdicts(claims).values()) == {"too few"}
    assert headline_claims(runs.iloc[:0])[0].n == 0
    table = claims_table(headline_claims(runs.iloc[:0]), "claims", "Claims")
    assert "–" in markdown_table(table)
    assert latex_table(table).isascii()


def test_the_claims_of_the_paper_on_its_own_cells():
    claims = {claim.name: claim for claim in headline_claims(PAPER)}
    assert {name: claim.verdict for name, claim in claims.items()} == {
        "encodings-over-none": "holds",
        "gain-zeros-over-one-hot": "holds",
        "gain-zeros-over-random": "holds",
        "slpe-over-lpe": "not shown",  # 0.039 alone, 0.078 among eight
        "exact-over-inexact": "not shown",
        "exact-like-inexact": "holds",
        "slpe-exact-like-inexact": "holds",
        "trajectory-worse": "holds",
    }
    for name, pairs, alternative in (
        ("slpe-over-lpe", SLPE_LPE, "greater"),
        ("exact-over-inexact", EXACT_INEXACT, "greater"),
    ):
        differences = contrast(PAPER, pairs).difference
        expected = stats.wilcoxon(differences, alternative=alternative, method="approx", zero_method="zsplit")
        assert claims[name].p_value == pytest.approx(expected.pvalue, rel=0.05)
        assert claims[name].n == 48
    # The mean of SLPE-E − SLPE-I is not shown to be within a point, only the typical difference is.
    assert claims["slpe-exact-like-inexact"].low < -1


def test_what_learning_adds_over_counting():
    found = verdicts(counting_claims(made_up()))
    assert found["learning-over-count-uniform"] == found["encodings-over-count-uniform"] == "holds"
    assert found["encodings-over-none-active"] == "holds"
    assert found["learning-over-count-historical"] == "contradicted"  # 60 against 90
    assert found["encodings-over-neighbours-historical"] == "too few"  # no difference at all
    assert len(found) == 15
    better = verdicts(counting_claims(made_up(counting=99.0)))
    assert better["encodings-over-neighbours-uniform"] == "contradicted"
    # The paper has neither such scores nor such negatives.
    assert list(verdicts(counting_claims(PAPER))) == ["encodings-over-none-uniform"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: headline_claims(PAPER, margin=0), "margin=0: must be"),
        (lambda: headline_claims(PAPER, level=5), "level=5: must be"),
        (lambda: exact_cost(PAPER, margin=-1), "margin=-1: must be"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ── cost ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_cost_beside_accuracy():
    runs = made_up(noise=0.0)
    table = cost_by_encoding(runs).set_index(["dataset", "pe"])
    assert len(table) == 12
    row = table.loc[("dblp", "slpe-e")]
    assert (row.gain, row.num_runs, row.training_seconds) == (pytest.approx(6.0), 36, 5.0)
    part = runs[(runs.dataset == "dblp") & (runs.pe == "slpe-e")]
    assert row.encoding_seconds == pytest.approx(part.encoding_seconds.median())
    assert row.gain_per_second == pytest.approx(6.0 / part.encoding_seconds.median())
    # An encoding that was left out somewhere is compared where all were run.
    partial = runs[~((runs.pe == "lpe-t") & (runs.seed == 0))]
    assert set(cost_by_encoding(partial).num_runs) == {24}
    assert cost_by_encoding(PAPER).empty
    # Where no run has every encoding, each is compared where it was run.
    ragged = runs[runs.pe.isin(["none", "slpe-e"]) | (runs.pe.eq("lpe-e") & runs.features.eq("zeros"))]
    ragged = ragged[~(ragged.pe.eq("slpe-e") & ragged.features.eq("zeros"))]
    by_pe = cost_by_encoding(ragged).set_index(["dataset", "pe"])
    assert by_pe.loc["dblp"][["gain", "num_runs"]].values.tolist() == [[6.0, 24], [4.0, 12]]


def test_does_exact_cost_more():
    table = exact_cost(made_up()).set_index("dataset")
    assert table.index.tolist() == ["dblp", "enron10", ""]
    row = table.loc[""]
    assert row.low < row.ratio < row.high
    assert row.ratio == pytest.approx(0.5, abs=0.05)
    assert row.num_pairs == 72
    assert row.p_longer > 0.99
    assert row.p_no_longer < 1e-6
    other = exact_cost(made_up(), "slpe-i", "slpe-e").set_index("dataset").loc[""]
    assert other.p_longer < 1e-6
    assert other.ratio == pytest.approx(1 / row.ratio)
    assert exact_cost(PAPER).empty
