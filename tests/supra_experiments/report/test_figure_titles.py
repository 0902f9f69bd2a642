"""What figures say and count: titles that follow the data, gains, intervals, groups and energies."""

import math

import numpy as np
import pytest

from supra_core import generators, supra_graph
from supra_experiments.analysis import compare
from supra_experiments.analysis.averages import WITH_NONE, balanced, differences
from supra_experiments.analysis.contrasts import gain_by_encoding
from supra_experiments.analysis.cost import cost_by_encoding
from supra_experiments.analysis.frame import UNLEARNED, cells
from supra_experiments.analysis.statistics import Ranking
from supra_experiments.datasets import load
from supra_experiments.errors import ExperimentError
from supra_experiments.report.figures import (
    FIGURES,
    auc,
    cost,
    gains,
    matrices,
    ranks,
    smoothness,
    solver_time,
)
from supra_experiments.report.figures import agreement as agreement_
from supra_experiments.report.study import Study

from ..figure_data import FULL, PAPER, WINDOW, frame, like_the_paper, run, time_line, times
from ..helpers import REAL, needs_data


def speed(ours, theirs, residual=None, methods=("davidson-1e-6", "arpack-1e-6")):
    return solver_time.title([time_line(methods[0], ours), time_line(methods[1], theirs, residual=residual)])


def three(none, exact, inexact, seconds=(1.0, 3.0)):
    return frame(
        [run(auc=none), run(pe="slpe-e", auc=exact, seconds=seconds[0]), run(pe="slpe-i", auc=inexact,
                                                                            seconds=seconds[1])]
    )  # fmt: skip


def several(gained):
    """SLPE-E above none by so much, seed by seed; LPE-E as good as none, give or take."""
    rows = [run(seed=seed) for seed in range(len(gained))]
    rows += [run(pe="slpe-e", seed=seed, auc=90.0 + gain) for seed, gain in enumerate(gained)]
    return frame(rows + [run(pe="lpe-e", seed=seed, auc=90.0 + (-1) ** seed) for seed in range(len(gained))])


def ranking(ranks, difference, num_settings):
    names = sorted(ranks, key=ranks.get)
    return Ranking(
        tuple(names),
        tuple(map(ranks.get, names)),
        num_settings,
        math.nan,
        math.nan,
        0.05,
        difference,
        groups=(),
    )


TITLES = [  # as functions, so that one that fails is one test that fails
    (
        lambda: speed(1.0, 40.0),
        "On 50,005 nodes Davidson is 40 times faster than Lanczos at the same accuracy",
    ),
    (
        lambda: speed(3.0, 2.0),
        "On 50,005 nodes Davidson is 1.5 times slower than Lanczos at the same accuracy",
    ),
    (
        lambda: speed(1.0, 1.01, 5.1, ("davidson-1e-3", "lobpcg-20")),
        "To 10⁻³ Davidson is as fast as 20 steps of LOBPCG on 50,005 nodes, which stop at a residual of 5",
    ),
    (
        lambda: solver_time.title([time_line("full", 0.5, 60)]),
        "On 60 nodes all eigenpairs (dense) is the fastest that was measured: 500 ms",
    ),
    (
        lambda: auc.title(three(80, 84, 83), "enron10"),
        "enron10: SLPE-E gains most over no encoding, +4.0 AUC points on average",
    ),
    (
        lambda: auc.title(three(84, 80, 83), "enron10"),
        "enron10: no encoding gains over none on average; SLPE-I comes closest (−1.0 AUC points)",
    ),
    (
        lambda: agreement_.title(compare(cells(frame([run(auc=50.0)])), PAPER)),
        "100.0 % of 1 cell are within 3 AUC points of the paper or better (100.0 % within)",
    ),
    (
        lambda: agreement_.title(compare(cells(frame([run(auc=40.0)])), PAPER)),
        "0.0 % of 1 cell are within 3 AUC points of the paper or better (0.0 % within)",
    ),
    (
        lambda: ranks.title(ranking({"none": 3.0, "lpe-e": 1.2, "slpe-e": 1.4}, 0.5, 8)),
        "LPE-E ranks first over 8 settings (1.20 on average); SLPE-E cannot be told from it",
    ),
    (
        lambda: ranks.title(ranking({"none": 1.0, "lpe-e": 2.2, "slpe-e": 2.8}, 0.5, 8)),
        "none ranks first over 8 settings (1.00 on average), "
        "ahead of every other by more than the critical difference",
    ),
    (
        lambda: ranks.title(ranking({"none": 1.0, "lpe-e": 1.2}, 0.5, 1)),
        "none ranks first over 1 setting (1.00 on average), but cannot be told from any other",
    ),
    (
        lambda: ranks.title(ranking({"none": 3.0, "lpe-e": 1.2, "slpe-e": 1.2, "lpe-i": 1.4}, 0.5, 8)),
        "LPE-E and SLPE-E rank first over 8 settings (1.20 on average); LPE-I cannot be told from them",
    ),
    (
        lambda: ranks.title(ranking({"none": 1.5, "lpe-e": 1.5}, 0.5, 4)),
        "none and LPE-E rank alike over 4 settings",
    ),
    (
        lambda: gains.title(gain_by_encoding(three(80, 84, 83))),
        "SLPE-E adds most: +4.0 AUC points on average",
    ),
    (
        lambda: gains.title(gain_by_encoding(three(84, 80, 83))),
        "No encoding adds to none on average; SLPE-I comes closest",
    ),
    (
        lambda: gains.title(gain_by_encoding(several([1.0, 1.2, 0.9]))),
        "SLPE-E adds most: +1.0 AUC points on average; the interval of SLPE-E is above zero",
    ),
    (
        lambda: cost.title(cost_by_encoding(three(80, 84, 83))),
        "SLPE-E gains most (+4.0 AUC points over none on average)",
    ),
    (
        lambda: cost.title(cost_by_encoding(three(80, 74, 78, (3.0, 1.0)))),
        "SLPE-I loses least (−2.0 AUC points over none on average)",
    ),
]


