"""Clusters of real Ray processes: what they start and join, and that work spread over them is the same."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import ray
from ray.exceptions import OwnerDiedError

from supra_core import Encoder, TruncationWarning, generators
from supra_experiments.cli.main import main
from supra_experiments.cluster.connect import _call, connect
from supra_experiments.cluster.environment import ONE_THREAD
from supra_experiments.encoding.windows import compose, encode_stretch, encode_windows, stretches
from supra_experiments.errors import ClusterError

pytestmark = pytest.mark.cluster

GRAPH = generators.barabasi_albert(60, 11, m=2, rewire=0.1, seed=8)


@pytest.fixture(scope="module")
def joined(two_nodes):
    with connect(two_nodes.address) as cluster:
        yield cluster


# ── a cluster of our own ───────────────────────────────────────────────────────────────────────────────────

ENVIRONMENT = (*ONE_THREAD, "SUPRA_DATA")

ALONE = """
import json, os, socket, sys, urllib.request
from pathlib import Path
from supra_experiments.cluster.environment import keep_to_this_machine

keep_to_this_machine(None)
import ray
from supra_experiments.cluster.connect import _call, connect
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


# ── work spread over two raylets ───────────────────────────────────────────────────────────────────────────


def test_a_joined_cluster_is_seen_as_it_is(joined, two_nodes):
    assert not joined.is_local
    assert joined.address == two_nodes.address
    assert sorted(node.num_cpus for node in joined.nodes) == [0, 1, 1]
    assert (joined.num_cpus, joined.num_gpus) == (2, 3)


def test_results_come_in_order_from_the_nodes_on_one_thread(joined):
    def work(factor, item):
        node = ray.get_runtime_context().get_node_id()
        return factor * item, node, {os.environ[name] for name in ONE_THREAD}

    finished = []
    results = list(joined.spread(work, 10, range(25), finished=finished.append))
    assert [value for value, _, _ in results] == list(range(0, 250, 10))
    # Not both of them each time: a node that Ray believes to have lost this process does nothing for it.
    assert {node for _, node, _ in results} <= {n.node_id for n in joined.nodes if n.num_cpus}
    assert all(threads == {"1"} for _, _, threads in results)
    assert sorted(finished) == list(range(25))


def test_nothing_to_do_is_nothing_done(joined):
    assert list(joined.spread(divmod, 1, [])) == []


def test_results_are_not_computed_far_ahead_of_their_reader(joined):
    finished = []
    results = joined.spread(divmod, 100, range(1, 100), finished=finished.append)
    assert next(results) == (100, 0)
    assert len(finished) <= 9  # eight ahead for two CPUs
    results.close()


def test_what_a_call_raises_comes_as_it_is(joined):
    with pytest.raises(ZeroDivisionError):
        list(joined.spread(divmod, 1, [1, 0]))


def test_calls_that_cannot_fetch_what_is_shared_are_made_again(joined, tmp_path, monkeypatch):
    """As when a machine that is busy takes the owner of an object for dead."""

    def blind_at_first(function, handle, item):
        mark = tmp_path / str(item)
        if not mark.exists():
            mark.touch()
            return False, None
        return _call(function, handle, item)

    monkeypatch.setattr("supra_experiments.cluster.connect._call", blind_at_first)
    finished = []
    results = joined.spread(divmod, 100, range(1, 12), finished=finished.append)
    assert list(results) == [divmod(100, item) for item in range(1, 12)]
    assert sorted(finished) == list(range(1, 12))


def test_what_is_shared_and_never_there_is_an_error_in_the_end(joined, monkeypatch):
    monkeypatch.setattr("supra_experiments.cluster.connect._RETRIES", 1)
    monkeypatch.setattr("supra_experiments.cluster.connect._call", lambda *_: (False, None))
    with pytest.raises(ClusterError, match="the cluster gave up: 7 cannot be sent what it needs"):
        list(joined.spread(divmod, 100, [7]))


def test_a_call_tells_that_what_is_shared_is_gone(monkeypatch):
    def gone(reference):
        raise OwnerDiedError("00", None, "here")

    monkeypatch.setattr(ray, "get", gone)
    assert _call(divmod, [ray.ObjectRef.nil()], 7) == (False, None)
    assert _call(divmod, [100], 7) == (True, (14, 2))
    monkeypatch.setattr(ray, "get", lambda reference: 100)
    assert _call(divmod, [ray.ObjectRef.nil()], 7) == (True, (14, 2))


