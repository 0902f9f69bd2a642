"""Events of a made-up stream whose nodes have a power law of activity and nothing else in common."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from supra_core.checks import check_count, check_nonnegative

Column = NDArray[np.int64]
# So many ticks of the clock, whatever the number of events.
TICKS = 2_000_000


def power_law_events(
    num_events: int, num_nodes: int, *, exponent: float = 0.75, seed: int = 0
) -> tuple[Column, Column, Column]:
    """Source, target and time of each event, in the order of time.

    Both ends are drawn anew for each event, the node of rank r with a weight of (r + 1) ** -exponent. Nothing
    of a snapshot is left in the next one but the activity of each node.

    Args:
        num_events: how many.
        num_nodes: to draw from; not all need occur.
        exponent: below 1, so that no node takes part in most events; degrees then fall with a power of
            1 + 1 / exponent.
        seed: of the draw.

    Raises:
        InvalidArgumentError: an exponent or a count that makes no sense.

    Example:
        >>> source, target, time = power_law_events(1000, 100)
        >>> len(source), bool(source.max() < 100), bool((np.diff(time) >= 0).all())
        (1000, True, True)
    """
    check_count("num_events", num_events)
    check_count("num_nodes", num_nodes, minimum=2)
    check_nonnegative("exponent", exponent)
    rng = np.random.default_rng(check_count("seed", seed, minimum=0))
    shares = np.cumsum((1.0 + np.arange(num_nodes)) ** -exponent)
    names = rng.permutation(num_nodes)
    ends = [names[np.searchsorted(shares, shares[-1] * rng.random(num_events))] for _ in range(2)]
    return ends[0], ends[1], np.sort(rng.integers(0, TICKS, num_events))


def write_power_law(
    path: Path,
    num_events: int,
    num_nodes: int,
    *,
    exponent: float = 0.75,
    weighted: bool = False,
    seed: int = 0,
) -> None:
    """The same as a CSV file, maybe with weights between 0 and 1."""
    events = power_law_events(num_events, num_nodes, exponent=exponent, seed=seed)
    columns: dict[str, NDArray[Any]] = dict(zip(("source", "target", "time"), events, strict=True))
    if weighted:
        columns["weight"] = np.round(np.random.default_rng(seed).random(num_events), 4)
    pa.csv.write_csv(pa.table(columns), path)