@pytest.mark.parametrize(("title", "expected"), TITLES)
def test_titles_follow_the_data(title, expected):
    assert title().startswith(expected)


@pytest.mark.parametrize("name", ["gains", "auc_enron10", "agreement", "ranks", "cost", "solver_time"])
def test_reversed_data_reverse_the_title(name):
    runs = like_the_paper(1).assign(auc=lambda table: 150 - table["auc"])
    turned = [line | {"seconds": 1 / line["seconds"]} for line in times()]
    spec = FIGURES[name]
    assert spec.title(*spec.given(FULL)) != spec.title(*spec.given(Study(runs, solver_times=turned)))


def test_partly_run_settings_do_not_bend_the_averages():
    # slpe-e is better wherever both were run; lpe-e was also run where everything gains much.
    rows = [run(auc=80), run(pe="slpe-e", auc=84), run(pe="lpe-e", auc=82)]
    rows += [run(features="one-hot", auc=50), run(features="one-hot", pe="lpe-e", auc=90)]
    assert "SLPE-E gains most" in auc.title(frame(rows), "enron10")
    assert "SLPE-E gains most" in cost.title(cost_by_encoding(frame(rows)))
    assert set(balanced(cells(frame(rows)))["features"]) == {"zeros"}


def test_gains_are_differences_of_means():
    table = differences(FULL.cells, WITH_NONE)
    table = table.set_index(["dataset", "model", "features", "first"])["difference"]
    runs = FULL.runs
    for name in (("dblp", "egcn-h", "zeros", "slpe-i"), ("as733", "slate", "random", "lpe-t")):
        chosen = runs[(runs[["dataset", "model", "features"]] == list(name[:3])).all(axis=1)]
        with_, without = (chosen[chosen["pe"] == pe]["auc"].tolist() for pe in (name[3], "none"))
        assert table[name] == pytest.approx(sum(with_) / 3 - sum(without) / 3)
    assert len(table) == 288


def test_cost_has_intervals_over_three_seeds_and_none_over_two():
    three, two = cost_by_encoding(FULL.runs), cost_by_encoding(FULL.runs[FULL.runs["seed"] < 2])
    assert three[["low", "high"]].notna().all(axis=None)
    assert two[["low", "high"]].isna().all(axis=None)
    mine = three.set_index(["dataset", "pe"]).loc[("enron10", "slpe-e")]
    runs = FULL.runs[(FULL.runs["dataset"] == "enron10") & ~FULL.runs["model"].isin(UNLEARNED)]
    means = runs.groupby(["pe", "seed"])["auc"].mean()
    by_seed = [means["slpe-e", s] - means["none", s] for s in range(3)]
    assert mine["gain"] == pytest.approx(np.mean(by_seed))
    half = 4.302653 * np.std(by_seed, ddof=1) / math.sqrt(3)
    assert mine["gain"] - mine["low"] == pytest.approx(half, rel=1e-5)
    assert mine["high"] - mine["gain"] == pytest.approx(half, rel=1e-5)


def test_joined_layers_have_the_least_energy_and_the_eigenvalues_say_so():
    compared = smoothness.compare(WINDOW, "blocks", k=4)
    graph = supra_graph(WINDOW)
    dense = graph.adjacency.toarray()
    values = np.linalg.eigvalsh(np.diag(dense.sum(axis=0)) - dense)
    alone, agreeing, joined = compared.energies
    assert joined.total == pytest.approx(values[1:5].mean())
    assert joined.total <= agreeing.total <= alone.total + 1e-9
    assert alone.intra == pytest.approx(agreeing.intra)
    assert compared.alone.shape == compared.joined.shape
    with pytest.raises(ExperimentError, match="must have more than 8 active nodes in each snapshot"):
        smoothness.compare(generators.path_layers(5, 3), "short")


def test_smoothness_titles_turn_around():
    good = smoothness.compare(WINDOW, "blocks", k=4)
    alone, agreeing, joined = good.energies
    bad = smoothness.Compared("turned", good.alone, good.joined, (joined, agreeing, alone), 4)
    assert "-fold on blocks" in smoothness.title([good])
    assert smoothness.title([bad]).endswith("do not cut the change of eigenvectors over time on turned")
    assert smoothness.title([good, bad]).endswith(", but not on turned")


@needs_data
def test_matrices_count_the_rows_of_a_real_window():
    graph = load("enron10", root=REAL).graph
    window = graph.window(graph.num_snapshots - 1, 5)
    active = sum(int(window.active(t).sum()) for t in range(5)) + 5
    whole = 5 * (graph.num_nodes + 1)
    assert f"leaves {active:,} of {whole:,} rows" in matrices.title(window, "enron10")
