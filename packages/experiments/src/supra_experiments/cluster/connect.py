"""A Ray cluster to work on: a local one started here, or one that is joined."""

import importlib.util
import logging
import os
import socket
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import ray
from ray.exceptions import RayError, RayTaskError

from supra_experiments.cluster.environment import ONE_THREAD
from supra_experiments.cluster.scratch import scratch_folder
from supra_experiments.errors import ClusterError

_RETRIES = 10
_SECONDS_TO_ANSWER = 5.0
_AUTHENTICATION = "RAY_AUTH_MODE"
Shared = TypeVar("Shared")
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Node:
    """One machine of a cluster, with what Ray may hand out there."""

    node_id: str
    num_cpus: float
    num_gpus: float


@dataclass(frozen=True)
class Cluster:
    """A cluster this process is connected to.

    Attributes:
        address: where it was joined, ``host:port`` or ``ray://host:port``.
        is_local: whether it was started here, and ends with this connection.
        dashboard_url: where Ray's dashboard is; None where it does not run (it comes with ``ray[default]``).
    """

    address: str
    is_local: bool
    dashboard_url: str | None

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The machines that are alive now."""
        alive = [node for node in ray.nodes() if node["Alive"]]
        return tuple(
            Node(
                node_id=node["NodeID"],
                num_cpus=node["Resources"].get("CPU", 0.0),
                num_gpus=node["Resources"].get("GPU", 0.0),
            )
            for node in alive
        )

    @property
    def num_cpus(self) -> float:
        """CPUs of all machines that are alive now."""
        return sum(node.num_cpus for node in self.nodes)

    @property
    def num_gpus(self) -> float:
        """GPUs of all machines that are alive now."""
        return sum(node.num_gpus for node in self.nodes)

    def spread(
        self,
        function: Callable[[Shared, Item], Result],
        shared: Shared,
        items: Sequence[Item],
        *,
        finished: Callable[[Item], object] = lambda _: None,
    ) -> Iterator[Result]:
        """``function(shared, item)`` for each item, one CPU a call; the results in the order of the items.

        A call whose process or machine is lost is made again, elsewhere. At most four calls a CPU are ahead
        of what has been given out, so that results that wait for their turn cannot fill the memory.

        Args:
            function: of a module that is installed on all machines.
            shared: sent once, not with every call.
            items: what the calls differ in.
            finished: told of each item as soon as it is done, in no certain order.

        Raises:
            ClusterError: a call was lost again and again; what the function itself raises comes as it is.
        """
        call = ray.remote(_call).options(
            name=function.__name__, num_cpus=1, max_retries=_RETRIES, scheduling_strategy="SPREAD"
        )
        handle, waiting, ahead = ray.put(shared), deque(items), max(8, 4 * int(self.num_cpus))
        pending: dict[Any, Item] = {}
        ordered: deque[Any] = deque()
        while waiting or ordered:
            while waiting and len(ordered) < ahead:
                ordered.append(call.remote(function, handle, waiting[0]))
                pending[ordered[-1]] = waiting.popleft()
            while ordered[0] in pending:
                for reference in ray.wait(list(pending), fetch_local=False)[0]:
                    finished(pending.pop(reference))
            yield _result(ordered.popleft())


def _call(function: Callable[[Shared, Item], Result], shared: Shared, item: Item) -> Result:
    return function(shared, item)


def _result(reference: Any) -> Any:
    try:
        return ray.get(reference)
    except RayTaskError as error:
        if "failed to import on the worker" in str(error.cause):
            raise ClusterError(
                "a machine of the cluster lacks this package, or has another version"
            ) from error
        raise error.cause from None
    except RayError as error:
        raise ClusterError(f"the cluster gave up: {' '.join(str(error).split())}") from error


@contextmanager
def connect(
    address: str | None = None,
    *,
    num_cpus: int | None = None,
    num_gpus: int | None = None,
    dashboard: bool = True,
    temp_dir: Path | None = None,
    env: dict[str, str] | None = None,
) -> Iterator[Cluster]:
    """Connect this process to a cluster for the length of a ``with`` block.

    A local cluster keeps its files in a folder of its own and ends with the block. Its dashboard listens on
    127.0.0.1 alone, and so do its other ports where
    :func:`~supra_experiments.cluster.environment.keep_to_this_machine` was called before Ray was imported,
    as the commands do; else those listen on all interfaces of a Linux machine, as Ray has it. A cluster that
    is joined goes on. Worker processes compute with one thread each.

    Args:
        address: None (or ``"local"``) starts a local cluster; ``"auto"`` joins the one that runs on this
            machine or that ``RAY_ADDRESS`` names; ``"host:port"`` and ``"ray://host:port"`` join that one.
        num_cpus: what a local cluster hands out; all cores where not given.
        num_gpus: likewise; the GPUs that Ray finds where not given.
        dashboard: whether a local cluster has Ray's dashboard, where ``ray[default]`` is installed.
        temp_dir: an existing folder for a local cluster's sockets and logs, kept; else a temporary one.
        env: further environment variables of all worker processes.

    Raises:
        ClusterError: the address is malformed, nothing answers there, or it does not let us in.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    settings: dict[str, Any] = {
        "runtime_env": {"env_vars": ONE_THREAD | (env or {})},
        "log_to_driver": False,
        "logging_level": logging.ERROR,
    }
    if address in (None, "local"):
        with nullcontext(temp_dir) if temp_dir else scratch_folder() as folder:
            yield from _session(
                None,
                {
                    **settings,
                    "num_cpus": num_cpus,
                    "num_gpus": num_gpus,
                    "include_dashboard": dashboard and _has_dashboard(),
                    "dashboard_host": "127.0.0.1",
                    "_temp_dir": str(folder.resolve()),
                },
            )
        return
    for name, value in (("num_cpus", num_cpus), ("num_gpus", num_gpus), ("temp_dir", temp_dir)):
        if value is not None:
            raise ClusterError(f"{name}={value!r}: the cluster at {address} has what it was started with")
    _refuse_silence(str(address))
    yield from _session(str(address), settings)


