"""Oracles: enumeration of all signs, SciPy, cases by hand, and the worked example of Demšar (JMLR 2006)."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from supra_experiments.analysis import paper_cells
from supra_experiments.analysis.averages import rank_encodings
from supra_experiments.analysis.statistics import (
    ALTERNATIVES,
    EXACT_LIMIT,
    critical_difference,
    equivalence,
    holm,
    mean_interval,
    rank_variants,
    signed_rank,
    t_interval,
)

# Demšar, Statistical Comparisons of Classifiers over Multiple Data Sets, table 6: AUC of C4.5 with variants.
# In the row 0.972 he ranks the two 0.975 second and third, from more digits than he prints: hence the 0.9751.
DEMSAR = pd.DataFrame(
    [
        (0.763, 0.768, 0.771, 0.798),
        (0.599, 0.591, 0.590, 0.569),
        (0.954, 0.971, 0.968, 0.967),
        (0.628, 0.661, 0.654, 0.657),
        (0.882, 0.888, 0.886, 0.898),
        (0.936, 0.931, 0.916, 0.931),
        (0.661, 0.668, 0.609, 0.685),
        (0.583, 0.583, 0.563, 0.625),
        (0.775, 0.838, 0.866, 0.875),
        (1.000, 1.000, 1.000, 1.000),
        (0.940, 0.962, 0.965, 0.962),
        (0.619, 0.666, 0.614, 0.669),
        (0.972, 0.981, 0.9751, 0.975),
        (0.957, 0.978, 0.946, 0.970),
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)


def by_enumeration(differences, alternative):
    """All 2ⁿ choices of signs of the absolute values, ranked as they are."""
    values = np.asarray(differences, dtype=float)
    ranks = stats.rankdata(np.abs(values))

    def positive(signed):
        return ranks[signed > 0].sum() + ranks[signed == 0].sum() / 2

    observed = positive(values)
    sums = np.array([positive(values * signs) for signs in itertools.product([1, -1], repeat=len(values))])
    greater, less = np.mean(sums >= observed - 1e-9), np.mean(sums <= observed + 1e-9)
    return {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}[alternative]


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8).filter(any), st.sampled_from(ALTERNATIVES))
def test_signed_ranks_are_those_of_all_choices_of_signs(differences, alternative):
    result = signed_rank(differences, alternative)
    assert result.p_value == pytest.approx(by_enumeration(differences, alternative))
    assert result.n == len(differences)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [5, 12, 50])
def test_signed_ranks_without_ties_are_scipys(n, alternative):
    differences = np.random.default_rng(n).normal(0.3, 1.0, size=n)
    expected = stats.wilcoxon(differences, alternative=alternative, method="exact")
    result = signed_rank(differences, alternative)
    assert result.p_value == pytest.approx(expected.pvalue)
    assert f"exact, {alternative}" in result.test


def test_many_differences_are_approximated_as_scipy_does():
    differences = np.random.default_rng(0).normal(0.1, 1.0, size=EXACT_LIMIT + 1).round(1)
    result = signed_rank(differences)
    expected = stats.wilcoxon(differences, zero_method="zsplit", method="approx").pvalue
    assert result.p_value == pytest.approx(expected)
    assert "normal approximation" in result.test
    # At the limit both ways agree.
    exact = signed_rank(differences[:EXACT_LIMIT]).p_value
    near = stats.wilcoxon(differences[:EXACT_LIMIT], zero_method="zsplit", method="approx").pvalue
    assert exact == pytest.approx(near, rel=0.02)


def test_signed_ranks_of_demsar():
    """C4.5+m against C4.5: R+ = 93, R− = 12 with two zeros, beyond the critical 21 at 5 %."""
    differences = (DEMSAR["C4.5+m"] - DEMSAR["C4.5"]).round(3)
    result = signed_rank(differences)
    assert (result.statistic, result.n) == (93.0, 14)
    assert result.effect == pytest.approx((93 - 12) / 105)
    assert result.p_value < 0.05


def test_no_difference_at_all():
    result = signed_rank([0.0, 0.0])
    assert math.isnan(result.p_value)
    assert math.isnan(signed_rank([]).p_value)
    assert math.isnan(equivalence([1.0, 1.0], margin=1.0).p_value)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8))
def test_equivalence_is_the_weaker_of_two_tests(differences):
    shifted = np.array(differences) * 0.5
    margin = 2.25  # no difference lies on it
    expected = max(by_enumeration(shifted + margin, "greater"), by_enumeration(shifted - margin, "less"))
    assert equivalence(shifted, margin).p_value == pytest.approx(expected)


def test_equivalence_needs_enough_and_small_differences():
    small = [0.1, -0.2, 0.05, 0.15, -0.1, 0.2]
    assert equivalence(small, 1.0).p_value == 1 / 64
    assert equivalence(small[:3], 1.0).p_value == 1 / 8
    assert equivalence([value + 2 for value in small], 1.0).p_value == 1.0


def test_holm_by_hand():
    """0.01 · 4, 0.02 · 3, 0.03 · 2, 0.04 · 1, none below one before it; NaN is no test."""
    assert holm([0.04, 0.01, math.nan, 0.03, 0.02])[[1, 4, 3, 0]].tolist() == pytest.approx(
        [0.04, 0.06, 0.06, 0.06]
    )
    assert math.isnan(holm([0.5, math.nan])[1])
    assert holm([0.6, 0.7]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_by_its_definition(p_values):
    ordered = sorted(p_values)
    m = len(ordered)
    for p, found in zip(p_values, holm(p_values), strict=True):
        steps = [min(1.0, (m - i) * q) for i, q in enumerate(ordered) if q <= p]
        # Of equal p-values the first step counts for all but is the largest of them anyway.
        assert found <= max(steps) + 1e-12
        assert found >= p


def test_intervals():
    values = np.random.default_rng(1).normal(2.0, 1.0, size=40)
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    assert t_interval(values, 0.9) == pytest.approx(tuple(expected))
    low, high = mean_interval(values, seed=3)
    assert (low, high) == mean_interval(values, seed=3) != mean_interval(values, seed=4)
    wide = t_interval(values)
    assert (low, high) == pytest.approx(wide, abs=0.1)
    assert all(math.isnan(end) for end in (*mean_interval([1.0]), *t_interval([1.0])))
    oracle = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=9999, random_state=0)
    assert (low, high) == pytest.approx(tuple(oracle.confidence_interval), abs=0.03)


# ── rankings ───────────────────────────────────────────────────────────────────────────────────────────────


def test_the_ranking_of_demsar():
    result = rank_variants(DEMSAR)
    ranks = dict(zip(result.names, result.average_ranks, strict=True))
    published = {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}
    assert ranks == pytest.approx(published, abs=5e-4)
    # His χ² = 9.28 is not corrected for ties, ours is.
    n, k = DEMSAR.shape
    plain = 12 * n / (k * (k + 1)) * (sum(rank**2 for rank in ranks.values()) - k * (k + 1) ** 2 / 4)
    assert plain == pytest.approx(9.28, abs=0.005)
    assert (n - 1) * plain / (n * (k - 1) - plain) == pytest.approx(3.69, abs=0.005)
    assert result.chi2 == pytest.approx(stats.friedmanchisquare(*DEMSAR.to_numpy().T).statistic)
    assert result.chi2 > plain
    assert result.critical_difference == pytest.approx(1.25, abs=0.005)
    assert rank_variants(DEMSAR, level=0.1).critical_difference == pytest.approx(1.12, abs=0.005)
    # He cannot tell any two apart at 5 %; at 10 % C4.5 differs from both variants with m.
    assert result.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    assert rank_variants(DEMSAR, level=0.1).groups == (
        ("C4.5+m+cf", "C4.5+m", "C4.5+cf"),
        ("C4.5+cf", "C4.5"),
    )


# Table 5 of the same paper: critical values of the Nemenyi test, the studentized range over √2.
NEMENYI = {
    0.05: (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
    0.10: (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
}


@pytest.mark.parametrize("level", NEMENYI)
def test_critical_values_of_nemenyi(level):
    found = [critical_difference(k, 1, level) / math.sqrt(k * (k + 1) / 6) for k in range(2, 11)]
    assert found == pytest.approx(NEMENYI[level], abs=1.1e-3)


def test_the_encodings_of_the_paper():
    result = rank_encodings(paper_cells())
    assert result.num_settings == 48
    assert sum(result.average_ranks) == pytest.approx(7 * 4)
    assert set(result.names[:2]) == {"slpe-e", "slpe-i"}
    assert result.p_value < 1e-6
    # SLPE-E and SLPE-I rank alike; none and the trajectories do not reach them.
    best = result.groups[0]
    assert {"slpe-e", "slpe-i", "lpe-e"} <= set(best)
    assert not {"none", "lpe-t", "slpe-t"} & set(best)


@given(st.lists(st.integers(0, 20), min_size=2, max_size=7))
def test_groups_are_the_largest_sets_within_the_critical_difference(values):
    table = pd.DataFrame([values, values[::-1]], columns=[f"v{i}" for i in range(len(values))])
    ranking = rank_variants(table)
    ranks = dict(zip(ranking.names, ranking.average_ranks, strict=True))
    sets = [
        set(chosen)
        for size in range(2, len(ranks) + 1)
        for chosen in itertools.combinations(ranks, size)
        if max(map(ranks.get, chosen)) - min(map(ranks.get, chosen)) < ranking.critical_difference
    ]
    largest = [chosen for chosen in sets if not any(chosen < other for other in sets)]
    assert sorted(map(sorted, ranking.groups)) == sorted(map(sorted, largest))


def test_rankings_of_too_little():
    nothing = rank_variants(pd.DataFrame({"a": [], "b": []}))
    assert math.isnan(nothing.p_value)
    assert math.isnan(nothing.critical_difference)
    assert math.isnan(rank_variants(pd.DataFrame({"a": [1, 1], "b": [1, 1], "c": [1, 1]})).chi2)
    same = rank_variants(pd.DataFrame({"a": [3, 3, 3], "b": [2, 2, 2], "c": [1, 1, 1]}))
    assert same.chi2 == pytest.approx(6.0)  # its largest: settings times variants less one
    gaps = rank_variants(pd.DataFrame({"a": [1, 2, 3], "b": [2, None, 2]}))
    assert gaps.num_settings == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: signed_rank([1.0], "more"), "alternative='more': must be"),
        (lambda: signed_rank([math.nan]), "differences: must be finite"),
        (lambda: equivalence([1.0], 0.0), "margin=0.0: must be"),
        (lambda: mean_interval([1.0, 2.0], level=2), "level=2: must be"),
        (lambda: mean_interval([1.0, 2.0], num_resamples=0), "num_resamples=0: must be"),
        (lambda: rank_variants(pd.DataFrame(), level=-1), "level=-1: must be"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
