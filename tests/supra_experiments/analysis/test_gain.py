"""What encodings add over none: means over settings and their intervals, written out by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from supra_experiments.analysis.contrasts import FEW, gain_by_encoding, overall_gain
from supra_experiments.analysis.frame import RUN_COLUMNS


def runs(gains: dict[tuple[str, str, str], list[float]], model: str = "htgn") -> pd.DataFrame:
    """Runs whose AUC is 80 plus the gain of (dataset, features, encoding), one a seed, and none's is 80."""
    rows = []
    for (dataset, features, pe), values in gains.items():
        rows += [(dataset, model, features, pe, seed, 80.0 + gain) for seed, gain in enumerate(values)]
        rows += [(dataset, model, features, "none", seed, 80.0) for seed in range(len(values))]
    names = ["dataset", "model", "features", "pe", "seed", "auc"]
    return pd.DataFrame(rows, columns=names).drop_duplicates(names[:5]).reindex(columns=RUN_COLUMNS)


@given(st.lists(st.floats(-20, 20).map(lambda x: round(x, 3)), min_size=2, max_size=6))
def test_one_setting_is_students_t_over_its_seeds(gains):
    gain = overall_gain(runs({("mine", "zeros", "slpe-e"): gains}))
    assert (gain.num_settings, gain.num_seeds) == (1, len(gains))
    assert gain.setting == ("mine", "htgn", "zeros")
    assert gain.value == pytest.approx(np.mean(gains), abs=1e-6)
    half = stats.t.ppf(0.975, len(gains) - 1) * np.std(gains, ddof=1) / math.sqrt(len(gains))
    assert (gain.low, gain.high) == pytest.approx((np.mean(gains) - half, np.mean(gains) + half), abs=1e-6)


@pytest.mark.parametrize("num_settings", [2, 5, FEW, 20])
def test_several_settings_count_once_each_however_many_seeds(num_settings):
    """The mean of means; its interval holds the mean and shrinks to nothing where all settings agree."""
    values = np.random.default_rng(0).normal(1.0, 2.0, num_settings)
    table = runs({(f"d{i}", "zeros", "lpe-e"): [value] * (1 + i % 3) for i, value in enumerate(values)})
    gain = overall_gain(table)
    assert (gain.num_settings, gain.num_seeds, gain.setting) == (num_settings, 0, ())
    assert gain.value == pytest.approx(values.mean(), abs=1e-6)
    assert gain.median == pytest.approx(np.median(values), abs=1e-6)
    assert gain.low < gain.value < gain.high
    same = overall_gain(runs({(f"d{i}", "zeros", "lpe-e"): [2.5] for i in range(num_settings)}))
    assert (same.low, same.value, same.high) == pytest.approx((2.5, 2.5, 2.5))


def test_one_run_of_each_has_no_interval():
    gain = overall_gain(runs({("mine", "zeros", "slpe-e"): [3.0]}))
    assert gain.value == pytest.approx(3.0)
    assert math.isnan(gain.low)
    assert math.isnan(gain.high)


def test_nothing_to_compare():
    table = runs({("mine", "zeros", "slpe-e"): [3.0]})
    for part in (table[table.pe == "none"], table[table.pe != "none"], table.iloc[:0]):
        assert overall_gain(part) is None
        assert gain_by_encoding(part).empty


def test_encodings_are_ranked_over_the_settings_that_have_them_all():
    """LPE-E also ran where everything gains much, which must not count for it."""
    table = runs(
        {
            ("a", "zeros", "slpe-e"): [4.0, 6.0],
            ("a", "zeros", "lpe-e"): [1.0, 3.0],
            ("b", "one-hot", "slpe-e"): [-1.0],
            ("b", "one-hot", "lpe-e"): [1.0],
            ("c", "zeros", "lpe-e"): [40.0],
        }
    )
    found = gain_by_encoding(table)
    whole = found[found.features == ""]
    assert whole[["pe", "num_better", "num_settings"]].to_numpy().tolist() == [
        ["slpe-e", 1, 2],
        ["lpe-e", 2, 2],
    ]
    assert whole["gain"].tolist() == pytest.approx([2.0, 1.5])
    by_features = found.set_index(["pe", "features"])["gain"]
    assert by_features["slpe-e", "zeros"] == pytest.approx(5.0)
    assert by_features["lpe-e", "one-hot"] == pytest.approx(1.0)


def test_without_a_common_setting_each_is_over_its_own():
    found = gain_by_encoding(
        runs({("a", "zeros", "slpe-e"): [1.0], ("b", "zeros", "lpe-e"): [2.0]}, model="logistic")
    )
    assert found[["pe", "gain", "num_settings"]].to_numpy().tolist() == [
        ["lpe-e", 2.0, 1],
        ["slpe-e", 1.0, 1],
    ]
