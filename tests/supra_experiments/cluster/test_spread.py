"""Work that is spread over two machines: its results, its order, and calls that are lost."""

import os
import signal
import threading
import time

import pytest
import ray

from supra_experiments.cluster.environment import ONE_THREAD
from supra_experiments.errors import ClusterError

pytestmark = pytest.mark.cluster


def test_a_joined_cluster_is_seen_as_it_is(joined, two_nodes):
    assert not joined.is_local
    assert joined.address == two_nodes.address
    assert sorted(node.num_cpus for node in joined.nodes) == [0, 1, 1]
    assert (joined.num_cpus, joined.num_gpus) == (2, 3)


def test_results_come_in_order_from_all_nodes_on_one_thread(joined, tmp_path):
    def work(factor, item):
        node = ray.get_runtime_context().get_node_id()
        (tmp_path / node).touch()
        # Or the node whose process starts first could do it all.
        end = time.monotonic() + 200
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < end:
            time.sleep(0.02)
        return factor * item, node, {os.environ[name] for name in ONE_THREAD}

    finished = []
    results = list(joined.spread(work, 10, range(25), finished=finished.append))
    assert [value for value, _, _ in results] == list(range(0, 250, 10))
    assert {node for _, node, _ in results} == {n.node_id for n in joined.nodes if n.num_cpus}
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


def test_a_call_that_always_dies_is_an_error_in_the_end(joined, monkeypatch):
    monkeypatch.setattr("supra_experiments.cluster.connect._RETRIES", 0)
    with pytest.raises(ClusterError, match="the cluster gave up"):
        list(joined.spread(lambda _, item: os.kill(os.getpid(), signal.SIGKILL), None, [0]))


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
