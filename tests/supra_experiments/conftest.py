"""The command, called as a user calls it; one cluster of Ray and one browser for all tests of a process."""

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
def two_nodes():
    """A head that runs no trial, and two nodes of one CPU each, with two GPUs and one that exist on paper.

    It serves all tests of a process that need a cluster. They leave it as they find it: a test that kills one
    of these two starts a cluster of its own.
    """
    from .ray_clusters import cluster_of

    nodes = [{"num_cpus": 1, "num_gpus": 2}, {"num_cpus": 1, "num_gpus": 1}]
    with cluster_of(*nodes) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def chromium():
    """One browser for all pages."""
    from .report_browser import Browser, find_browser

    found, reason = find_browser()
    if found is None:
        pytest.skip(reason)
    with Browser(found) as browser:
        yield browser
