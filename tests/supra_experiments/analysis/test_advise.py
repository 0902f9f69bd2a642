"""Which choice is advised, and what is expected of it."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from supra_experiments.analysis.advise import advise
from supra_experiments.analysis.choices import POOLED, Tables, filled
from supra_experiments.analysis.evidence import (
    evidence,
)
from supra_experiments.analysis.frame import VARIANTS
from supra_experiments.analysis.graph_statistics import (
    similarity,
)
from supra_experiments.errors import ExperimentError

from ..made_up import DATASETS, DEMO, LEVELS, REFERENCES, table

ENCODINGS = VARIANTS[1:]


def test_what_is_always_best_is_advised_with_high_certainty():
    gains = dict(zip(ENCODINGS, (1, 2, 9, 3, 4, -5), strict=True)) | {"none": 0}
    advice = advise(table(lambda d, m, f, pe: LEVELS[d] + gains[pe]), REFERENCES, DEMO)
    first = advice.choices[0]
    assert (first.pe, first.sureness) == ("slpe-i", "high")
    assert first.gain == pytest.approx(9)
    assert first.cost == pytest.approx(0)
    assert (first.gain_low, first.gain_high) == pytest.approx((9, 9)), "the same gain everywhere"
    # Four datasets agree and a fifth is undecided; unequal weights count as somewhat fewer.
    assert 0.85 < first.beats_none <= 4.5 / 5
    assert 0.75 < first.best_encoding <= (4 + 1 / 7) / 5
    assert [c.pe for c in advice.choices] == sorted(gains, key=lambda pe: -gains[pe])
    assert [c.cost for c in advice.choices] == pytest.approx([9 - gains[c.pe] for c in advice.choices])
    assert advice.choices[-1].beats_none < 0.15
    assert not advice.direct


def test_noise_is_advised_with_low_certainty():
    firsts = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        noise = table(lambda d, m, f, pe, rng=rng: LEVELS[d] + rng.normal(0, 3))
        firsts.append(advise(noise, REFERENCES, DEMO).choices[0])
    # The first is first for its luck on four datasets; a fair share would be 1/7.
    assert np.mean([first.best_encoding for first in firsts]) < 0.45
    assert max(first.best_encoding for first in firsts) < 0.85
    assert np.mean([first.gain_low < 0 < first.gain_high for first in firsts if first.pe != "none"]) > 0.8


def test_gain_and_interval_by_hand():
    # One unweighted statistic apart, so that all four references are equally like the target.
    same = dict.fromkeys(DATASETS, DEMO)
    gains = dict(zip(DATASETS, (1.0, 2.0, 4.0, 9.0), strict=True))
    advice = advise(table(lambda d, m, f, pe: {"none": 70.0, "slpe-e": 70 + gains[d]}.get(pe)), same, DEMO)
    (found,) = (choice for choice in advice.choices if choice.pe == "slpe-e")
    # The only choice is the typical one, so its variance stays; 3 degrees of freedom, and 1 for typical.
    half = stats.t(4).ppf(0.9) * np.std(list(gains.values()), ddof=1) * math.sqrt(1 + 1 / 4)
    assert (found.gain, found.gain_low, found.gain_high) == pytest.approx((4, 4 - half, 4 + half))
    assert found.beats_none == pytest.approx((4 * 1 + 0.5) / 5, abs=0.01)
    assert advice.weights == pytest.approx(dict.fromkeys(DATASETS, 0.25))


def test_like_datasets_count_for_more():
    gains = dict(zip(DATASETS, (1.0, 2.0, 4.0, 9.0), strict=True))
    cells = table(lambda d, m, f, pe: {"none": 70.0, "slpe-e": 70 + gains[d]}.get(pe))
    weight = similarity(DEMO, REFERENCES)
    expected = sum(weight[d] * gains[d] for d in DATASETS) / sum(weight.values())
    advice = advise(cells, REFERENCES, DEMO)
    assert advice.choices[0].gain == pytest.approx(expected)
    assert advice.weights == pytest.approx({d: weight[d] / sum(weight.values()) for d in DATASETS})
    assert advice.similarity == pytest.approx(weight)


def test_a_narrow_lead_in_one_place_gives_way_to_a_wide_one_everywhere_else():
    """No encoding is first with one-hot features by a tenth, and ten points behind with everything else."""
    same = dict.fromkeys(DATASETS, DEMO)  # four datasets of equal weight

    def auc(d, m, f, pe):
        lead = 0.1 if f == "one-hot" else -10.0
        return {"none": 70.0 + lead, "slpe-e": 70.0}.get(pe)

    cells = table(auc, models=("egcn",), features=("one-hot", "zeros", "random"))
    found = advise(cells, same, DEMO, features="one-hot").choices
    # By hand: the mean over three kinds of features counts as three datasets beside the four.
    overall = {"none": (0 + 10 + 10) / 3, "slpe-e": (0.1 + 0 + 0) / 3}
    own = {"none": 0.0, "slpe-e": 0.1}
    expected = {pe: (4 * own[pe] + POOLED * overall[pe]) / (4 + POOLED) for pe in own}
    assert {choice.pe: choice.cost for choice in found} == pytest.approx(expected)
    assert found[0].pe == "slpe-e"
    # Figures of the graph itself are not drawn anywhere.
    mine = table(
        auc, models=("egcn",), features=("one-hot", "zeros", "random"), datasets=["mine"], source="yours"
    )
    direct = advise(pd.concat([cells, mine]), same | {"mine": DEMO}, DEMO, name="mine", features="one-hot")
    assert {choice.pe: choice.cost for choice in direct.choices} == pytest.approx(own)


def test_a_dataset_that_was_measured_twice_counts_once():
    paper = table(lambda d, m, f, pe: LEVELS[d] + 4 * (pe != "none"))
    study = table(lambda d, m, f, pe: LEVELS[d] + 5 * (pe != "none"), datasets=["dblp"], source="study")
    weights = similarity(DEMO, REFERENCES)
    advice = advise(pd.concat([paper, study]), REFERENCES, DEMO)
    assert advice.weights == pytest.approx({d: weights[d] / sum(weights.values()) for d in DATASETS})
    # This software's figure goes before the paper's.
    assert advice.choices[0].gain == pytest.approx(4 + advice.weights["dblp"])
    assert advice.carry_over == pytest.approx({"zeros": 1})
    assert advice.sources == ("study", "paper")
    assert advise(paper, REFERENCES, DEMO).carry_over == {}


def test_gains_are_of_one_source():
    """The study has no run without encoding: its AUC counts, but the gain is the paper's."""
    paper = table(lambda d, m, f, pe: LEVELS[d] + 4 * (pe != "none"))
    study = table(lambda d, m, f, pe: 20.0 if pe == "lpe-e" else None, datasets=DATASETS, source="study")
    found = {choice.pe: choice for choice in advise(pd.concat([paper, study]), REFERENCES, DEMO).choices}
    assert found["lpe-e"].auc == pytest.approx(20)
    assert found["lpe-e"].gain == pytest.approx(4)


