"""A trial, in its worker, and the encodings that trials share."""

import functools
import math
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ray
from ray import train, tune
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from supra_core import TemporalGraph
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.sweep.storage import CheckpointStore

if TYPE_CHECKING:
    from supra_experiments.encoding.tensors import EncodedGraph

# Up to Ray 2.42 it was at home in ray.train.
report = tune.report if hasattr(tune, "report") else train.report

REMOVAL_SECONDS = 10.0
"""How long to wait for nodes that remove their encodings."""


@dataclass(frozen=True)
class Shared:
    """What all trials have in common, small enough to travel with each: data is in Ray's object store.

    Attributes:
        datasets: references to them, by the digests of their graphs.
        encodings: the name of a folder, which each node has for itself.
        store: where checkpoints are.
        objective: what a trial computes instead of ``fit``.
    """

    datasets: dict[str, Any]
    encodings: str
    store: CheckpointStore
    objective: Any

    def dataset(self, graph_digest: str) -> Dataset:
        """The dataset, held once a process."""
        key = self.datasets[graph_digest].hex()
        if key not in _HELD:
            _HELD[key] = ray.get(self.datasets[graph_digest])
        return _HELD[key]


_HELD: dict[str, Dataset] = {}


def trial(settings: dict[str, Any], shared: Shared) -> None:
    """The function that Tune runs in a worker; what is slow to import waits until it is needed."""
    from supra_experiments.sweep.trial import describe, run_trial

    config = Config(**settings["config"])
    report({"epoch": 0, "loss": math.nan, "node": ray.get_runtime_context().get_node_id()})
    try:
        record = run_trial(
            config,
            dataset=shared.dataset(settings["graph"]),
            objective=shared.objective or _fit(),
            store=shared.store,
            encode=functools.partial(_encode, folder=_encodings(shared.encodings)),
            selection=settings["selection"],
            report=report,
            device=_device(),
        )
    except Exception as error:
        report({"failure": describe(error)})
        raise
    report({"record": record.to_json()})


def _fit() -> Any:
    from supra_experiments.training.fit import fit

    return fit


def _encode(config: Config, graph: TemporalGraph, *, folder: Path) -> "EncodedGraph | None":
    from supra_experiments.encoding.tensors import encode_graph  # PyTorch, which not all trials need

    return encode_graph(config, graph, folder=folder)


def _device() -> str | None:
    """The GPU that Ray gave to this trial, if PyTorch can use it; else what the settings say."""
    if not ray.get_gpu_ids():
        return None
    import torch

    return "cuda" if torch.cuda.is_available() else None


# ── encodings, computed once on each node ──────────────────────────────────────────────────────────────────


def _encodings(name: str) -> Path:
    """The folder on this node; a node has its own idea of where such folders are."""
    return Path(tempfile.gettempdir()) / name


def remove_encodings(name: str) -> None:
    """Remove the folder from all nodes that are alive, as far as they do it soon."""

    @ray.remote(num_cpus=0)
    def remove() -> None:
        shutil.rmtree(_encodings(name), ignore_errors=True)

    alive = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
    if _encodings(name).exists():
        shutil.rmtree(_encodings(name), ignore_errors=True)
        if len(alive) == 1:  # this machine, which need not start a process for it
            return
    there = [NodeAffinitySchedulingStrategy(node_id=node, soft=False) for node in alive]
    tasks = [remove.options(scheduling_strategy=place).remote() for place in there]
    if tasks:
        ray.wait(tasks, num_returns=len(tasks), timeout=REMOVAL_SECONDS)
