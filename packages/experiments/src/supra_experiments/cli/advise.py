"""``supra advise``: which encoding, features and model to try first on a graph, and how sure that is."""

import dataclasses
import math
import shlex
import time
import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd
from rich.markup import escape

from supra_core import ConvergenceWarning
from supra_core.checks import check_choice
from supra_experiments.analysis import advice as analysis
from supra_experiments.analysis.advice import LEVEL, Advice
from supra_experiments.cli.options import (
    AdviceFeatures,
    AdviceModel,
    AdviceRuns,
    DataRoot,
    Every,
    GraphArgument,
    Json,
    Snapshots,
    Unit,
    Why,
)
from supra_experiments.cli.output import duration, number, print_json, print_table, say
from supra_experiments.config import FEATURES, NETWORKS, Config
from supra_experiments.config.data import TEST_SEED
from supra_experiments.datasets import Dataset, load
from supra_experiments.datasets.splits import Split
from supra_experiments.protocol.baselines import BASELINES
from supra_experiments.protocol.evaluation import Judge, baseline_at, judge_mean
from supra_experiments.training.record import read_records

REPEATS, PATIENCE = 5, 2.0
"""How often an encoding is timed, and for how many seconds in all; twice at least, for the first is slow."""

TYPICAL_AUC, TOO_UNSURE = 0.9, 3.0
"""A graph is too small where an AUC like this one is not known to within so many points."""

_SOURCES = {"yours": "your runs", "study": "this project's study", "paper": "the paper"}


def advise(
    graph: GraphArgument,
    model: AdviceModel = None,
    features: AdviceFeatures = None,
    runs: AdviceRuns = None,
    why: Why = False,
    snapshots: Snapshots = None,
    every: Every = None,
    unit: Unit = None,
    data_root: DataRoot = None,
    json: Json = False,
) -> None:
    """Say in three lines what to try first, how sure that is, and what to type next.

    The evidence is the paper's 336 cells, this project's own study and your records. The rule is plain: the
    encoding that gained most over all known graphs, models and features. Runs of your very graph decide
    where there are any.

    Examples: [cyan]supra advise enron10[/] and [cyan]supra advise mine.csv --model egcn --runs runs.jsonl[/]
    """
    if model is not None:
        model = Config(model=check_choice("model", model, NETWORKS)).model.name
    if features is not None:
        check_choice("features", features, FEATURES)
    dataset = load(graph, root=data_root, num_snapshots=snapshots, every=every, unit=unit)
    cells = analysis.evidence(read_records(runs or []), dataset)
    advice = analysis.advise(cells, dataset.name, model=model, features=features)
    split = _split(dataset)
    options = {"snapshots": snapshots, "every": every, "unit": unit, "data-root": data_root}
    following = None if split is None else _command(advice, graph, options)
    warning = _too_small(dataset, split)
    if json:
        lost = analysis.points_lost(cells)
        print_json(_report(dataset, advice, lost, split, following, warning))
        return
    _show(dataset.name, advice, following, warning)
    if why:
        _show_why(advice, analysis.points_lost(cells)["rule"])
        _show_bar(dataset, split)
        prices = (f"{pe} {duration(s)}" for pe, s in _encoding_seconds(dataset, split, advice).items())
        say(f"[bold]One window of this graph takes[/] {', '.join(prices)} to encode, measured now.")
    else:
        say("[dim]--why shows the evidence.[/]")


# ── what is said ───────────────────────────────────────────────────────────────────────────────────────────


def _show(name: str, advice: Advice, following: str | None, warning: str | None) -> None:
    encoding = "no encoding" if advice.pe == "none" else f"encoding {advice.pe}"
    say(f"[bold]Try first on {escape(name)}: {advice.model}, {advice.features} features, {encoding}.[/]")
    say(f"[bold]How sure: {advice.sureness}.[/] {_ground(name, advice)}")
    if warning is not None:
        say(f"[yellow]{warning}[/]")
    if following is not None:
        say(f"[bold]Next:[/] [cyan]{escape(following)}[/]")


def _ground(name: str, advice: Advice) -> str:
    """Who says so, and what the encoding gained there."""
    sources = " and ".join(_SOURCES[source] for source in advice.sources)
    gain = advice.gain
    if advice.direct:
        where = f"Runs of {escape(name)} itself decide, by {sources}"
        if math.isnan(gain.mean):
            return f"{where}."
        return f"{where}: {number(gain.mean)} AUC points over no encoding."
    if advice.pe == "none" or math.isnan(gain.mean):
        return f"Nobody ran this graph; by {sources}."
    interval = f"{LEVEL:.0%} of graphs: {gain.low:+.1f} … {gain.high:+.1f}"
    return (
        f"With these it gained {gain.mean:+.1f} AUC points over no encoding on average ({interval}) and was "
        f"better on {gain.num_better} of {gain.num_graphs} graphs, by {sources}."
    )


