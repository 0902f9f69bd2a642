"""Which encoding is advised, how sure that is, and what the rule would have cost."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from supra_experiments.analysis.advice import (
    Gain,
    advise,
    evidence,
    points_lost,
    study_cells,
    write_study_cells,
)
from supra_experiments.analysis.frame import VARIANTS, cells, paper_cells, runs
from supra_experiments.datasets import load
from supra_experiments.errors import ExperimentError

from ..made_up import DATASETS, LEVELS, record, table

GAINS = dict(zip(VARIANTS[1:], (1, 2, 9, 3, 4, -5), strict=True)) | {"none": 0}
MANY = {"models": ("egcn-h", "htgn"), "features": ("zeros", "one-hot")}


def test_what_is_always_best_is_advised_with_high_sureness():
    advice = advise(table(lambda d, m, f, pe: LEVELS[d] + GAINS[pe]), "mine")
    best = max(GAINS, key=GAINS.__getitem__)
    assert (advice.pe, advice.sureness, advice.direct) == (best, "high", False)
    gain = advice.gain
    assert (gain.mean, gain.low, gain.high) == pytest.approx((9, 9, 9)), "the same gain everywhere"
    assert (gain.num_better, gain.num_graphs) == (4, 4)
    assert advice.encodings["pe"].tolist() == sorted(GAINS, key=lambda pe: -GAINS[pe])
    assert advice.encodings["gain"].tolist() == pytest.approx(sorted(GAINS.values(), reverse=True))
    assert advice.encodings.set_index("pe")["better"].drop("none").tolist() == [1, 1, 1, 1, 1, 0]


def test_gain_and_interval_by_hand():
    gains = dict(zip(DATASETS, (1.0, 2.0, 4.0, 9.0), strict=True))
    advice = advise(table(lambda d, m, f, pe: {"none": 70.0, "slpe-e": 70 + gains[d]}.get(pe)), "mine")
    half = stats.t(3).ppf(0.9) * np.std(list(gains.values()), ddof=1) * math.sqrt(1 + 1 / 4)
    gain = advice.gain
    assert (gain.mean, gain.low, gain.high) == pytest.approx((4, 4 - half, 4 + half))
    assert (advice.pe, advice.sureness) == ("slpe-e", "fair"), "zero lies in the interval"


def test_the_interval_holds_what_it_promises():
    """80 % of the gains on a fifth graph, drawn as the four were."""
    drawn = np.random.default_rng(0).normal(3, 2, size=(4000, 5))
    gains = [Gain.of(row[:4]) for row in drawn]
    inside = [gain.low <= row[4] <= gain.high for gain, row in zip(gains, drawn, strict=True)]
    assert np.mean(inside) == pytest.approx(0.8, abs=0.02)


def test_where_every_encoding_does_harm_none_is_advised():
    advice = advise(table(lambda d, m, f, pe: LEVELS[d] - 5 * (pe != "none")), "mine")
    assert (advice.pe, advice.sureness) == ("none", "low")


def test_the_encoding_is_chosen_over_all_models_and_features():
    """A narrow lead of none with one-hot features gives way to a wide one of slpe-e everywhere else."""

    def auc(d, m, f, pe):
        return {"none": 70.0 + (0.1 if f == "one-hot" else -10.0), "slpe-e": 70.0}.get(pe)

    cells = table(auc, **MANY)
    advice = advise(cells, "mine", features="one-hot")
    assert advice.pe == "slpe-e"
    assert advice.gain.mean == pytest.approx(-0.1), "but its gain is told for what was asked"
    assert advice.sureness == "low"


def test_the_model_and_features_nearest_to_the_best_are_advised():
    lead = {("egcn-h", "zeros"): 0, ("egcn-h", "one-hot"): 1, ("htgn", "zeros"): 3, ("htgn", "one-hot"): 2}
    cells = table(lambda d, m, f, pe: LEVELS[d] + lead[m, f] + GAINS[pe], **MANY)
    advice = advise(cells, "mine")
    assert (advice.model, advice.features) == ("htgn", "zeros")
    order = [("htgn", "zeros"), ("htgn", "one-hot"), ("egcn-h", "one-hot"), ("egcn-h", "zeros")]
    assert list(advice.settings[["model", "features"]].itertuples(index=False, name=None)) == order
    assert advice.settings["behind"].tolist() == [0, 1, 2, 3]
    assert advice.settings["graphs"].tolist() == [4, 4, 4, 4]
    assert advise(cells, "mine", model="egcn-h").features == "one-hot"


def test_what_was_tried_on_one_graph_alone_is_not_advised():
    cells = pd.concat(
        [
            table(lambda d, m, f, pe: 70.0 + GAINS[pe]),
            table(lambda d, m, f, pe: 99.0, models=("slate",), datasets=["dblp"]),
        ]
    )
    assert advise(cells, "mine").model == "htgn"
    with pytest.raises(ExperimentError, match=r"model='slate': must have been tried on this graph or on 2"):
        advise(cells, "mine", model="slate")


def test_runs_of_the_graph_itself_decide():
    elsewhere = table(lambda d, m, f, pe: LEVELS[d] + 9 * (pe == "slpe-i"))
    own = table(lambda d, m, f, pe: 50 + 4 * (pe == "lpe-t"), datasets=["mine"], source="yours")
    advice = advise(pd.concat([elsewhere, own]), "mine")
    assert (advice.pe, advice.direct, advice.sources) == ("lpe-t", True, ("yours",))
    assert advice.gain.mean == pytest.approx(4)


def test_the_papers_figures_of_the_graph_give_way_to_the_users_and_are_never_sure():
    paper = table(lambda d, m, f, pe: LEVELS[d] + 9 * (pe == "slpe-i"))
    advice = advise(paper, "dblp")
    assert (advice.pe, advice.direct, advice.sureness) == ("slpe-i", True, "fair")
    own = table(lambda d, m, f, pe: 50.0 + (pe == "none"), datasets=["dblp"], source="yours")
    assert advise(pd.concat([paper, own]), "dblp").pe == "none"


def test_gains_are_of_one_source():
    """The study has none and slpe-e of one graph alone; its figures are not mixed with the paper's."""
    paper = table(lambda d, m, f, pe: LEVELS[d] + 4 * (pe != "none"))
    study = table(
        lambda d, m, f, pe: {"none": 20.0, "slpe-e": 30.0}.get(pe), datasets=["dblp"], source="study"
    )
    found = advise(pd.concat([paper, study]), "mine").encodings.set_index("pe")
    assert found["gain"]["slpe-e"] == pytest.approx((3 * 4 + 10) / 4)
    assert found["gain"]["lpe-e"] == pytest.approx(4)


