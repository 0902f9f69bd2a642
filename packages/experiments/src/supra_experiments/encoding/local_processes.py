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
from types import TracebackType
from typing import Any, Self, TypeVar

from supra_core.checks import check_count
from supra_experiments.encoding.parcel import Parcel, parcel
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


@dataclass
class LocalProcesses:
    """Processes of this machine, which spread calls as a cluster does.

    They start in about a second, where a cluster of one's own takes several and keeps the cores busy with
    itself; in a ``with`` block they start at once, and are ready when what they work on has been read. They
    end with the work, and with the process that started them, however that ends.

    Args:
        num_cpus: how many; all cores that this process may use where not given.

    Raises:
        InvalidArgumentError: fewer than one.
    """

    num_cpus: int = field(default_factory=num_cores)
    _pool: ProcessPoolExecutor | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_count("num_cpus", self.num_cpus)

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop()

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
            shared: lies once in the memory, for all processes.
            items: what the calls differ in.
            finished: told of each item as soon as it is done, in no certain order.

        Raises:
            ClusterError: processes were lost again and again; what the function itself raises comes as it is.
        """
        waiting, losses = deque(range(len(items))), 0
        done: dict[int, Future[Result]] = {}
        pending: dict[Future[Result], int] = {}
        with parcel(shared) as contents, self:
            for turn in range(len(items)):
                while turn not in done:
                    try:
                        pool = self._start()
                        while waiting and waiting[0] < turn + 4 * self.num_cpus:
                            call = pool.submit(_call, function, contents, items[waiting[0]])
                            pending[call] = waiting.popleft()
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
                        self._stop()
                # An error waits for its turn as well: of several, the first item's is told.
                yield done.pop(turn).result()

    def _start(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Spawned, as a copy of a process with threads may hang.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.num_cpus, context, initializer=_prepare)
            for _ in range(self.num_cpus):  # a call starts a process while none is idle
                self._pool.submit(_nothing)
        return self._pool

    def _stop(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def _prepare() -> None:
    """End at Ctrl-C without a word, and with the process that waits for us."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def _nothing() -> None:
    """A call that starts a process."""


def _call(function: Callable[[Any, Item], Result], contents: Parcel, item: Item) -> Result:
    return function(contents.open(), item)
