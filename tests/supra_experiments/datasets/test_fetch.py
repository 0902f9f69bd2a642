"""Downloads from a server of our own that behaves badly on request."""

import hashlib
import signal
import subprocess
import sys
import textwrap
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from supra_experiments.datasets import REGISTRY, data_root, fetch
from supra_experiments.errors import DatasetError

CONTENT = b"u,i,ts\n" + b"".join(b"%d,%d,0\n" % (i, i + 1) for i in range(20_000))
ENTRY = replace(
    REGISTRY["as733"], sha256=hashlib.sha256(CONTENT).hexdigest(), num_bytes=len(CONTENT), path="x/toy.csv"
)


FAILURES: dict[str, int] = {}
"""How often a path fails before it gives the file."""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        behaviour = self.path.strip("/")
        failing = FAILURES.get(behaviour, 0) > 0
        if failing:
            FAILURES[behaviour] -= 1
        if behaviour == "missing" or failing:
            self.send_error(404)
            return
        body = CONTENT[:-1] + b"?" if behaviour == "altered" else CONTENT
        body = body + b"more" if behaviour == "longer" else body
        self.send_response(200)
        if behaviour != "cut-without-length":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if behaviour.startswith("cut") else body)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def test_a_file_is_downloaded_once_and_whole(server, tmp_path):
    seen = []
    path = fetch(ENTRY, tmp_path / "new", url=f"{server}/whole", progress=lambda *counts: seen.append(counts))
    assert path.read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert [entry.name for entry in path.parent.iterdir()] == ["toy.csv"]
    # Now it is there, so that the network is not asked again.
    assert fetch(ENTRY, tmp_path / "new", url=f"{server}/missing") == path


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("cut", "not the published file|cannot download"),
        ("cut-without-length", "not the published file .* nothing was kept"),
        ("altered", "not the published file .* nothing was kept"),
        ("longer", "not the published file .* nothing was kept"),
        ("missing", "cannot download .*Not Found.*; without network, put the file at .*toy.csv"),
    ],
)
def test_what_is_not_the_file_is_reported_and_leaves_nothing(server, tmp_path, behaviour, message):
    with pytest.raises(DatasetError, match=message) as caught:
        fetch(ENTRY, tmp_path, url=f"{server}/{behaviour}", retries=0)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_without_network_the_error_says_where_to_put_the_file(tmp_path):
    with pytest.raises(DatasetError, match=f"put the file at {tmp_path}/toy.csv or name a folder") as caught:
        fetch(ENTRY, tmp_path, url="http://127.0.0.1:9/nothing-listens-here", retries=0)
    assert "--data-root or SUPRA_DATA" in str(caught.value)


@pytest.mark.parametrize("content", [CONTENT[:1000], b"", CONTENT[:-1] + b"?"])
def test_an_altered_file_in_the_folder_is_reported_and_removed(tmp_path, content):
    path = tmp_path / "toy.csv"
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=r"is not the published file \(\d+ of \d+ bytes; .*it was removed"):
        fetch(ENTRY, tmp_path)
    assert not path.exists()


def test_a_folder_in_the_place_of_the_file_is_not_used(tmp_path):
    (tmp_path / "toy.csv").mkdir()
    with pytest.raises(DatasetError, match=r"cannot be read .* could not be removed"):
        fetch(ENTRY, tmp_path)


def test_a_folder_that_cannot_be_written_is_reported(server, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DatasetError, match=r"cannot be written .*; choose a folder with --data-root"):
        fetch(ENTRY, tmp_path / "file" / "below", url=f"{server}/whole")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a POSIX kill")
def test_a_kill_between_download_and_rename_leaves_no_file_under_the_name(server, tmp_path):
    script = f"""
        import os, shutil, signal
        from dataclasses import replace
        from supra_experiments.datasets import REGISTRY, fetch
        shutil.move = os.replace = os.rename = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
        changes = dict(sha256={ENTRY.sha256!r}, num_bytes={ENTRY.num_bytes}, path="x/toy.csv")
        entry = replace(REGISTRY["as733"], **changes)
        fetch(entry, {str(tmp_path)!r}, url={f"{server}/whole"!r})
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "toy.csv").exists()
    assert fetch(ENTRY, tmp_path, url=f"{server}/whole").read_bytes() == CONTENT


def test_a_download_that_fails_once_is_tried_again(server, tmp_path):
    FAILURES["once"] = 1
    assert fetch(ENTRY, tmp_path, url=f"{server}/once", retries=1).read_bytes() == CONTENT
    assert FAILURES["once"] == 0


def test_the_folder_comes_from_the_caller_the_environment_or_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("SUPRA_DATA", str(tmp_path / "environment"))
    assert data_root(tmp_path / "caller") == tmp_path / "caller"
    assert data_root() == tmp_path / "environment"
    monkeypatch.delenv("SUPRA_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if sys.platform.startswith("linux"):
        assert data_root() == tmp_path / "cache" / "supra" / "datasets"
    assert isinstance(data_root(), Path)
