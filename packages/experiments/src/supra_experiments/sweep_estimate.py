"""How long a sweep takes, before it starts: a guess from a few measured runs, and what it cannot know."""

from collections import Counter
from dataclasses import dataclass

from supra_experiments.config import Config
from supra_experiments.sweep_spec import SweepSpec
from supra_experiments.sweep_types import Cell, Resources

# Processor seconds of an epoch on one core of a 2-core x86-64 without GPU: the median of 12 epochs (4 on
# as733 and canparl), default settings, mean over zeros and one-hot features without and with exact SLPE.
EPOCH_SECONDS: dict[tuple[str, str], float] = {}
# Epochs until a run stops, at default settings: the mean over the runs with zero features and seed 0.
NUM_EPOCHS: dict[str, float] = {}


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sweep asks for.

    Attributes:
        num_cells: of the study.
        num_runs: that leave a record, scores without learning included.
        num_searches: trials of searches beside.
        core_seconds: of all runs and trials of a known length.
        seconds: the same with all cores at work.
        unknown: datasets and models nothing was measured for, with their numbers of runs and trials.
    """

    num_cells: int
    num_runs: int
    num_searches: int
    core_seconds: float
    seconds: float
    unknown: dict[tuple[str, str], int]


def run_seconds(config: Config) -> float | None:
    """What one run takes on one core at default settings; None where nothing was measured."""
    if not config.is_learned:
        return 1.0
    model = "egcn-h" if config.model.startswith("egcn") else config.model
    epoch = EPOCH_SECONDS.get((config.dataset, model))
    if epoch is None:
        return None
    return epoch * min(NUM_EPOCHS[model], config.max_epochs)


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
    trials = spec.num_trials if spec.mode == "search" else 0
    counts: Counter[Cell] = Counter()
    for config in spec.baseline_runs():
        counts[Cell.of(config)] += 1
    for cell in spec.cells:
        counts[cell] += trials + len(spec.seeds(cell))
    total = reserved = 0.0
    unknown: Counter[tuple[str, str]] = Counter()
    for cell, number in counts.items():
        seconds = run_seconds(spec.config(cell, 0))
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
        seconds=reserved / cores,
        unknown=dict(unknown),
    )
