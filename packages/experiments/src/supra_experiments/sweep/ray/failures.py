"""Whose fault a failure is: the run's, its worker's, or the node's."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import ray
from ray.tune.experiment.trial import Trial

from supra_experiments.sweep.trial import PlannedRun

PATIENCE = 40.0
"""Seconds after which a node that is not known to be dead is alive; Ray notices in half that time."""

MAX_LOST = 10
"""A run that lost so many nodes is taken for what kills them."""

NODE_DIED = "its node died"


def why_lost(message: str) -> tuple[str, str]:
    """The kind and the reason of a failure of which only Ray's message is known.

    Example:
        >>> why_lost("The actor died because its node has died. Node Id: 4e1c")
        ('node', 'its node died')
    """
    lower = message.lower()
    if "node has died" in lower or "node was terminated" in lower:
        return "node", NODE_DIED
    if "low on memory" in lower:
        return "memory", "Ray killed the worker because the node ran low on memory"
    if "ray::" in lower:  # a traceback: the worker is alive, but cannot import the trial, say
        return "error", message.strip().splitlines()[-1].strip()[:500]
    return "worker", "the worker process died; the system kills one that takes too much memory"


def dead_nodes() -> set[str]:
    """The ids of nodes that Ray knows to be dead."""
    return {node["NodeID"] for node in ray.nodes() if not node["Alive"]}


@dataclass
class Attempts:
    """Of one run: how many began, failed by its own fault, and were lost with their node."""

    begun: int = 0
    failed: int = 0
    lost: int = 0


@dataclass
class UnderWay:
    """A pack of runs that a worker trains.

    Attributes:
        left: those that are not over, by name.
        node: where it is; None before it says so.
    """

    left: dict[str, PlannedRun]
    node: str | None = None


@dataclass(frozen=True)
class Vanished:
    """A worker that is gone without a word and with one run; whether its node is gone too shows later.

    Attributes:
        run: what it was doing.
        node: where; None where it vanished before it could say.
        dead_before: nodes that were dead already, and explain nothing.
        since: when.
        is_last: whether there are no attempts left, so that the run waits for the verdict.
    """

    run: PlannedRun
    node: str | None
    dead_before: set[str]
    since: float
    is_last: bool


def error_text(trial: Trial) -> str:
    """What Tune wrote down of a trial's failure."""
    with suppress(OSError, TypeError):
        return Path(trial.error_file).read_text(encoding="utf-8", errors="replace")
    return ""
