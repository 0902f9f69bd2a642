"""``supra advise``: which encoding and features to try first on a graph, and how sure that is."""

import dataclasses
import shlex
import time
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from supra_core import ConvergenceWarning
from supra_core.checks import check_choice, check_count
from supra_experiments.analysis import advise as analysis
from supra_experiments.analysis.advise import Choice
from supra_experiments.analysis.evidence import evidence, own_runs
from supra_experiments.analysis.graph_statistics import reference_statistics, training_statistics
from supra_experiments.analysis.leave_one_out import Score, leave_one_out
from supra_experiments.cli.advise_output import show_advice, show_evidence, show_rest, show_score
from supra_experiments.cli.options import DataRoot, Every, GraphArgument, Json, Snapshots, Unit
from supra_experiments.cli.output import note, print_json
from supra_experiments.config import FEATURES, LEARNED, Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.protocol.baselines import BASELINES
from supra_experiments.protocol.evaluation import Judge, baseline_at, judge_mean
from supra_experiments.protocol.negatives import TEST_SEED
from supra_experiments.protocol.splits import Split
from supra_experiments.training.record import read_records

REPEATS, PATIENCE = 5, 2.0
"""How often an encoding is timed, and for how many seconds in all; twice at least, for the first is slow."""


def advise(
    graph: GraphArgument,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Only this model: [cyan]egcn, grugcn, htgn, slate[/]; else the model is part of the advice.",
            show_default=False,
        ),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only these: [cyan]one-hot, random, zeros[/].", show_default=False),
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Records of your own runs, of this graph or of others, as [cyan]supra train -o[/] writes "
            "them; may be given several times.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", help="How many choices to list.")] = 5,
    measure: Annotated[bool, typer.Option(help="Time the encoding of one window of this graph.")] = True,
    snapshots: Snapshots = None,
    every: Every = None,
    unit: Unit = None,
    data_root: DataRoot = None,
    json: Json = False,
) -> None:
    """Say which encoding, features and model to try first, how sure that is, and on what it stands.

    The evidence is the paper's 336 cells, this project's own study and your records. Each dataset counts by
    how much its training snapshots are like those of your graph; runs of your very graph decide where there
    are any. The advice is also put to the test itself: for each dataset as if it had not been seen.

    Examples: [cyan]supra advise enron10[/] and [cyan]supra advise mine.csv --model egcn --runs runs.jsonl[/]
    """
    if model is not None:
        model = check_choice("model", model, LEARNED)
        model = "egcn" if model == "egcn-h" else model  # one model under two names
    if features is not None:
        check_choice("features", features, FEATURES)
    check_count("top", top)
    dataset = load(graph, root=data_root, num_snapshots=snapshots, every=every, unit=unit)
    mine = own_runs(read_records(runs or []), dataset, data_root)
    target = training_statistics(dataset)
    known = reference_statistics() | mine.statistics | {dataset.name: target}
    cells = evidence(mine.records)
    advice = analysis.advise(cells, known, target, name=dataset.name, model=model, features=features)
    others = {name: found for name, found in known.items() if name in advice.weights}
    score = leave_one_out(cells, others, model=model, features=features)
    split = _split(dataset)
    first = advice.choices[0]
    report: dict[str, Any] = {
        "graph": dataset.name,
        "first": dataclasses.asdict(first),
        "sureness": advice.sureness,
        "choices": [dataclasses.asdict(choice) for choice in advice.choices],
        "direct": advice.direct,
        "sources": advice.sources,
        "similarity": advice.similarity,
        "weights": advice.weights,
        "carry_over": advice.carry_over,
        "left_out": mine.left_out,
        "statistics": {name: dataclasses.asdict(found) for name, found in others.items()}
        | {dataset.name: dataclasses.asdict(target)},
        "score": None if score is None else dataclasses.asdict(score),
        "worthwhile": None if score is None else score.worthwhile(),
        "without_learning": {} if split is None else _without_learning(dataset, split),
        "encoding_seconds": _encoding_seconds(dataset, split, first) if measure else {},
        "next": None
        if split is None
        else _command(
            first,
            score,
            graph,
            {"snapshots": snapshots, "every": every, "unit": unit, "data-root": data_root},
        ),
    }
    if json:
        print_json(report)
        return
    for name, count in mine.left_out.items():
        note(f"{count} runs of {name} are left out: the graph they were made on is not at hand")
    show_advice(dataset.name, advice, top)
    show_evidence(dataset.name, advice, others, target)
    show_score(score)
    show_rest(report)


# ── what is measured here ──────────────────────────────────────────────────────────────────────────────────


def _split(dataset: Dataset) -> Split | None:
    try:
        return dataset.split_rule.split(dataset.graph.num_snapshots)
    except ValueError:  # a single snapshot
        return None


def _without_learning(dataset: Dataset, split: Split) -> dict[str, dict[str, float]]:
    """The AUC of every score without learning under every kind of negatives, in percent."""
    judged = Judge.of(dataset.graph, split, "uniform", TEST_SEED)
    scores = {name: baseline_at(name, dataset.graph, split) for name in BASELINES}
    return {
        name: {str(kind): 100 * judge_mean(links, score).auc for kind, links in judged.by_negatives.items()}
        for name, score in scores.items()
    }


def _encoding_seconds(dataset: Dataset, split: Split | None, first: Choice) -> dict[str, float]:
    """What one window costs, the last that training looks at; the fastest of a few times."""
    stop = (dataset.graph.num_snapshots if split is None else split.num_train) - 1
    found = {}
    for pe in dict.fromkeys(["slpe-e", "slpe-i", *([first.pe] if first.pe != "none" else [])]):
        encoder = Config(model=first.model, pe=pe).encoder
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


def _command(first: Choice, score: Score | None, graph: str, options: dict[str, Any]) -> str:
    """What to type next: the first choice beside no encoding, several seeds, records kept.

    Where a plain rule did better than the advice, its encoding is tried as well.
    """
    encodings = ["none", first.pe]
    if score is not None and not score.worthwhile():
        encodings.append(score.best_constant.name.removeprefix("always "))
    parts = ["supra", "train", graph, "--model", first.model, "--features", first.features]
    parts += ["--pe", ",".join(dict.fromkeys(encodings)), "--seeds", "3", "-o", "runs.jsonl"]
    for name, value in options.items():
        if value is not None:
            parts += [f"--{name}", str(value)]
    return shlex.join(parts)