def test_a_call_that_always_dies_is_an_error_in_the_end(joined, monkeypatch):
    monkeypatch.setattr("supra_experiments.cluster.connect._RETRIES", 0)
    with pytest.raises(ClusterError, match="the cluster gave up"):
        list(joined.spread(lambda _, item: os.kill(os.getpid(), signal.SIGKILL), None, [0]))


# ── encodings ──────────────────────────────────────────────────────────────────────────────────────────────

ENCODERS = [
    Encoder("slpe", "exact", k=3, window=3),
    Encoder("slpe", "exact", k=3, window=3, init="previous", restart_every=4),
    Encoder("slpe", "inexact", k=3, window=2, init="previous", restart_every=3, max_steps=4),
    Encoder("lpe", "exact", k=3, window=3, normalization="sym", align="signs", absent="last"),
    Encoder("slpe", "exact", k=4, window=3, align="rotation", absent="last", scale="rows", with_age=True),
    Encoder("lpe", "trajectory", k=2, window=3, init="previous", restart_every=2, max_steps=3),
]


@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda e: f"{e.method}-{e.variant}-{e.init}-{e.align}")
def test_spread_encodings_are_those_of_one_process_bit_for_bit(joined, encoder):
    counts = []
    spread = list(encode_windows(encoder, GRAPH, joined, finished=counts.append))
    alone = list(encode_windows(encoder, GRAPH))
    whole = encoder.encode_all(GRAPH).values
    assert sum(counts) == len(spread) == len(alone) == GRAPH.num_snapshots
    for t, (there, here) in enumerate(zip(spread, alone, strict=True)):
        assert there.values.tobytes() == here.values.tobytes() == whole[t].tobytes()
        assert {**there.report, "seconds": 0} == {**here.report, "seconds": 0}


def test_a_killed_worker_costs_nothing_but_time(joined, tmp_path):
    """Every process that computes a stretch for the first time dies of it."""
    encoder = Encoder("slpe", "inexact", k=3, init="previous", restart_every=4, max_steps=4)

    def fragile(shared, stretch):
        mark = tmp_path / str(stretch.start)
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return encode_stretch(shared, stretch)

    parts = stretches(encoder, GRAPH.num_snapshots, joined.num_cpus)
    results = list(compose(encoder, GRAPH, joined.spread(fragile, (encoder, GRAPH), parts)))
    assert len(list(tmp_path.iterdir())) == len(parts) == 3
    assert np.array_equal(np.stack([part.values for part in results]), encoder.encode_all(GRAPH).values)


@pytest.mark.long
def test_a_lost_node_costs_nothing_but_time(joined, two_nodes, tmp_path):
    """A third node is killed while it computes; its share is computed by the others."""
    before = {node.node_id for node in joined.nodes}
    third = two_nodes.add_node(num_cpus=1)
    (lost,) = {node.node_id for node in joined.nodes} - before

    busy = tmp_path / "busy"

    def work(_, item):
        here = ray.get_runtime_context().get_node_id()
        if here == lost:
            busy.touch()
            time.sleep(600)
        while not busy.exists():  # leave something for the third node, which has yet to start a process
            time.sleep(0.05)
        return item, here

    def kill():
        while not busy.exists() and not over.wait(0.05):
            pass
        two_nodes.remove_node(third, allow_graceful=False)

    over = threading.Event()
    killer = threading.Thread(target=kill)
    killer.start()
    results = list(joined.spread(work, None, range(12)))
    over.set()
    killer.join()
    assert [item for item, _ in results] == list(range(12))
    assert lost not in {node for _, node in results}


def test_warnings_of_workers_are_heard_once(joined):
    sparse = generators.path_layers(3, 6)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        list(encode_windows(Encoder("lpe", k=9), sparse, joined))
    assert [warning.category for warning in caught] == [TruncationWarning]


def test_the_command_writes_the_same_file(two_nodes, tmp_path):
    if ray.is_initialized():
        ray.shutdown()
    labels = np.array([f"node {i}" for i in range(GRAPH.num_nodes)])
    columns = {"source": labels[GRAPH.source], "target": labels[GRAPH.target], "time": GRAPH.time}
    pd.DataFrame(columns).to_csv(tmp_path / "edges.csv", index=False)
    settings = ["--k", "3", "--window", "3", "--init", "previous", "--restart-every", "3"]
    contents = []
    for name, where in (("alone", []), ("spread", ["--address", two_nodes.address])):
        output = tmp_path / f"{name}.parquet"
        arguments = ["encode", str(tmp_path / "edges.csv"), *settings, *where, "-o", str(output)]
        assert main(arguments) == 0
        contents.append(output.read_bytes())
    assert contents[0] == contents[1]
