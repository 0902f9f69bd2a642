"""``supra advise``: which encoding, features and model to try first on a graph, and how sure that is."""

import dataclasses
import math
import shlex
import time
import warnings
from typing import Any

from rich.markup import escape

from supra_core import ConvergenceWarning
from supra_core.checks import check_choice
from supra_experiments.analysis import advice as analysis
from supra_experiments.analysis.advice import LEVEL, Advice
from supra_experiments.cli import options as o
from supra_experiments.cli.output import duration, number, print_json, print_rows, print_table, say
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
    graph: o.GraphArgument,
    model: o.AdviceModel = None,
    features: o.AdviceFeatures = None,
    runs: o.AdviceRuns = None,
    why: o.Why = False,
    snapshots: o.Snapshots = None,
    every: o.Every = None,
    unit: o.Unit = None,
    data_root: o.DataRoot = None,
    json: o.Json = False,
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
        told = {
            **_told(advice),
            "points_lost": dict(analysis.points_lost(cells)),
            "without_learning": {} if split is None else _without_learning(dataset, split),
            "encoding_seconds": _encoding_seconds(dataset, split, advice),
        }
        print_json({"graph": dataset.name, **told, "warning": warning, "next": following})
        return
    _show(dataset.name, advice, following, warning)
    if not why:
        say("[dim]--why shows the evidence.[/]")
        return
    _show_why(advice, analysis.points_lost(cells)["rule"])
    _show_bar(dataset, split)
    prices = (f"{pe} {duration(s)}" for pe, s in _encoding_seconds(dataset, split, advice).items())
    say(f"[bold]One window of this graph takes[/] {', '.join(prices)} to encode, measured now.")


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
    of_encodings = {
        "encoding": lambda row: row["pe"],
        "gain": lambda row: number(row["gain"]),
        "better than none": lambda row: "–" if math.isnan(row["better"]) else f"{row['better']:.0%}",
        "lost if always taken": lambda row: number(row["lost"]),
    }
    rows = advice.encodings.to_dict("records")
    print_rows("Encodings over all models, features and graphs (AUC points)", of_encodings, rows)
    if not math.isnan(rule):
        say(
            f"  This rule, given for each graph from the others alone, would have lost [bold]{rule:.2f}[/] "
            "points against the best encoding of each setting."
        )
    of_settings = {
        "model": lambda row: row["model"],
        "features": lambda row: row["features"],
        "behind": lambda row: number(row["behind"]),
        "graphs": lambda row: row["graphs"],
    }
    title = "Models and features with their best encoding (AUC points behind the best of a graph)"
    print_rows(title, of_settings, advice.settings.to_dict("records"), numbers=2)


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


def _told(advice: Advice) -> dict[str, Any]:
    """The advice for machines."""
    return {
        **{name: getattr(advice, name) for name in ("model", "features", "pe", "direct", "sources")},
        "sureness": advice.sureness,
        "gain": dataclasses.asdict(advice.gain),
        "encodings": advice.encodings.to_dict("records"),
        "settings": advice.settings.to_dict("records"),
    }


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
