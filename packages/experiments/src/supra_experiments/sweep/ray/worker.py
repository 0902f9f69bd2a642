"""A trial, in its worker, and the encodings that trials share."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ray
from ray import train, tune

from supra_core import TemporalGraph
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.sweep.storage import CheckpointStore

# Up to Ray 2.42 it was at home in ray.train.
report = tune.report if hasattr(tune, "report") else train.report

KEPT_ENCODINGS = 128
"""Encodings that are kept for further trials."""


@dataclass(frozen=True)
class Shared:
    """What all trials have in common, small enough to travel with each: data is in Ray's object store."""

    datasets: dict[str, Any]
    encodings: Any
    store: CheckpointStore
    objective: Any

    def dataset(self, name: str) -> Dataset:
        """The dataset, held once a process."""
        key = self.datasets[name].hex()
        if key not in _HELD:
            _HELD[key] = ray.get(self.datasets[name])
        return _HELD[key]


_HELD: dict[str, Dataset] = {}


def trial(settings: dict[str, Any], shared: Shared) -> None:
    """The function that Tune runs in a worker; what is slow to import waits until it is needed."""
    from supra_experiments.sweep.trial import describe, run_trial

    config = Config.from_dict(settings["config"])
    report({"epoch": 0, "loss": math.nan, "node": ray.get_runtime_context().get_node_id()})
    try:
        record = run_trial(
            config,
            dataset=shared.dataset(config.dataset),
            objective=shared.objective or _fit(),
            store=shared.store,
            encode=_encode_by(shared),
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


def _device() -> str | None:
    """The GPU that Ray gave to this trial, if PyTorch can use it; else what the settings say."""
    if not ray.get_gpu_ids():
        return None
    import torch

    return "cuda" if torch.cuda.is_available() else None


# ── encodings, computed once in the cluster ────────────────────────────────────────────────────────────────


@ray.remote(num_cpus=0)
def _encode(config: Config, dataset: Dataset, num_layers: int) -> Any:
    from supra_experiments.encoding.shared import compute

    return compute(config, dataset, num_layers)


class Encodings:
    """An actor that hands out references to encodings; whoever asks first has them computed."""

    def __init__(self) -> None:
        self._references: dict[str, Any] = {}

    def get(self, key: str, config: Config, dataset: list[Any], num_layers: int) -> list[Any]:
        """A reference, in a list so that Ray does not wait for what it refers to."""
        if key not in self._references:
            while len(self._references) >= KEPT_ENCODINGS:
                del self._references[next(iter(self._references))]
            self._references[key] = _encode.remote(config, dataset[0], num_layers)
        return [self._references[key]]

    def forget(self, key: str, reference: str) -> None:
        """Drop a reference that failed, so that the next who asks has it computed anew."""
        if key in self._references and self._references[key].hex() == reference:
            del self._references[key]


def _encode_by(shared: Shared) -> Callable[[Config, TemporalGraph, int], Any]:
    """What a trial calls instead of computing encodings itself."""

    def fetch(key: str, config: Config, num_layers: int) -> Any:
        dataset = [shared.datasets[config.dataset]]
        while True:
            [reference] = ray.get(shared.encodings.get.remote(key, config, dataset, num_layers))
            try:
                return ray.get(reference)
            except ray.exceptions.RayTaskError:
                raise  # it would fail again
            except (ray.exceptions.ObjectLostError, ray.exceptions.RayActorError):
                # Lost with a node, together with who could have computed it again.
                ray.get(shared.encodings.forget.remote(key, reference.hex()))

    def encode(config: Config, graph: TemporalGraph, num_layers: int) -> Any:
        from supra_experiments.encoding.shared import Cache, key_of

        key = key_of(config, graph, num_layers)
        return None if key is None else Cache.get(key, lambda: fetch(key, config, num_layers))

    return encode