def test_the_order_of_the_evidence_does_not_matter():
    known = evidence()
    order = np.random.default_rng(0).permutation(len(known))
    one, two = advise(known, "mine"), advise(known.iloc[order], "mine")
    assert (one.model, one.features, one.pe) == (two.model, two.features, two.pe)
    assert one.gain.mean == pytest.approx(two.gain.mean)


# ── what the rule would have cost ──────────────────────────────────────────────────────────────────────────


def test_points_lost_by_hand():
    """Two graphs agree, the third is advised what the two say."""
    best = {"canparl": "slpe-e", "dblp": "slpe-e", "enron10": "lpe-e"}
    cells = table(lambda d, m, f, pe: 70.0 + 6 * (pe == best[d]) + 3 * (pe != "none"), datasets=tuple(best))
    lost = points_lost(cells)
    # Advised from the others: canparl and dblp see one for each of two encodings, enron10 sees slpe-e twice.
    assert lost["slpe-e"] == pytest.approx(6 / 3)
    assert lost["lpe-e"] == pytest.approx(12 / 3)
    assert lost["none"] == pytest.approx(9)
    tie = max(("slpe-e", "lpe-e"), key=lambda pe: pe == min("slpe-e", "lpe-e"))  # the first by name
    assert lost["rule"] == pytest.approx((2 * 6 * (tie == "lpe-e") + 6) / 3)


def test_the_rule_never_sees_the_graph_that_it_is_judged_on():
    """Whatever is measured on one graph, the rule's cost there follows from the other graphs."""

    def cells(spike):
        return table(lambda d, m, f, pe: 70.0 + GAINS[pe] + (50 if (d, pe) == ("dblp", spike) else 0))

    for spike in VARIANTS[1:]:
        wide = cells(spike).pivot(index="dataset", columns="pe", values="auc")
        others = {
            held: wide.drop(held).sub(wide.drop(held)["none"], axis=0).drop(columns="none").mean().idxmax()
            for held in wide.index
        }
        expected = np.mean([wide.loc[held].max() - wide.loc[held, pe] for held, pe in others.items()])
        assert points_lost(cells(spike))["rule"] == pytest.approx(expected)


def test_settings_with_a_hole_do_not_count():
    cells = table(lambda d, m, f, pe: None if (m, pe) == ("egcn-h", "lpe-t") else 70.0 + GAINS[pe], **MANY)
    assert points_lost(cells)["none"] == pytest.approx(9)
    assert math.isnan(points_lost(cells[cells["dataset"] == "dblp"])["rule"])


def test_on_the_shipped_evidence_the_rule_is_worth_far_more_than_none():
    lost = points_lost(evidence())
    assert lost["rule"] < lost["none"] / 3


# ── the evidence ───────────────────────────────────────────────────────────────────────────────────────────


def test_the_paper_and_the_study_are_evidence():
    found = evidence()
    assert (found["source"] == "paper").sum() == len(paper_cells())
    assert set(found[found["source"] == "study"]["pe"]) <= set(VARIANTS)
    assert found["auc"].notna().all()


def test_records_count_under_the_name_of_their_graph():
    demo = load("demo")
    here = record(0.8, digest=demo.graph.digest, dataset="old name.csv", pe="slpe-e")
    there = record(0.7, dataset="old name.csv", pe="slpe-e")
    known = record(0.6, dataset="dblp", pe="slpe-e")
    found = evidence([here, there, known], demo)
    mine = found[found["source"] == "yours"].set_index("dataset")["auc"]
    assert mine.to_dict() == pytest.approx({"demo": 80, "old name.csv ababab": 70, "dblp": 60})


def test_scores_without_learning_and_features_from_files_are_no_evidence():
    found = evidence([record(model="count"), record(features="mine.csv", pe="slpe-e")])
    assert "yours" not in set(found["source"])


def test_two_settings_of_one_cell_are_refused():
    with pytest.raises(ExperimentError, match="there twice"):
        evidence([record(0.7, lr=0.1), record(0.8, lr=0.2)])


def test_study_cells_come_back(tmp_path):
    both = itertools.product(("egcn-h", "htgn"), range(2))
    records = [record(0.5 + seed / 10, model=model, seed=seed) for model, seed in both]
    write_study_cells(tmp_path / "cells.csv", records)
    text = (tmp_path / "cells.csv").read_text()
    assert text.splitlines()[0].split(",") == list(study_cells().columns)
    assert len(text.splitlines()) == 1 + len(cells(runs(records)))
    with pytest.raises(ExperimentError, match="at least one run"):
        write_study_cells(tmp_path / "none.csv", [])
