"""The cores of this machine, one process each: what needs no cluster starts without one."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any, TypeVar

from supra_core.checks import check_count
from supra_experiments.errors import ClusterError

_RETRIES = 10
Shared = TypeVar("Shared")
Item = TypeVar("Item")
Result = TypeVar("Result")


def num_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class LocalProcesses:
    """Processes of this machine, which spread calls as a cluster does.

    They start in about a second, where a cluster of one's own takes several and keeps the cores busy with
    itself. They end with the work, and with the process that started them, however that ends.

    Args:
        num_cpus: how many; all cores that this process may use where not given.

    Raises:
        InvalidArgumentError: fewer than one.
    """

    num_cpus: int = field(default_factory=num_cores)

    def __post_init__(self) -> None:
        check_count("num_cpus", self.num_cpus)

    def spread(
        self,
        function: Callable[[Shared, Item], Result],
        shared: Shared,
        items: Sequence[Item],
        *,
        finished: Callable[[Item], object] = lambda _: None,
    ) -> Iterator[Result]:
        """``function(shared, item)`` for each item, one core a call; the results in the order of the items.

        A call whose process is lost is made again. At most four calls a core are ahead of what has been given
        out, so that results that wait for their turn cannot fill the memory.

        Args:
            function: of a module.
            shared: sent once to each process.
            items: what the calls differ in.
            finished: told of each item as soon as it is done, in no certain order.

        Raises:
            ClusterError: processes were lost again and again; what the function itself raises comes as it is.
        """
        waiting, losses = deque(range(len(items))), 0
        done: dict[int, Future[Result]] = {}
        pending: dict[Future[Result], int] = {}
        pool = self._pool(shared)
        try:
            for turn in range(len(items)):
                while turn not in done:
                    try:
                        while waiting and waiting[0] < turn + 4 * self.num_cpus:
                            pending[pool.submit(_call, function, items[waiting[0]])] = waiting[0]
                            waiting.popleft()
                        for future in wait(pending, return_when=FIRST_COMPLETED).done:
                            error = future.exception()
                            if isinstance(error, BrokenProcessPool):
                                raise error
                            done[pending[future]] = future
                            item = items[pending.pop(future)]
                            if error is None:
                                finished(item)
                    except BrokenProcessPool:  # what all of its processes were at is lost
                        losses += 1
                        if losses > _RETRIES:
                            message = "processes of this machine were lost again and again"
                            raise ClusterError(message) from None
                        waiting.extendleft(sorted(pending.values(), reverse=True))
                        pending.clear()
                        pool.shutdown()
                        pool = self._pool(shared)
                # An error waits for its turn as well: of several, the first item's is told.
                yield done.pop(turn).result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _pool(self, shared: Any) -> ProcessPoolExecutor:
        # Spawned, as a copy of a process with threads may hang.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.num_cpus, context, initializer=_prepare, initargs=(shared,))


_shared: Any = None


def _prepare(shared: Any) -> None:
    """Keep what all calls share; end at Ctrl-C without a word, and with the process that waits for us."""
    global _shared
    _shared = shared
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def _call(function: Callable[[Any, Item], Result], item: Item) -> Result:
    return function(_shared, item)
