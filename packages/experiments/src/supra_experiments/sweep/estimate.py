"""How long a sweep takes, before it starts: a guess from a few measured runs, and what it cannot know."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from supra_experiments.config import Config
from supra_experiments.sweep.cells import Cell, Resources
from supra_experiments.sweep.packing import CPU_MEMORY, Packing, Room, published_size
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.pack_groups import kind_of

# Processor seconds of an epoch at default settings, by dataset and model; the second is for one-hot features,
# which make EvolveGCN's weights grow with the square of the nodes. Measured on one core of a 2-core x86-64
# without GPU at commit f70cfad: medians of 12 epochs (4 on as733 and canparl), the mean of zeros or one-hot
# features without and with exact SLPE. SLATE's are from commit f2a729c, the same machine busy with other
# work: the fastest of five epochs, on as733 about the seconds of single epochs in a sweep.
EPOCH_SECONDS: dict[tuple[str, str], tuple[float, float]] = {
    ("enron10", "egcn-h"): (0.025, 0.035),
    ("enron10", "grugcn"): (0.022, 0.022),
    ("enron10", "htgn"): (0.055, 0.049),
    ("enron10", "slate"): (0.10, 0.13),
    ("dblp", "egcn-h"): (0.021, 0.042),
    ("dblp", "grugcn"): (0.029, 0.027),
    ("dblp", "htgn"): (0.068, 0.061),
    ("dblp", "slate"): (0.16, 0.21),
    ("as733", "egcn-h"): (0.22, 31.0),
    ("as733", "grugcn"): (0.48, 0.50),
    ("as733", "htgn"): (0.80, 0.92),
    ("as733", "slate"): (50.0, 85.0),
    ("canparl", "egcn-h"): (0.089, 0.26),
    ("canparl", "grugcn"): (0.11, 0.096),
    ("canparl", "htgn"): (0.20, 0.16),
    ("canparl", "slate"): (1.5, 1.8),
}
# Epochs until a run stops, at default settings: the mean over enron10 and dblp, zero features, all encodings,
# seed 0; for SLATE over enron10 with zero and one-hot features and with exact SLPE.
NUM_EPOCHS = {"egcn-h": 191, "grugcn": 193, "htgn": 305, "slate": 180}
# What a run in a large pack takes of the processor time that it takes alone: on enron10 by model, and at
# least on graphs where one run alone keeps a processor busy. Commit 523cdc4, the same machine.
PACKED = {"egcn-h": 0.5, "grugcn": 0.35, "htgn": 0.25}
PACKED_LARGE = {"canparl": 0.7, "as733": 1.0}


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sweep asks for.

    Attributes:
        num_cells: of the study.
        num_runs: that leave a record, scores without learning included.
        num_searches: trials of searches beside.
        core_seconds: of all runs and trials of a known length.
        cores: that trials can use.
        seconds: the same with all of them at work.
        unknown: datasets and models nothing was measured for, with their numbers of runs and trials.
        packs: how many runs train as one, by cell.
    """

    num_cells: int
    num_runs: int
    num_searches: int
    core_seconds: float
    cores: float
    seconds: float
    unknown: dict[tuple[str, str], int]
    packs: dict[Cell, int]


def run_seconds(config: Config, pack: int = 1) -> float | None:
    """What one run takes on one core at default settings; None where nothing was measured.

    Encodings are shared between runs and take seconds, so they do not count.

    Args:
        config: the settings.
        pack: how many runs train as one; the seconds are this run's share.
    """
    if not config.model.is_learned:
        return 1.0
    model = "egcn-h" if config.model.name.startswith("egcn") else config.model.name
    measured = EPOCH_SECONDS.get((config.data.dataset, model))
    if measured is None:
        return None
    wide = config.data.features == "one-hot" and config.model.embed_channels is None
    own = max(PACKED.get(model, 1.0), PACKED_LARGE.get(config.data.dataset, 0.0))
    share = own + (1 - own) / pack
    return share * measured[wide] * min(NUM_EPOCHS[model], config.training.max_epochs)


def estimate(spec: SweepSpec, cores: float, resources: Resources | None = None) -> Estimate:
    """Numbers of a sweep on so many cores.

    Args:
        spec: the sweep.
        cores: that trials can use.
        resources: what a trial reserves; the sweep's own where not given.

    Example:
        >>> numbers = estimate(SweepSpec.read("quick"), cores=2)
        >>> numbers.num_cells, numbers.num_runs, numbers.unknown
        (84, 88, {})
    """
    resources = spec.resources if resources is None else resources
    counts: Counter[Cell] = Counter()
    for config in spec.baseline_runs():
        counts[Cell.of(config)] += 1
    for cell in spec.cells:
        counts[cell] += spec.trials(cell) + len(spec.seeds(cell))
    packs = _packs(spec, counts, lambda model: Room(int(cores / resources.of(model).cpus), CPU_MEMORY))
    total = reserved = 0.0
    unknown: Counter[tuple[str, str]] = Counter()
    for cell, number in counts.items():
        seconds = run_seconds(spec.config(cell, 0), packs[cell])
        if seconds is None:
            unknown[cell.dataset, cell.model] += number
        else:
            total += number * seconds
            reserved += number * seconds * resources.of(cell.model).cpus
    return Estimate(
        num_cells=len(spec.cells),
        num_runs=spec.num_runs,
        num_searches=spec.num_searches,
        core_seconds=total,
        cores=cores,
        seconds=reserved / cores,
        unknown=dict(unknown),
        packs=packs,
    )


def _packs(spec: SweepSpec, counts: Mapping[Cell, int], room_for: Callable[[str], Room]) -> dict[Cell, int]:
    """How many runs, of this cell and of others, train as one; in a search as if one trial of each cell."""
    packing = Packing(spec.pack, published_size, room_for)
    configs = {cell: spec.config(cell, 0) for cell in counts}
    kinds = {cell: kind_of(config) for cell, config in configs.items()}
    at_once: Counter[Hashable] = Counter()
    for cell, number in counts.items():
        at_once[kinds[cell]] += 1 if spec.mode == "search" else number
    num_left = sum(number for cell, number in counts.items() if kinds[cell] is not None)
    return {
        cell: min(packing.most(config, num_left), at_once[kinds[cell]]) for cell, config in configs.items()
    }
