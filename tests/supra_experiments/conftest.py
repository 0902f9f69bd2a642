"""The command, called as a user calls it."""

import pytest

from supra_experiments.cli.main import main


@pytest.fixture
def run(capsys):
    """Run ``supra`` with some arguments: its exit code, and what it wrote to both streams."""

    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        written = capsys.readouterr()
        return code, written.out, written.err

    return call


@pytest.fixture(scope="session")
def shared_cluster():
    """A cluster of two nodes for all tests of a process that do not need one of their own."""
    from .ray_clusters import cluster_of

    with cluster_of({"num_cpus": 1, "num_gpus": 2}, {"num_cpus": 1, "num_gpus": 1}) as cluster:
        yield cluster
