"""Calls spread over processes of this machine: in order, bounded, and made again where a process is lost."""

import os
import signal
import time
from pathlib import Path

import pytest

from supra_core import InvalidArgumentError
from supra_experiments.encoding.local_processes import LocalProcesses
from supra_experiments.errors import ClusterError


def scaled(shared, item):
    return shared["factor"] * item


def once_lost(folder, item):
    """The process ends at the first call for item 2."""
    mark = Path(folder, "lost")
    if item == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def always_lost(_, item):
    os._exit(1)


def refused(folder, item):
    """Item 5 is refused when item 6 has been, and not before."""
    refusal = Path(folder, str(item))
    refusal.touch()
    while item == 5 and not refusal.with_name("6").exists():
        time.sleep(0.2)
    raise ValueError(f"item {item}")


def test_results_come_in_order_and_are_told_of_once():
    told = []
    found = list(LocalProcesses(2).spread(scaled, {"factor": 3}, range(20), finished=told.append))
    assert found == [3 * item for item in range(20)]
    assert sorted(told) == list(range(20))
    assert list(LocalProcesses(2).spread(scaled, {}, [])) == []


def test_a_lost_process_costs_what_it_was_computing(tmp_path):
    told = []
    found = list(LocalProcesses(2).spread(once_lost, str(tmp_path), range(6), finished=told.append))
    assert found == list(range(6))
    assert sorted(told) == list(range(6))


def test_processes_that_are_always_lost_are_given_up(monkeypatch):
    monkeypatch.setattr("supra_experiments.encoding.local_processes._RETRIES", 1)
    with pytest.raises(ClusterError, match="again and again"):
        list(LocalProcesses(1).spread(always_lost, None, [1]))


def test_what_a_call_raises_comes_as_it_is_and_in_order(tmp_path):
    told = []
    with pytest.raises(ValueError, match="item 5"):
        list(LocalProcesses(2).spread(refused, str(tmp_path), [5, 6], finished=told.append))
    assert told == []


def test_bad_counts():
    with pytest.raises(InvalidArgumentError, match="num_cpus=0"):
        LocalProcesses(0)
    assert LocalProcesses().num_cpus >= 1
