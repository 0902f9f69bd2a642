"""What the advice is worth: against plain loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_experiments.analysis import paper_cells
from supra_experiments.analysis.advise import advise
from supra_experiments.analysis.choices import POOLED
from supra_experiments.analysis.evidence import (
    EVIDENCE_COLUMNS,
    evidence,
)
from supra_experiments.analysis.frame import VARIANTS
from supra_experiments.analysis.graph_statistics import (
    similarity,
)
from supra_experiments.analysis.leave_one_out import leave_one_out

from ..made_up import DATASETS, LEVELS, REFERENCES, table


def plain_costs(auc, weight, choices) -> dict[tuple, float]:
    """What each choice is expected to cost, by plain loops over complete cells."""
    total = sum(weight.values())
    num_datasets = total**2 / sum(w**2 for w in weight.values())
    groups = sorted({choice[:2] for choice in choices})

    def mean(cost) -> float:
        return sum(w * cost(d) for d, w in weight.items()) / total

    def best(d, *groups) -> float:
        return max(auc[(d, *group, pe)] for group in groups for pe in VARIANTS)

    encoding = {c: mean(lambda d, c=c: best(d, c[:2]) - auc[(d, *c)]) for c in choices}
    overall = {pe: sum(encoding[(*group, pe)] for group in groups) / len(groups) for pe in VARIANTS}
    return {
        c: mean(lambda d, c=c: best(d, *groups) - best(d, c[:2]))
        + (num_datasets * encoding[c] + POOLED * overall[c[2]]) / (num_datasets + POOLED)
        for c in choices
    }


def brute_force(cells: pd.DataFrame, weighted: bool = True) -> dict[str, dict[str, float]]:
    """The costs of all rules by plain loops, for complete cells of one source."""
    auc = {tuple(row[:4]): row[4] for row in cells[["dataset", "model", "features", "pe", "auc"]].values}
    datasets = sorted(set(cells["dataset"]))
    choices = sorted(set(map(tuple, cells[["model", "features", "pe"]].values)))
    groups = sorted({choice[:2] for choice in choices})
    cost: dict[str, dict[str, float]] = {}
    for held in datasets:
        others = {d: REFERENCES[d] for d in datasets if d != held}
        weight = similarity(REFERENCES[held], others)
        rules = {"advice": weight, "advice, graph ignored": dict.fromkeys(others, 1.0)}
        for name, w in rules.items():
            expected = plain_costs(auc, w, choices)
            whole = min(choices, key=lambda c: expected[c])
            best = max(auc[(held, *c)] for c in choices)
            cost.setdefault(f"whole {name}", {})[held] = best - auc[(held, *whole)]
            lost = []
            for group in groups:
                pe = min(VARIANTS, key=lambda pe: expected[(*group, pe)])
                lost.append(max(auc[(held, *group, v)] for v in VARIANTS) - auc[(held, *group, pe)])
            cost.setdefault(name, {})[held] = sum(lost) / len(lost)
        single = max(VARIANTS, key=lambda pe: sum(auc[(d, *g, pe)] for d in others for g in groups))
        for name, pe in [
            ("one encoding, best elsewhere", single),
            *((f"always {pe}", pe) for pe in VARIANTS),
        ]:
            lost = [max(auc[(held, *g, v)] for v in VARIANTS) - auc[(held, *g, pe)] for g in groups]
            cost.setdefault(name, {})[held] = sum(lost) / len(lost)
    constants = {
        c: {d: max(auc[(d, *other)] for other in choices) - auc[(d, *c)] for d in datasets} for c in choices
    }
    best = min(constants, key=lambda c: sum(constants[c].values()))
    cost[f"whole always {' '.join(best)}"] = constants[best]
    return cost


def check_against_brute_force(cells):
    score, expected = leave_one_out(cells, REFERENCES), brute_force(cells)
    found = {rule.name: rule for rule in score.encoding} | {f"whole {r.name}": r for r in score.everything}
    assert found.keys() == expected.keys()
    for name, rule in found.items():
        assert rule.by_dataset == pytest.approx(expected[name]), name
        assert rule.cost == pytest.approx(sum(expected[name].values()) / len(expected[name]))
    constants = {name: sum(costs.values()) for name, costs in expected.items() if name.startswith("always")}
    assert constants[score.best_constant.name] == min(constants.values())
    assert score.worthwhile() == (sum(expected["advice"].values()) < min(constants.values()) - 1e-12)


def test_leave_one_out_of_the_paper_is_brute_force():
    check_against_brute_force(paper_cells().assign(source="paper")[EVIDENCE_COLUMNS])


@given(seed=st.integers(0, 999))
def test_leave_one_out_of_anything_is_brute_force(seed):
    rng = np.random.default_rng(seed)
    check_against_brute_force(
        table(
            lambda d, m, f, pe: LEVELS[d] + rng.normal(0, 5),
            models=("egcn",),
            features=("random", "zeros"),
        )
    )


def test_intervals_and_probabilities_are_judged_on_what_was_held_out():
    cells = evidence(study=False)
    score = leave_one_out(cells, REFERENCES, model="egcn")
    inside, errors = [], []
    auc = cells[cells.model == "egcn"].set_index(["dataset", "features", "pe"]).auc
    for held in DATASETS:
        others = {name: found for name, found in REFERENCES.items() if name != held}
        advice = advise(cells[cells.dataset != held], others, REFERENCES[held], model="egcn")
        for choice in advice.choices:
            if choice.pe != "none":
                gain = auc[held, choice.features, choice.pe] - auc[held, choice.features, "none"]
                inside.append(choice.gain_low <= gain <= choice.gain_high)
                errors.append((choice.beats_none - (gain > 0)) ** 2)
    assert len(inside) == 4 * 3 * 6
    assert score.coverage == pytest.approx(np.mean(inside))
    assert score.brier == pytest.approx(np.mean(errors))


def test_the_intervals_hold_about_what_they_promise():
    """Gains drawn for each choice and dataset: 80 % of the held-out ones should lie in their intervals."""
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        effect = {pe: rng.normal(0, 3) for pe in VARIANTS}
        cells = table(
            lambda d, m, f, pe, e=effect, rng=rng: LEVELS[d] + e[pe] + rng.normal(0, 2),
            features=("zeros", "random"),
        )
        found.append(leave_one_out(cells, REFERENCES).coverage)
    assert 0.72 < np.mean(found) < 0.92


def test_leave_one_out_compares_rules_on_complete_cells_only():
    whole = table(lambda d, m, f, pe: LEVELS[d] + VARIANTS.index(pe), features=("zeros", "one-hot"))
    torn = whole[~((whole.dataset == "dblp") & (whole.features == "zeros") & (whole.pe == "lpe-t"))]
    score = leave_one_out(torn, REFERENCES)
    assert score.encoding[0].cost == 0
    assert {rule.name: rule.by_dataset["dblp"] for rule in score.encoding}["always none"] == 6
    few = torn[torn.features == "zeros"]
    assert leave_one_out(few, REFERENCES).num_datasets == 3
    # Of three datasets, two are left to learn from, and the one choice was tried on one of them only.
    assert leave_one_out(few[few.dataset != "canparl"], REFERENCES) is None
    assert leave_one_out(few.iloc[:0], REFERENCES) is None
