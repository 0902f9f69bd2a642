"""Mistakes that a sweep tells in one line and with exit code 2, before anything starts."""

import os
from pathlib import Path

import pytest
import ray
import requests

from supra_experiments.cli.main import main
from supra_experiments.errors import SweepError
from supra_experiments.sweep.journal import Journal
from supra_experiments.sweep.storage import SweepStorage

from ..ray_clusters import free_port

SPEC = 'datasets = ["demo"]\nmodels = ["grugcn"]\nname = "mine"\n'


@pytest.fixture
def refused(tmp_path, capsys, monkeypatch):
    """Runs a sweep that must be refused, and gives the line that says so."""
    monkeypatch.chdir(tmp_path)

    def call(*options, spec: str = SPEC) -> str:
        Path("spec.toml").write_text(spec)
        assert main(["sweep", "spec.toml", *map(str, options)]) == 2
        assert not ray.is_initialized()
        written = capsys.readouterr()
        assert written.out == ""
        [line] = [line for line in written.err.splitlines() if line.startswith("error:")]
        assert "Traceback" not in written.err
        return line

    return call


def test_a_missing_storage_path(refused, tmp_path):
    line = refused("--storage-path", tmp_path / "share" / "sweeps")
    assert str(tmp_path / "share") in line
    assert "no folder" in line
    assert not (tmp_path / "share").exists()


def test_a_storage_path_that_is_a_file(refused, tmp_path):
    (tmp_path / "file").write_text("")
    line = refused("--storage-path", tmp_path / "file")
    assert "cannot be written" in line


def test_a_storage_path_that_is_read_only(refused):
    # Everybody may read there, and nobody may write, not even the superuser.
    line = refused("--storage-path", "/proc/self")
    assert "/proc/self" in line
    assert "cannot be written" in line


@pytest.mark.skipif(os.getuid() == 0, reason="the superuser may write everywhere")
def test_a_storage_path_without_permission(refused, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "cannot be written" in refused("--storage-path", tmp_path / "locked")


@pytest.mark.parametrize("uri", ["nosuch://bucket/sweeps", "file:///proc/self"])
def test_a_uri_that_cannot_be_written(refused, uri, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    line = refused("--storage-path", uri)
    assert uri in line


def test_an_unreachable_cluster(refused, tmp_path):
    address = f"127.0.0.1:{free_port()}"
    line = refused("--address", address, "--storage-path", tmp_path)
    assert address in line


def test_a_cluster_that_only_the_client_reaches(refused, tmp_path):
    line = refused("--address", "ray://head:10001", "--storage-path", tmp_path)
    assert "ray://head:10001" in line
    assert "--address auto" in line
    assert list(tmp_path.glob("mine*")) == []


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (SPEC + "modle = 1", "modle: no such key"),
        (SPEC + "[fixed]\nk = 0", "k=0: must be an integer >= 1"),
        (SPEC.replace("demo", "dmeo"), "did you mean 'demo'"),
        (SPEC.replace("demo", "missing.csv"), "missing.csv"),
        ("datasets = [", "not TOML"),
    ],
)
def test_an_invalid_spec(refused, tmp_path, spec, words):
    assert words in refused("--storage-path", tmp_path, spec=spec)
    assert not (tmp_path / "mine" / "records.jsonl").exists()


def test_a_missing_dataset(refused, tmp_path, monkeypatch):
    def no_network(*_, **__):
        raise requests.ConnectionError("no network")

    monkeypatch.setattr("requests.get", no_network)
    line = refused("--data-root", tmp_path / "nothing", spec=SPEC.replace("demo", "as733"))
    assert "as733" in line
    assert "--data-root" in line


def test_a_folder_that_another_sweep_is_writing(refused, tmp_path):
    with Journal(tmp_path / "mine"):
        assert "another sweep" in refused("--storage-path", tmp_path)


def test_storage_is_refused_with_an_error_of_the_package():
    with pytest.raises(SweepError, match="there is no folder /nowhere/at"):
        SweepStorage.open("/nowhere/at/all", "x").__enter__()