def test_runs_of_the_graph_itself_decide():
    elsewhere = table(lambda d, m, f, pe: LEVELS[d] + 9 * (pe == "slpe-i"))
    own = table(lambda d, m, f, pe: 50 + 4 * (pe == "lpe-t"), datasets=["mine"], source="yours")
    advice = advise(pd.concat([elsewhere, own]), REFERENCES | {"mine": DEMO}, DEMO, name="mine")
    first = advice.choices[0]
    assert advice.direct
    assert advice.sources == ("yours",)
    assert (first.pe, first.sureness, first.direct) == ("lpe-t", "high", True)
    assert (first.auc, first.gain) == pytest.approx((54, 4))
    # Five seeds of ± 0.5 each: variance 0.5² · 5/4 of a run, a fifth of that for the mean, twice for two.
    half = stats.norm.ppf(0.9) * math.sqrt(2 * 0.25 * 5 / 4 / 5)
    assert first.gain_high - first.gain == pytest.approx(half)
    assert advice.weights["mine"] == 1.0


def test_what_was_not_run_on_the_graph_is_filled_from_the_others():
    elsewhere = table(lambda d, m, f, pe: LEVELS[d] + 9 * (pe == "slpe-i"))
    own = table(lambda d, m, f, pe: {"none": 50.0, "lpe-e": 51.0}.get(pe), datasets=["mine"], source="yours")
    advice = advise(pd.concat([elsewhere, own]), REFERENCES | {"mine": DEMO}, DEMO, name="mine")
    found = {choice.pe: choice for choice in advice.choices}
    assert advice.choices[0].pe == "slpe-i"
    assert not found["slpe-i"].direct
    assert found["lpe-e"].direct
    assert found["slpe-i"].gain == pytest.approx(9)
    assert found["slpe-i"].auc == pytest.approx(59.25, abs=0.5), "the row's level, + 9"
    assert found["lpe-e"].gain == pytest.approx(1)


