"""Which runs of a sweep train as one, and how many at most."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from supra_experiments.config import Config
from supra_experiments.datasets.registry import find_entry
from supra_experiments.sweep.trial import PlannedRun, Runs
from supra_experiments.training.pack_groups import group_into_packs, is_stackable

MAX_AUTO = 32
"""More runs in a pack gain little."""

CPU_MEMORY, GPU_MEMORY = 128 * 2**20, 8 * 2**30
"""Bytes that a pack may take. On a processor larger packs are no faster than their runs alone: on as733 an
epoch of GRUGCN took 420 ms alone and 415 ms a run in packs of four. Of a GPU, what even a small one has.
"""


@dataclass(frozen=True)
class GraphSize:
    """What a run's memory depends on, of its dataset.

    Attributes:
        num_nodes, num_snapshots: of the graph.
        num_links: of one snapshot, about.
    """

    num_nodes: int
    num_snapshots: int
    num_links: float


@dataclass(frozen=True)
class Room:
    """What there is for trials.

    Attributes:
        num_trials: at a time.
        memory: bytes for each.
        on_gpu: whether they compute there.
    """

    num_trials: int
    memory: float
    on_gpu: bool = False


@dataclass(frozen=True)
class Packing:
    """How many runs train as one.

    Args:
        wanted: so many at most, or ``auto``: as many as are faster together and fit into memory, and not so
            many that a processor is left without work.
        size_of: of a dataset by its name, None where it is not known.
        room_for: trials of a model by its name.

    Example:
        >>> auto = Packing("auto", published_size, lambda model: Room(2, CPU_MEMORY))
        >>> [auto.most(Config(dataset="enron10", model=model), 40) for model in ("grugcn", "slate")]
        [11, 1]
    """

    wanted: int | str
    size_of: Callable[[str], GraphSize | None]
    room_for: Callable[[str], Room]

    def most(self, config: Config, num_left: int) -> int:
        """How many runs of these settings a pack may have.

        Args:
            config: the settings.
            num_left: runs that are to be shared out, of these settings and of others.
        """
        if not is_stackable(config):
            return 1
        if isinstance(self.wanted, int):
            return self.wanted
        room, size = self.room_for(config.model.model), self.size_of(config.data.dataset)
        if config.model.family == "slate" and not room.on_gpu:
            return 1  # keeps a processor busy, and finds more tokens that are the same in one run than in all
        share = math.ceil(num_left / max(1, room.num_trials))
        fit = 1.0 if size is None else room.memory / run_memory(config, size)
        return max(1, min(MAX_AUTO, share, int(fit)))

    def packs(self, runs: Sequence[PlannedRun]) -> list[Runs]:
        """All runs of a grid, in packs."""
        by_config = {run.config: run for run in runs}
        num_left = sum(map(is_stackable, by_config))
        groups = group_into_packs(list(by_config), lambda config: self.most(config, num_left))
        return [tuple(by_config[config] for config in group) for group in groups]


def published_size(dataset: str) -> GraphSize | None:
    """That of a published dataset, before it is loaded; None for another.

    Example:
        >>> published_size("enron10").num_nodes
        184
    """
    entry = find_entry(dataset)
    if entry is None:
        return None
    links = entry.num_temporal_edges / entry.num_snapshots
    return GraphSize(entry.num_nodes, entry.num_snapshots, links)


def run_memory(config: Config, size: GraphSize) -> float:
    """About what a run adds to its pack, in bytes.

    Most is what the way back through a snapshot keeps of each node and link. EvolveGCN goes back through all
    snapshots, with less of each; its weights, which grow with the square of the channels, are there eight
    times, with gradients and moments. SLATE keeps as much of each snapshot of its window. The factors are
    from packs on enron10, CanParl and as733.

    Example:
        >>> run = Config(model="grugcn", features="zeros")
        >>> round(run_memory(run, published_size("as733")) / 2**20)
        254
    """
    config = config.resolved()
    own, encoder = config.model, config.encoder
    width, layers = own.hidden_channels or 1, own.num_layers or 1
    kept = width * (45 * layers * size.num_nodes + 60 * size.num_links)
    channels = {"zeros": 1, "random": config.data.random_channels}.get(config.data.features, size.num_nodes)
    channels += 0 if encoder is None else encoder.dim
    weights = channels * width + 12 * layers * width**2
    if own.family == "slate":
        kept *= own.window or 1  # a token for each node of each snapshot
    if own.family == "egcn":
        kept *= max(1.0, size.num_snapshots / 5)
        weights += 6 * (own.embed_channels or channels) ** 2
    return 4 * (kept + 8 * weights) + 160 * size.num_links * size.num_snapshots
