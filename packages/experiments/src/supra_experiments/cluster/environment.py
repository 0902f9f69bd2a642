"""What processes read from their environment: how many threads, and Ray, which is not imported here."""

import os

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
"""Variables under which a process computes with one thread: n processes on n cores run n times as fast as one
only if none of them starts threads for all cores."""


def keep_to_this_machine(address: str | None) -> None:
    """Have a local cluster listen on 127.0.0.1 alone; call it before Ray is imported.

    Ray reads this variable on import. Where it is 0, a cluster has one machine and the loopback address, as
    is Ray's custom on Windows and macOS; on Linux it would listen on all interfaces.

    Args:
        address: of the cluster; nothing is done for one that is joined, which may have many machines.

    Example:
        >>> keep_to_this_machine("head:6379")
    """
    if address in (None, "local"):
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
