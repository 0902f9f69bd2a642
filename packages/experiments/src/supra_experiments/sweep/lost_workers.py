"""Why a worker is gone: whether it died, or its whole node did, which is no fault of its trial."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

PATIENCE = 40.0
"""Seconds after which a node that is not known to be dead is alive; Ray notices in half that time."""

MAX_LOST = 10
"""A run that lost so many nodes is taken for what kills them."""


def why_lost(message: str) -> tuple[str, str]:
    """The kind and the reason of a failure of which only Ray's message is known.

    Example:
        >>> why_lost("The actor died because its node has died. Node Id: 4e1c")
        ('node', 'its node died')
    """
    lower = message.lower()
    if "node has died" in lower or "node was terminated" in lower:
        return "node", "its node died"
    if "low on memory" in lower:
        return "memory", "Ray killed the worker because the node ran low on memory"
    return "worker", "the worker process died; the system kills one that takes too much memory"


@dataclass
class Suspicions:
    """Workers that vanished, until it is known whether their nodes did too.

    Args:
        dead_nodes: the ids of nodes that are known to be dead.
        clock: seconds, of any origin.

    Example:
        >>> dead, now = set(), [0.0]
        >>> suspicions = Suspicions(lambda: dead, lambda: now[0])
        >>> suspicions.add("a", "node 1"); suspicions.add("b", "node 2")
        >>> list(suspicions.settled())
        []
        >>> dead.add("node 1"); now[0] = PATIENCE
        >>> list(suspicions.settled())
        [('a', True), ('b', False)]
    """

    dead_nodes: Callable[[], set[str]]
    clock: Callable[[], float] = time.monotonic
    _open: list[tuple[str, str | None, set[str], float]] = field(default_factory=list)

    def add(self, trial: str, node: str | None) -> None:
        """The worker of a trial vanished; on which node is None where it vanished before it could say."""
        before = set() if node is not None else self.dead_nodes()
        self._open.append((trial, node, before, self.clock()))

    def has(self, trial: str) -> bool:
        """Whether nothing is known yet of a worker of the trial."""
        return any(suspect == trial for suspect, *_ in self._open)

    def settled(self) -> Iterator[tuple[str, bool]]:
        """Trials of which it is known by now, and whether their node died."""
        if not self._open:
            return
        dead, now = self.dead_nodes(), self.clock()
        for entry in list(self._open):
            trial, node, before, since = entry
            # Any node that died meanwhile may have been the one that nobody knows.
            died = node in dead if node is not None else bool(dead - before)
            if died or now - since >= PATIENCE:
                self._open.remove(entry)
                yield trial, died
