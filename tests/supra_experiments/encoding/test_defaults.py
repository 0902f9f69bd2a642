"""One set of defaults: wherever an encoding is asked for by its name alone, it is the encoder's own."""

import json

import pytest

from supra_core import Encoder
from supra_core.pyg import AddSupraLaplacianPE
from supra_experiments.config import NETWORKS, Config
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.record import read_records

RECURRENT = [model for model in NETWORKS if model != "slate"]
FEATURES = ["one-hot", "random", "zeros"]


def test_the_transform_of_pyg():
    assert AddSupraLaplacianPE().encoder == Encoder()


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("model", RECURRENT)
def test_training(model, features):
    assert Config(model=model, features=features, pe="slpe-e").encoder == Encoder()
    assert Config(model=model, features=features, pe="slpe-i").encoder == Encoder(variant="inexact")
    # EvolveGCN has vectors of unit length where channels change with the window.
    scale = None if model.startswith("egcn") else Encoder().scale
    assert Config(model=model, features=features, pe="lpe-e").encoder == Encoder(method="lpe", scale=scale)
    trajectory = Encoder(variant="trajectory", scale=scale)
    assert Config(model=model, features=features, pe="slpe-t").encoder == trajectory


@pytest.mark.parametrize("preset", ["quick", "grid-default"])
def test_sweeps(preset):
    encoded = [run for run in SweepSpec.read(preset).runs() if run.encoding.pe == "slpe-e"]
    runs = [run for run in encoded if run.model.name != "slate"]
    assert {run.model.name for run in runs} == {"egcn-h", "grugcn", "htgn"}
    assert {run.encoder for run in runs} == {Encoder()}


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
    configs = [record.config for record in read_records(tmp_path / "run.jsonl")]
    assert [config.encoder for config in configs if config.encoding.pe != "none"] == [Encoder()]


def test_a_small_graph_is_checked_with_as_many_vectors_as_it_has(run, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target,time\na,b,0\nb,c,1\n")
    code, out, _ = run("check", tmp_path / "edges.csv", "--json")
    assert code == 0
    assert json.loads(out)["holds"]
