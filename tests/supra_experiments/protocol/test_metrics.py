import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from supra_experiments.protocol.metrics import Metrics, mean_metrics, score_metrics

# Few distinct values, so that ties are common, and some that differ only in the last bits.
SCORES = st.sampled_from([-1e30, -2.0, 0.0, 1e-300, 0.5, 0.5 + 2**-53, 1.0, 3.0, 1e30]) | st.floats(-5, 5)


@given(st.lists(st.tuples(st.booleans(), SCORES), min_size=1, max_size=60))
def test_both_metrics_equal_scikit_learn_on_raw_scores(rows):
    labels, scores = map(np.array, zip(*rows, strict=True))
    found = score_metrics(labels, scores)
    if labels.all() or not labels.any():
        assert math.isnan(found.auc)
        assert math.isnan(found.ap)
        return
    assert found.auc == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)
    assert found.ap == pytest.approx(average_precision_score(labels, scores), abs=1e-12)


@given(st.lists(st.tuples(st.booleans(), st.integers(-20, 20)), min_size=2, max_size=40), st.randoms())
def test_order_and_monotone_maps_do_not_matter(rows, random):
    labels, scores = map(np.array, zip(*rows, strict=True))
    random.shuffle(rows)
    other_labels, other_scores = map(np.array, zip(*rows, strict=True))
    expected = score_metrics(labels, scores)
    np.testing.assert_allclose(
        [expected.auc, expected.ap],
        [*vars_of(score_metrics(other_labels, other_scores.astype(float) ** 3 + 1))],
        atol=1e-12,
    )


def vars_of(metrics: Metrics) -> tuple[float, float]:
    return metrics.auc, metrics.ap


def test_equal_scores_are_worth_exactly_one_half():
    assert score_metrics([True] * 7 + [False] * 5, [0.25] * 12).auc == 0.5


def test_scores_that_are_not_finite_have_no_metrics():
    for bad in (math.nan, math.inf, -math.inf):
        assert math.isnan(score_metrics([True, False], [bad, 1.0]).auc)


def test_shapes_must_fit():
    with pytest.raises(ValueError, match=r"labels.shape=\(2,\), scores.shape=\(3,\): must be equal"):
        score_metrics([True, False], [1.0, 2.0, 3.0])


def test_the_mean_leaves_out_snapshots_without_an_answer():
    nothing = Metrics(math.nan, math.nan)
    assert mean_metrics([Metrics(0.5, 0.2), nothing, Metrics(1.0, 0.4)]) == Metrics(0.75, pytest.approx(0.3))
    assert math.isnan(mean_metrics([nothing]).auc)