def test_this_software_goes_before_the_paper_on_the_same_graph():
    paper = table(lambda d, m, f, pe: LEVELS[d] + 9 * (pe == "slpe-i"))
    study = table(lambda d, m, f, pe: LEVELS[d] + 3 * (pe == "lpe-e"), datasets=["dblp"], source="study")
    advice = advise(pd.concat([paper, study]), REFERENCES, REFERENCES["dblp"], name="dblp")
    assert advice.sources == ("study",)
    assert (advice.choices[0].pe, advice.choices[0].auc) == ("lpe-e", pytest.approx(83))
    alone = advise(paper, REFERENCES, REFERENCES["dblp"], name="dblp")
    assert (alone.sources, alone.choices[0].pe, alone.direct) == (("paper",), "slpe-i", True)
    assert (alone.choices[0].sureness, alone.sureness) == ("high", "fair"), (
        "never compared with this software"
    )
    # What only the paper measured on the graph is taken from there.
    part = advise(
        pd.concat([paper, study[study.pe != "slpe-i"]]), REFERENCES, REFERENCES["dblp"], name="dblp"
    )
    assert part.sources == ("study", "paper")
    assert (part.choices[0].pe, part.choices[0].auc, part.choices[0].direct) == ("slpe-i", 89.0, True)


def test_figures_of_the_paper_are_as_uncertain_as_they_carry_over():
    """Another software found other gains on dblp, so the paper's on enron10 are not to be trusted either."""
    paper = table(lambda d, m, f, pe: LEVELS[d] + 2 * (pe != "none"))
    study = table(lambda d, m, f, pe: LEVELS[d] + 12 * (pe != "none"), datasets=["dblp"], source="study")
    sure = advise(paper, REFERENCES, REFERENCES["enron10"], name="enron10").choices[0]
    doubtful = advise(pd.concat([paper, study]), REFERENCES, REFERENCES["enron10"], name="enron10")
    assert doubtful.carry_over == pytest.approx({"zeros": 10})
    assert sure.gain_low > 0 > doubtful.choices[0].gain_low
    assert sure.beats_none > 0.99 > 0.8 > doubtful.choices[0].beats_none


def test_a_single_run_has_the_spread_of_a_typical_cell():
    cells = pd.concat(
        [
            table(lambda d, m, f, pe: LEVELS[d], std=2.0),
            table(
                lambda d, m, f, pe: 50 + (pe == "lpe-e"),
                datasets=["mine"],
                source="yours",
                num_runs=1,
                std=math.nan,
            ),
        ]
    )
    advice = advise(cells, REFERENCES | {"mine": DEMO}, DEMO, name="mine")
    (found,) = (choice for choice in advice.choices if choice.pe == "lpe-e")
    half = stats.norm.ppf(0.9) * math.sqrt(2 * 2.0**2 * 5 / 4)
    assert found.gain_high - found.gain == pytest.approx(half)