def _session(address: str | None, settings: dict[str, Any]) -> Iterator[Cluster]:
    if ray.is_initialized():
        raise ClusterError("this process is connected to a Ray cluster already: leave that one first")
    with _authentication_kept():
        yield from _connection(address, settings)


@contextmanager
def _authentication_kept() -> Iterator[None]:
    """Have this process ask others for a token afterwards only if it did before.

    Where nothing is set, Ray protects a local cluster by a token, and the process that started it goes on
    asking for one. The machines of a cluster without tokens that is joined next have none: they could fetch
    nothing from this process, and would take it for dead.
    """
    was_set = _AUTHENTICATION in os.environ
    try:
        yield
    finally:
        if not was_set and os.environ.pop(_AUTHENTICATION, None) is not None:
            ray._raylet.Config.initialize("")  # reads the environment again
            ray._raylet.AuthenticationTokenLoader.instance().reset_cache()


def _connection(address: str | None, settings: dict[str, Any]) -> Iterator[Cluster]:
    try:
        context = ray.init(address=address or "local", **settings)
    except Exception as error:
        with suppress(Exception):
            ray.shutdown()
        reason = " ".join(str(error).split()) or type(error).__name__
        if address is None:
            raise ClusterError(f"Ray does not start here: {reason}") from error
        if _AUTHENTICATION not in os.environ:
            reason += " (if it asks for a token: RAY_AUTH_MODE=token, and the head's ~/.ray/auth_token here)"
        raise ClusterError(f"address={address!r}: {reason}") from error
    try:
        yield Cluster(
            address=address if address and "://" in address else context.address_info["address"],
            is_local=address is None,
            dashboard_url=f"http://{context.dashboard_url}" if context.dashboard_url else None,
        )
    finally:
        ray.shutdown()


def _refuse_silence(address: str) -> None:
    """Refuse at once an address where nothing answers: Ray itself would try it for minutes."""
    is_client = address.startswith("ray://")
    if is_client and importlib.util.find_spec("grpc") is None:
        raise ClusterError(f"address={address!r}: needs Ray's client, pip install 'ray[client]'")
    place = os.environ.get("RAY_ADDRESS") if address == "auto" else address
    if place is None:
        return  # a cluster of this machine: Ray says itself at once that there is none
    host, _, port = place.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ClusterError(f"address={address!r}: must be local, auto, host:port or ray://host:port")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_SECONDS_TO_ANSWER).close()
    except OSError as error:
        reason = "does not answer" if isinstance(error, TimeoutError) else error.strerror or str(error)
        raise ClusterError(f"address={address!r}: {host}:{port}: {reason}") from None


def _has_dashboard() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("aiohttp_cors", "prometheus_client"))
