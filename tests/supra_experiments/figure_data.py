"""Data that figures are drawn from: whole, partial and hardly any."""

import math

import numpy as np
import pandas as pd

from supra_core import TemporalGraph, generators
from supra_experiments.analysis.frame import RUN_COLUMNS, UNLEARNED, paper_cells
from supra_experiments.report.figures import FIGURES
from supra_experiments.report.study import Study

PAPER = paper_cells()


def frame(rows):
    return pd.DataFrame(rows, columns=RUN_COLUMNS)


def run(dataset="enron10", model="egcn-h", features="zeros", pe="none", seed=0, auc=90.0, seconds=1.0):
    learned = model not in UNLEARNED
    return {
        "dataset": dataset, "model": model, "features": features if learned else "", "pe": pe, "seed": seed,
        "auc": auc, "encoding_seconds": seconds if pe != "none" else 0.0, "diverged": False,
        "digest": f"{dataset}/{model}/{features}/{pe}/{seed}",
    }  # fmt: skip


def like_the_paper(num_seeds=3, seed=0):
    """Runs near the paper's cells, and scores without learning."""
    rng = np.random.default_rng(seed)
    rows = []
    for cell in PAPER.to_dict("records"):
        for s in range(num_seeds):
            value = min(100.0, cell["auc"] + rng.normal(0, 2))
            name = (cell["dataset"], cell["model"], cell["features"], cell["pe"])
            rows.append(run(*name, s, value, rng.uniform(0.1, 5)))
    rows += [run(d, m, auc=rng.uniform(80, 97)) for d in PAPER["dataset"].unique() for m in UNLEARNED]
    return frame(rows)


def time_line(method, seconds, num_rows=50_005, graph="generated", part="supra", **more):
    return {"method": method, "seconds": seconds, "num_rows": num_rows, "graph": graph, "part": part} | more


def times():
    pace = {
        "full": 1e-3,
        "arpack-1e-6": 2e-4,
        "lobpcg-20": 1e-5,
        "davidson-1e-3": 1e-5,
        "davidson-1e-6": 2e-5,
    }
    sizes = (1_005, 10_005, 100_005)
    lines = [time_line(m, p * n, n, residual=1e-3) for m, p in pace.items() for n in sizes]
    for graph, n in (("enron10", 590), ("as733", 16_408)):
        lines += [time_line(m, p * n, n, graph) for m, p in pace.items()]
        lines += [time_line(m, p * n / 5, n // 5, graph, "layer") for m, p in pace.items()]
    return lines


WINDOW = generators.block_model(40, 4, num_blocks=2, p_in=0.3, p_out=0.05, seed=1)
FULL = Study(like_the_paper(), solver_times=times(), graph=WINDOW, graph_name="blocks")
PARTIAL = Study(
    frame(
        [run(pe=pe, auc=a, seconds=2.0) for pe, a in (("none", 80.0), ("slpe-e", 91.0), ("lpe-i", 85.0))]
        + [run(pe="slpe-e", model="htgn", auc=math.nan), run(model="count", auc=93.0), run("dblp", auc=77.0)]
    ),
    solver_times=times()[:4],
)
MINIMAL = Study(
    frame([run(auc=50.0), run(pe="lpe-e", auc=100.0)]),
    solver_times=[time_line("full", 0.1, 60)],
    graph=TemporalGraph.from_edges([0], [1], [0]),
    graph_name="an edge",
)
CASES = {
    "full": (FULL, set(FIGURES)),
    "partial": (
        PARTIAL,
        {"gains", "auc_enron10", "auc_dblp", "agreement", "ranks", "cost", "solver_time"},
    ),
    "minimal": (
        MINIMAL,
        {"gains", "auc_enron10", "agreement", "ranks", "solver_time", "smoothness", "matrices"},
    ),
    "none": (Study(frame([])), set()),
    "only counting": (Study(frame([run(model="count")])), set()),
}
