"""A process that is connected to the cluster of two nodes."""

import pytest


@pytest.fixture(scope="module")
def joined(two_nodes):
    from supra_experiments.cluster.connect import connect

    with connect(two_nodes.address) as cluster:
        yield cluster
