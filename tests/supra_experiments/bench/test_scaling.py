"""The measurement over sizes goes on where it was stopped, and spares slow methods the larger graphs."""

import itertools
import json

import pytest

from supra_core import InvalidArgumentError
from supra_experiments.bench import scaling
from supra_experiments.cli.main import main
from supra_experiments.errors import ExperimentError


def line(method, size, seconds):
    return {"graph": "generated", "part": "supra", "size": size, "method": method, "seconds": seconds}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    path = tmp_path_factory.mktemp("scaling") / "times.json"
    first = list(itertools.islice(scaling.run(path, sizes=(300, 200), repeats=1), 3))
    return path, first


def test_stopped_and_resumed(measured):
    path, first = measured
    assert [entry["size"] for entry in first] == [200] * 3  # small ones first
    rest = list(scaling.run(path, sizes=(200, 300), repeats=1))
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    assert lines == first + rest == scaling.read(path)
    assert sorted((entry["size"], entry["method"]) for entry in lines) == sorted(
        itertools.product((200, 300), scaling.CHOSEN)
    )
    assert list(scaling.run(path, sizes=(200, 300), repeats=1)) == []
    for entry in lines:
        assert entry["seconds"] > 0
        assert entry["num_rows"] == pytest.approx(entry["size"], rel=0.1)
        assert "commit" in entry["origin"]


@pytest.mark.parametrize(
    ("lines", "size", "expected"),
    [
        ([], 1_000, set(scaling.CHOSEN)),
        ([], 50_000, set(scaling.CHOSEN) - {"full"}),
        ([line("lobpcg-20", 1_000, 1.0)], 1_000, set(scaling.CHOSEN) - {"lobpcg-20"}),
        ([line("arpack-1e-6", 1_000, 61.0)], 2_000, set(scaling.CHOSEN) - {"arpack-1e-6"}),
        ([line("arpack-1e-6", 1_000, 59.0)], 2_000, set(scaling.CHOSEN)),
        ([line("arpack-1e-6", 5_000, 61.0)], 2_000, set(scaling.CHOSEN)),
    ],
    ids=["all", "too large for all pairs", "done", "slow before", "just in time", "slow on a larger one"],
)
def test_what_is_due(lines, size, expected):
    step = scaling.Step("generated", "supra", size)
    assert {method.name for method in scaling.due(step, lines, scaling.methods(), 60.0)} == expected


def test_datasets_are_measured_whatever_the_budget_says():
    step = scaling.Step("enron10", "layer")
    slow = [line("arpack-1e-6", 1_000, 1e9)]
    assert len(scaling.due(step, slow, scaling.methods(), 1.0)) == len(scaling.CHOSEN)


@pytest.mark.parametrize("text", ["[]", '{"graph": "generated"}', "no JSON"])
def test_a_file_of_something_else_is_refused(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text + "\n")
    with pytest.raises(ExperimentError, match=r"line 1: must be a measurement"):
        next(scaling.run(path, sizes=(200,)))
    assert path.read_text() == text + "\n"


@pytest.mark.parametrize("bad", [{"k": 1}, {"repeats": 0}, {"budget": 0.0}, {"sizes": (10,)}])
def test_bad_settings(tmp_path, bad):
    with pytest.raises(InvalidArgumentError, match=next(iter(bad))):
        next(scaling.run(tmp_path / "x.json", **bad))


def test_the_command(tmp_path, capsys):
    path = tmp_path / "new" / "times.json"
    command = ["bench", "scaling", "--sizes", "200", "--repeats", "1", "--no-datasets", "-o", str(path)]
    assert main(command) == 0
    assert "davidson-1e-6" in capsys.readouterr().out
    (origin,) = {json.dumps(entry["origin"]) for entry in scaling.read(path)}
    assert json.loads(origin).keys() >= {"machine", "versions", "commit"}
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"measured": []}
