"""Seconds of a training epoch, of a run alone and in a pack, and what SLATE needs on a large graph.

The models take turns, epoch by epoch, so that all of them meet the same machine.
"""

import operator
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from supra_core.checks import check_count
from supra_experiments.bench.child import in_child
from supra_experiments.bench.outcome import Measured, Outcome, bars, figure_or_dash, gib
from supra_experiments.config import Config
from supra_experiments.datasets import load
from supra_experiments.encoding.tensors import encode_graph
from supra_experiments.protocol.evaluation import make_split
from supra_experiments.protocol.features import node_features
from supra_experiments.training.pack import Pack
from supra_experiments.training.pack_groups import is_stackable
from supra_experiments.training.record import peak_memory
from supra_experiments.training.trainer import Trainer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODELS = ("egcn-h", "egcn-o", "grugcn", "htgn", "slate")


@dataclass(frozen=True)
class TrainingRecord(Measured):
    """One model on one dataset.

    Attributes:
        model, dataset, pe: what was trained.
        epochs: how many were timed.
        median_ms, fastest_ms: milliseconds an epoch and run.
        peak_gib: the largest resident memory, where the model ran in a process of its own.
        pack: how many runs trained as one.
        speedup: how many times the runs a second of a run alone, by the medians.
    """

    model: str
    dataset: str
    pe: str
    epochs: int
    median_ms: float
    fastest_ms: float
    peak_gib: float | None = None
    pack: int = 1
    speedup: float = 1.0


def run(
    *,
    dataset: str = "enron10",
    models: tuple[str, ...] = MODELS,
    pe: str = "none",
    epochs: int = 30,
    pack: int = 32,
    data_root: str | PathLike[str] | None = None,
    large: bool = True,
) -> list[TrainingRecord]:
    """Time epochs of each model, with the defaults of the published protocol, on one thread.

    Args:
        dataset, models, pe: what is trained.
        epochs: how many to time, after three that warm up.
        pack: also so many runs of a model as one, where it can be stacked; 1 for none.
        data_root: the folder of the published datasets.
        large: also one pass of SLATE on as733, active nodes only, in a process of its own.
    """
    check_count("epochs", epochs)
    check_count("pack", pack)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        packs = {}
        for model in models:
            # The published width of all but SLATE, whose default it is.
            width = None if model == "slate" else 16
            config = Config(dataset=dataset, model=model, pe=pe, hidden_channels=width)
            for size in (1, pack) if pack > 1 and is_stackable(config) else (1,):
                runs = [_trainer(config.replace(seed=seed), data_root) for seed in range(size)]
                packs[model, size] = runs[0] if size == 1 else Pack(runs)
        taken: dict[tuple[str, int], list[float]] = {key: [] for key in packs}
        for number in range(1, epochs + 4):
            for key, trained in packs.items():
                if isinstance(trained, Pack):
                    epoch = trained.epoch([number] * len(trained.trainers))[0]
                else:
                    epoch = trained.epoch(number)
                if number > 3:
                    taken[key].append(1000 * epoch.seconds)
    finally:
        torch.set_num_threads(threads)
    records = []
    for (model, size), times in taken.items():
        median, alone = float(np.median(times)), float(np.median(taken[model, 1]))
        record = TrainingRecord(model, dataset, pe, epochs, median, min(times), None, size, alone / median)
        records.append(record)
    return [*records, measure_slate(data_root)] if large else records


def measure_slate(data_root: str | PathLike[str] | None = None) -> TrainingRecord:
    """One forward and backward pass of SLATE on three snapshots of as733, in a process of its own.

    Raises:
        ChildError: the process did not end well; its message is given.
    """
    root = None if data_root is None else fspath(data_root)
    (fields,) = in_child(one_pass, root, task="a pass of SLATE on as733")
    return TrainingRecord(**fields)


def one_pass(data_root: str | None) -> Iterator[dict[str, Any]]:
    """What :func:`measure_slate` runs in a process of its own: the record's fields."""
    torch.set_num_threads(1)
    config = Config(dataset="as733", model="slate", window=3, hidden_channels=64, active_only=True)
    trainer = _trainer(config, data_root, last=3)
    state = trainer.model.initial_state(trainer.graph.num_nodes)
    start = time.perf_counter()
    loss, _ = trainer.loss(2, state, np.random.default_rng(0))
    loss.backward()
    taken = 1000 * (time.perf_counter() - start)
    peak = gib(peak_memory())
    yield TrainingRecord("slate, one pass", "as733", "none", 1, taken, taken, peak).to_dict()


def outcome(records: list[TrainingRecord]) -> Outcome:
    """What is kept and shown."""
    columns: dict[str, Callable[[Any], object]] = {
        **{name: operator.attrgetter(name) for name in ("model", "dataset", "pe", "epochs", "pack")},
        "median ms": lambda r: f"{r.median_ms:.1f}",
        "fastest ms": lambda r: f"{r.fastest_ms:.1f}",
        "speedup": lambda r: f"{r.speedup:.1f}",
        "peak GiB": lambda r: figure_or_dash(r.peak_gib, ".2f", ""),
    }
    figures = {"training.png": figure(records)}
    return Outcome(records, "Training, one thread", columns, left=3, figures=figures)


def figure(records: list[TrainingRecord]) -> "Figure":
    """Milliseconds an epoch and run as bars."""
    shown = {
        r.model if r.pack == 1 else f"{r.model}, {r.pack} as one": r.median_ms
        for r in records
        if r.peak_gib is None
    }
    return bars(shown, "{:.0f} ms", "milliseconds an epoch and run, one thread")


def _trainer(config: Config, data_root: str | PathLike[str] | None, last: int | None = None) -> Trainer:
    """A trainer on the training snapshots, or on the ``last`` of them."""
    config = config.resolved()
    dataset = load(config.data.dataset, root=data_root)
    split = make_split(config, dataset)
    graph = dataset.graph.window(split.num_train - 1, last or split.num_train)
    encoded = encode_graph(config, graph)
    x, in_channels = node_features(config, dataset)
    return Trainer(config, graph, x, in_channels, encoded)
