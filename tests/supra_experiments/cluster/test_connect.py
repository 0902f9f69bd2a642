"""Clusters of real Ray processes: how one is started and left, and what is said where none can be joined."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from supra_experiments.cli.main import main
from supra_experiments.cluster.connect import connect
from supra_experiments.cluster.environment import ONE_THREAD
from supra_experiments.errors import ClusterError

pytestmark = pytest.mark.cluster

# ── a cluster of our own ───────────────────────────────────────────────────────────────────────────────────

ENVIRONMENT = (*ONE_THREAD, "SUPRA_DATA")

ALONE = """
import json, os, socket, sys, urllib.request
from pathlib import Path
from supra_experiments.cluster.environment import keep_to_this_machine

keep_to_this_machine(None)
import ray
from supra_experiments.cluster.connect import connect
from supra_experiments.errors import ClusterError

def opens(host, port):
    try:
        socket.create_connection((host, port), timeout=2).close()
    except OSError:
        return False
    return True

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:  # nothing is sent
    probe.connect(("192.0.2.1", 9))
    outer = probe.getsockname()[0]
seen = {}
with connect(num_cpus=3, num_gpus=1, env={"SUPRA_DATA": "/data"}) as cluster:
    seen["resources"] = [cluster.is_local, cluster.num_cpus, cluster.num_gpus, len(cluster.nodes)]
    ports = [int(cluster.address.rpartition(":")[2])]
    if cluster.dashboard_url is not None:
        ports.append(int(cluster.dashboard_url.rpartition(":")[2]))
        with urllib.request.urlopen(cluster.dashboard_url, timeout=20) as page:
            seen["page"] = page.read().decode()
    seen["dashboard"] = cluster.dashboard_url
    seen["here"] = [opens("127.0.0.1", port) for port in ports]
    seen["outside"] = [opens(outer, port) for port in ports] if outer != "127.0.0.1" else []
    folders = {Path(node["RayletSocketName"]).parents[2] for node in ray.nodes()}
    names = json.loads(sys.argv[1])
    (seen["environment"],) = cluster.spread(lambda names, _: [os.environ.get(n) for n in names], names, [0])
    try:
        with connect():
            pass
    except ClusterError as error:
        seen["second"] = str(error)
seen["afterwards"] = [ray.is_initialized(), *(folder.exists() for folder in folders)]
seen["afterwards"] += [opens("127.0.0.1", port) for port in ports]
print(json.dumps(seen))
"""


def test_a_local_cluster_is_private_pinned_and_gone_afterwards():
    """In a process of its own, since Ray is imported here already."""
    # An address is for joining, and not asked for here.
    environment = os.environ | {"RAY_ADDRESS": "192.0.2.1:6379"}
    command = [sys.executable, "-c", ALONE, json.dumps(ENVIRONMENT)]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    seen = json.loads(output.splitlines()[-1])
    assert seen["resources"] == [True, 3, 1, 1]
    if seen["dashboard"] is not None:
        assert seen["dashboard"].startswith("http://127.0.0.1:")
        assert "<title>Ray Dashboard</title>" in seen["page"]
    assert all(seen["here"])
    assert not any(seen["outside"])
    assert seen["environment"] == ["1"] * len(ONE_THREAD) + ["/data"]
    assert "leave that one first" in seen["second"]
    assert not any(seen["afterwards"])


# ── clusters that cannot be joined ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", "refused"),
        ("ray://127.0.0.1:1", "refused|pip install"),
        ("nowhere.invalid:6379", "not known|resolution"),
        ("somewhere", "must be local, auto, host:port or ray://host:port"),
        ("host:port", "must be local, auto, host:port or ray://host:port"),
        ("127.0.0.1:99999", "must be local, auto, host:port"),
    ],
)
def test_an_unreachable_cluster_is_one_line(address, message, capfd, tmp_path):
    with pytest.raises(ClusterError, match=message), connect(address):
        pass
    assert main(["encode", "demo", "--address", address, "-o", str(tmp_path / "pe.parquet")]) == 2
    written = capfd.readouterr()
    assert written.err.startswith(f"error: address='{address}': ")
    assert written.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_does_not_answer_is_given_up(monkeypatch):
    def wait_in_vain(address, timeout):
        raise TimeoutError(f"nothing for {timeout} s")

    monkeypatch.setattr("socket.create_connection", wait_in_vain)
    with pytest.raises(ClusterError, match=r"address='somewhere:6379': .*: does not answer"):
        connect("somewhere:6379").__enter__()


def test_auto_follows_the_environment(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(ClusterError, match=r"address='auto': .*:1: Connection refused"), connect("auto"):
        pass


@pytest.mark.parametrize("setting", [{"num_cpus": 2}, {"num_gpus": 1}, {"temp_dir": Path("/tmp")}])
def test_a_running_cluster_has_the_resources_it_has(setting):
    with pytest.raises(ClusterError, match=next(iter(setting))), connect("127.0.0.1:1", **setting):
        pass


# ── one after the other ────────────────────────────────────────────────────────────────────────────────────


def test_a_cluster_without_tokens_can_be_joined_after_a_local_one(two_nodes):
    """Ray protects local clusters by a token, which the machines of this one do not have."""
    before = os.environ.get("RAY_AUTH_MODE")
    with connect(num_cpus=1, dashboard=False):
        pass
    assert os.environ.get("RAY_AUTH_MODE") == before
    with connect(two_nodes.address) as cluster:
        shared = np.arange(100_000)  # fetched from this process: it is too large to go along
        assert list(cluster.spread(lambda own, item: int(own[item]), shared, [7, 70_000])) == [7, 70_000]
