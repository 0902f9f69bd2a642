"""One set of defaults: wherever an encoding is asked for by its name alone, it is the encoder's own."""

import json

import pytest

from supra_core import Encoder
from supra_core.pyg import AddSupraLaplacianPE
from supra_experiments.config import LEARNED, Config
from supra_experiments.encodings import make_encoder
from supra_experiments.records import read_records
from supra_experiments.sweeping.spec import SweepSpec

RECURRENT = [model for model in LEARNED if model != "slate"]
FEATURES = ["one-hot", "random", "zeros"]


def test_the_transform_of_pyg():
    assert AddSupraLaplacianPE().encoder == Encoder()


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("model", RECURRENT)
def test_training(model, features):
    assert make_encoder(Config(model=model, features=features, pe="slpe-e")) == Encoder()
    assert make_encoder(Config(model=model, features=features, pe="lpe-e")) == Encoder(method="lpe")
    assert make_encoder(Config(model=model, features=features, pe="slpe-i")) == Encoder(variant="inexact")
    assert make_encoder(Config(model=model, features=features, pe="slpe-t")) == Encoder(variant="trajectory")


@pytest.mark.parametrize("preset", ["quick", "grid-default"])
def test_sweeps(preset):
    runs = [run for run in SweepSpec.read(preset).runs() if run.pe == "slpe-e" and run.model != "slate"]
    assert {run.model for run in runs} == {"egcn-h", "grugcn", "htgn"}
    assert {make_encoder(run) for run in runs} == {Encoder()}


def test_commands(run, tmp_path):
    """As their reports say what was used; the graph is large enough for all channels."""
    code, out, _ = run("encode", "demo", "-o", tmp_path / "pe.parquet", "--json")
    assert code == 0
    assert json.loads(out)["encoder"] == repr(Encoder())
    code, out, _ = run("check", "demo", "--json")
    assert code == 0
    assert json.loads(out)["stability"]["encoder"] == repr(Encoder())
    arguments = ["--model", "grugcn", "--pe", "slpe-e", "--set", "max_epochs=1", "-o", tmp_path / "run.jsonl"]
    code, out, _ = run("train", "demo", *arguments, "--json")
    assert code == 0
    encoded = [record.config for record in read_records(tmp_path / "run.jsonl") if record.config.pe != "none"]
    assert [make_encoder(config) for config in encoded] == [Encoder()]


def test_a_small_graph_is_checked_with_as_many_vectors_as_it_has(run, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target,time\na,b,0\nb,c,1\n")
    code, out, _ = run("check", tmp_path / "edges.csv", "--json")
    assert code == 0
    assert json.loads(out)["holds"]