def _show_why(advice: Advice, rule: float) -> None:
    print_table(
        "Encodings over all models, features and graphs (AUC points)",
        ["encoding", "gain", "better than none", "lost if always taken"],
        [
            [
                row.pe,
                number(row.gain),
                "–" if math.isnan(row.better) else f"{row.better:.0%}",
                number(row.lost),
            ]
            for row in _rows(advice.encodings)
        ],
    )
    if not math.isnan(rule):
        say(
            f"  This rule, given for each graph from the others alone, would have lost [bold]{rule:.2f}[/] "
            "points against the best encoding of each setting."
        )
    print_table(
        "Models and features with their best encoding (AUC points behind the best of a graph)",
        ["model", "features", "behind", "graphs"],
        [[row.model, row.features, number(row.behind), row.graphs] for row in _rows(advice.settings)],
        numbers=2,
    )


def _show_bar(dataset: Dataset, split: Split | None) -> None:
    if split is None:
        say("No bar to beat and nothing to train: a single snapshot leaves nothing to predict.")
        return
    rows = _without_learning(dataset, split)
    kinds = list(next(iter(rows.values())))
    print_table(
        "The bar to beat: AUC in percent without any learning, by kind of test negatives",
        ["score", *kinds],
        [[name, *(number(aucs[kind]) for kind in kinds)] for name, aucs in rows.items()],
    )


def _report(
    dataset: Dataset,
    advice: Advice,
    lost: Any,
    split: Split | None,
    following: str | None,
    warning: str | None,
) -> dict[str, Any]:
    tables = ("encodings", "settings")
    told = {field.name: getattr(advice, field.name) for field in dataclasses.fields(advice)}
    return {
        "graph": dataset.name,
        **{name: value for name, value in told.items() if name not in (*tables, "gain")},
        "sureness": advice.sureness,
        "gain": dataclasses.asdict(advice.gain),
        **{name: told[name].to_dict("records") for name in tables},
        "points_lost": dict(lost),
        "without_learning": {} if split is None else _without_learning(dataset, split),
        "encoding_seconds": _encoding_seconds(dataset, split, advice),
        "warning": warning,
        "next": following,
    }


def _rows(table: pd.DataFrame) -> Iterator[Any]:
    """The rows as named tuples whose fields may be of any type."""
    return iter(table.itertuples(index=False))


# ── what is measured here ──────────────────────────────────────────────────────────────────────────────────


def _split(dataset: Dataset) -> Split | None:
    try:
        return dataset.split_rule.split(dataset.graph.num_snapshots)
    except ValueError:  # a single snapshot
        return None


def _too_small(dataset: Dataset, split: Split | None) -> str | None:
    """Why nothing can be said of a graph this small, if so: the AUC of few links is hardly known."""
    if split is None:
        return "This graph has a single snapshot: there is nothing to predict."
    links = sum(
        dataset.graph.snapshot(t)[0].size for t in range(split.num_train, dataset.graph.num_snapshots)
    )
    # Two standard errors of an AUC from as many links as non-links, at most: one draw decides one pair.
    unsure = 200 * math.sqrt(TYPICAL_AUC * (1 - TYPICAL_AUC) / max(links, 1))
    if unsure <= TOO_UNSURE:
        return None
    return (
        f"This graph is too small to tell encodings apart: with {links} test links, an AUC is known to about "
        f"±{min(unsure, 50):.0f} points."
    )


def _without_learning(dataset: Dataset, split: Split) -> dict[str, dict[str, float]]:
    """The AUC of every score without learning under every kind of negatives, in percent."""
    judged = Judge.of(dataset.graph, split, "uniform", TEST_SEED)
    scores = {name: baseline_at(name, dataset.graph, split) for name in BASELINES}
    return {
        name: {str(kind): 100 * judge_mean(links, score).auc for kind, links in judged.by_negatives.items()}
        for name, score in scores.items()
    }


def _encoding_seconds(dataset: Dataset, split: Split | None, advice: Advice) -> dict[str, float]:
    """What one window costs, the last that training looks at; the fastest of a few times."""
    stop = (dataset.graph.num_snapshots if split is None else split.num_train) - 1
    found = {}
    for pe in dict.fromkeys(["slpe-e", "slpe-i", *([advice.pe] if advice.pe != "none" else [])]):
        encoder = Config(model=advice.model, pe=pe).encoder
        if encoder is None:
            continue
        seconds: list[float] = []
        while len(seconds) < 2 or (len(seconds) < REPEATS and sum(seconds) < PATIENCE):
            start = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                encoder.encode(dataset.graph, stop)
            seconds.append(time.perf_counter() - start)
        found[pe] = min(seconds)
    return found


def _command(advice: Advice, graph: str, options: dict[str, Any]) -> str:
    """What to type next: the choice beside no encoding, several seeds, records kept."""
    encodings = dict.fromkeys(["none", advice.pe, *(["slpe-e"] if advice.pe == "none" else [])])
    parts = ["supra", "train", graph, "--model", advice.model, "--features", advice.features]
    parts += ["--pe", ",".join(encodings), "--seeds", "3", "-o", "runs.jsonl"]
    for name, value in options.items():
        if value is not None:
            parts += [f"--{name}", str(value)]
    return shlex.join(parts)