@given(seed=st.integers(0, 999), holes=st.floats(0, 0.4))
def test_probabilities_are_probabilities_and_order_does_not_matter(seed, holes):
    rng = np.random.default_rng(seed)
    cells = table(
        lambda d, m, f, pe: None if rng.random() < holes else 50 + rng.normal(0, 5),
        models=("egcn", "htgn"),
        features=("zeros", "one-hot"),
    )
    advice = advise(cells, REFERENCES, DEMO)
    for choice in advice.choices:
        assert choice.cost >= -1e-9
        assert 0 <= choice.best_encoding <= 1
        assert math.isnan(choice.beats_none) == (choice.pe == "none") or 0 <= choice.beats_none <= 1
        assert choice.gain_low <= choice.gain <= choice.gain_high or math.isnan(choice.gain)
        assert choice.num_datasets >= 2
    assert [c.cost for c in advice.choices] == sorted(c.cost for c in advice.choices)
    if not holes:
        groups = {(c.model, c.features) for c in advice.choices}
        for group in groups:
            part = [c.best_encoding for c in advice.choices if (c.model, c.features) == group]
            assert sum(part) == pytest.approx(1)
    shuffled = advise(cells.sample(frac=1, random_state=seed), REFERENCES, DEMO)
    assert repr(shuffled.choices) == repr(advice.choices)


@given(seed=st.integers(0, 999))
def test_holes_are_filled_by_row_and_column(seed):
    rng = np.random.default_rng(seed)
    row, column = rng.normal(80, 10, len(DATASETS)), rng.normal(0, 5, len(VARIANTS))
    truth = row[:, None] + column
    hidden = rng.random(truth.shape) < 0.4
    hidden[0] = hidden[:, 0] = False  # one complete row and column tie everything together
    cells = table(
        lambda d, m, f, pe: (
            None
            if hidden[DATASETS.index(d), VARIANTS.index(pe)]
            else truth[DATASETS.index(d), VARIANTS.index(pe)]
        )
    )
    tables = Tables.of(cells)
    expected = [
        [truth[DATASETS.index(dataset), VARIANTS.index(c.pe)] for c in tables.candidates]
        for dataset in tables.dataset
    ]
    found = filled(tables, rng.uniform(0.01, 1, len(tables.dataset)))
    np.testing.assert_allclose(found, expected, atol=1e-6)
    known = ~np.isnan(tables.auc)
    np.testing.assert_array_equal(found[known], tables.auc[known])


def test_only_what_was_tried_often_enough():
    cells = table(
        lambda d, m, f, pe: LEVELS[d] + (5 if pe == "lpe-t" else 0) if pe != "lpe-t" or d == "dblp" else None
    )
    assert "lpe-t" not in {choice.pe for choice in advise(cells, REFERENCES, DEMO).choices}
    strangers = table(lambda d, m, f, pe: 50.0, datasets=["x", "y"], source="yours")
    advice = advise(pd.concat([cells, strangers]), REFERENCES, DEMO)
    assert set(advice.weights) == set(DATASETS), "graphs without statistics cannot be compared"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"model": "egcn-o"},
            "model='egcn-o': must have been tried .*known are model: egcn, grugcn, htgn, slate",
        ),
        ({"features": "mine"}, "features='mine': must have been tried .* features: one-hot, random, zeros"),
    ],
)
def test_nothing_known(given, message):
    with pytest.raises(ExperimentError, match=message):
        advise(evidence(study=False), REFERENCES, DEMO, **given)


def test_no_evidence_at_all():
    with pytest.raises(ExperimentError, match="evidence: must hold"):
        advise(evidence(paper=False, study=False), REFERENCES, DEMO)
