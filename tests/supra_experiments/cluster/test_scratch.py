"""Folders of local clusters: gone when their process is, whatever ended it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from supra_experiments.cluster.scratch import scratch_folder

HOLD = """
import sys, time
from supra_experiments.cluster.scratch import scratch_folder
with scratch_folder() as folder:
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def base(monkeypatch):
    """A short path, since long ones are not used."""
    folder = Path(f"/tmp/s{os.getpid()}")
    folder.mkdir()
    monkeypatch.setenv("RAY_TMPDIR", str(folder))
    yield folder
    for left in folder.iterdir():
        for file in left.iterdir():
            file.unlink()
        left.rmdir()
    folder.rmdir()


def test_it_is_there_and_gone_also_after_an_error(base):
    with pytest.raises(RuntimeError), scratch_folder() as folder:
        (folder / "session").mkdir()
        assert folder.parent == base
        raise RuntimeError
    assert list(base.iterdir()) == []


def test_a_killed_process_leaves_nothing_for_long_and_a_living_one_is_left_alone(base):
    with subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True) as holder:
        held = Path(holder.stdout.readline().strip())
        with scratch_folder() as folder:
            assert sorted(base.iterdir()) == sorted([held, folder])
        holder.send_signal(signal.SIGKILL)
    assert held.is_dir()
    with scratch_folder() as folder:
        assert list(base.iterdir()) == [folder]


def test_a_folder_that_is_just_made_is_left_alone(base):
    new = base / "supra-local-new"
    new.mkdir()
    with scratch_folder():
        assert new.is_dir()
    old = time.time() - 3600
    os.utime(new, (old, old))
    with scratch_folder():
        assert not new.exists()


def test_a_long_path_is_not_used(monkeypatch, tmp_path):
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    with scratch_folder() as folder:
        assert folder.parent == Path("/tmp")
