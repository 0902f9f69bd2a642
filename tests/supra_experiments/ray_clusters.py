"""Small Ray clusters of this machine alone, each on ports and in a folder of its own."""

import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import ray
from ray.cluster_utils import Cluster


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def cluster_of(*nodes: dict) -> Iterator[Cluster]:
    """A head that runs no trial, and one raylet for each of ``nodes`` (its ``num_cpus``, ``num_gpus``)."""
    # A socket's path has at most 107 characters, and pytest's own folders are deep.
    folder = Path(tempfile.mkdtemp(prefix="supra-ray-", dir="/tmp"))
    # Ray notes the last cluster's address in a folder that it does not make where a session has another.
    Path(tempfile.gettempdir(), "ray").mkdir(exist_ok=True)
    cluster = _head(folder)
    try:
        for node in nodes:
            cluster.add_node(**node)
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def _head(folder: Path, attempts: int = 3) -> Cluster:
    """Ray waits half a minute for a head to start, which a busy machine may need more than once.

    The port was free a moment ago; where somebody took it meanwhile, another is tried.
    """
    arguments = {
        "num_cpus": 0,
        "gcs_server_port": free_port(),
        "temp_dir": str(folder),
        "include_dashboard": False,
    }
    try:
        return Cluster(initialize_head=True, head_node_args=arguments)
    except Exception:
        if attempts == 1:
            raise
    return _head(folder, attempts - 1)
