"""A measurement in a process of its own: what it yields arrives, and what goes wrong is said."""

import os
import time

import pytest

from supra_experiments.bench.child import ChildError, in_child


def count(stop):
    print("this is no answer")
    for number in range(stop):
        yield {"number": number, "process": os.getpid()}


def fails():
    yield 1
    raise ValueError("line one\nthe last line")


def sleeps():
    yield os.getpid()
    time.sleep(600)


def test_answers_come_from_another_process():
    found = list(in_child(count, 3))
    assert [answer["number"] for answer in found] == [0, 1, 2]
    assert os.getpid() not in {answer["process"] for answer in found}


def test_an_error_has_the_last_line_and_the_status():
    answers = in_child(fails)
    assert next(answers) == 1
    with pytest.raises(ChildError, match=r"^the last line$") as error:
        next(answers)
    assert error.value.returncode == 1


def test_patience_ends():
    with pytest.raises(TimeoutError, match=r"sleeps: took longer than 0.5 s"):
        list(in_child(sleeps, patience=0.5))


def test_a_process_that_nobody_listens_to_is_stopped():
    answers = in_child(sleeps)
    process = next(answers)
    answers.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
