"""Sweeps that lose a node or their own process, and end with the records of one that lost nothing."""

import dataclasses
import functools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

import pytest
import torch

from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.ray.run import run_sweep
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.record import EpochRecord, read_records

from ... import objectives
from ...ray_clusters import cluster_of

pytestmark = [pytest.mark.cluster, pytest.mark.long]

SPEC = """
name = "survivor"
datasets = ["demo"]
models = ["grugcn"]
encodings = ["none", "slpe-i"]
features = ["zeros"]
seeds = {seeds}
baselines = false
pack = {pack}
[fixed]
max_epochs = {epochs}
min_epochs = {epochs}
"""


def wait_for(condition, what: str, seconds: float = 300.0):
    """What ``condition`` gives as soon as that is something."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.25)
    return found


def saved_history(path: Path) -> list[EpochRecord]:
    """The epochs in a checkpoint, none where it is gone, being written or left unfinished by a kill."""
    try:
        content = torch.load(path, weights_only=True)
    except (OSError, RuntimeError, EOFError):
        return []
    return [EpochRecord(**epoch) for epoch in json.loads(content["history"])]


@pytest.mark.parametrize("pack", [1, 2])
def test_a_dead_node_loses_no_run_and_no_epoch(tmp_path, capfd, pack):
    spec = SweepSpec.from_toml(SPEC.format(epochs=100, seeds=2, pack=pack))
    notes, storage = tmp_path / "notes", tmp_path / "storage"
    notes.mkdir()
    found = {}

    def checkpointed():
        """A run, its node and its saved epochs, of which something is lost if it starts afresh."""
        for path in (storage / spec.name / "checkpoints").glob("*.pt"):
            digest = path.name.split("-")[0]
            history = saved_history(path)
            starts = sorted(notes.glob(f"{digest}.*"))
            if starts and history:
                yield digest, starts[-1].read_text(), history

    def kill_a_node():
        digest, node_id, history = wait_for(lambda: next(checkpointed(), None), "a checkpoint")
        [node] = [node for node in cluster.worker_nodes if node.node_id == node_id]
        found.update(digest=digest, node=node_id, history=history)
        cluster.remove_node(node, allow_graceful=False)

    events = []
    with cluster_of({"num_cpus": 1}, {"num_cpus": 1}) as cluster:
        killer = threading.Thread(target=kill_a_node)
        killer.start()
        result = run_sweep(
            spec,
            storage_path=storage,
            address=cluster.address,
            max_failures=0,  # a node's death is no failure of the trial
            progress=SweepProgress(on_event=events.append),
            objective=functools.partial(objectives.placed, folder=str(notes)),
        )
        killer.join()

    # Ray has a lot to say about it, but not where results are.
    assert capfd.readouterr().out == ""
    assert result.failures == result.empty_cells == ()
    lines = list(read_records(result.folder / "records.jsonl"))
    assert len(lines) == len({record.config.digest for record in lines}) == len(spec.runs()) == 4
    # Whether a worker alone died or its node did is known later; a pack does not wait for it.
    assert any(event.kind == "retried" and (pack > 1 or "node" in event.text) for event in events)
    [record] = [record for record in lines if record.config.digest == found["digest"]]
    assert record.versions["node"] != found["node"]
    # The same epochs to the microsecond: they were not trained again.
    assert list(record.history[: len(found["history"])]) == found["history"]
    assert len(record.history) == 100
    assert not list((result.folder / "checkpoints").glob("*.pt"))


# ── the sweep's own process ────────────────────────────────────────────────────────────────────────────────


def marked(mark: str) -> dict[int, str]:
    """All processes that inherited a mark: those that a driver started, and theirs."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                environment = (entry / "environ").read_bytes()
                is_alive = (entry / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
            except OSError:
                continue
            if mark.encode() in environment and is_alive:
                found[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")
    return found


AGENTS = ("DashboardAgent", "RuntimeEnvAgent", "ray/dashboard/agent.py", "runtime_env/agent/main.py")
"""Parts of Ray that do no work, and try for a minute to tell the dead driver that its raylet is dead too.

Later versions give them names; in Ray 2.40 they go by their files.
"""


def wait_for_no(mark: str, *, but: tuple[str, ...] = (), seconds: float = 60.0) -> None:
    """Nothing that a driver started may outlive it for long, and nothing that works at all."""

    def left() -> list[str]:
        return [name for name in marked(mark).values() if not any(part in name for part in but)]

    try:
        wait_for(lambda: not left(), "Ray's processes to go with the driver", seconds)
    except AssertionError as error:
        raise AssertionError(f"{error}: {[name[:100] for name in left()]}") from None


@pytest.fixture
def short_folder():
    """Ray's sockets need a short path."""
    folder = tempfile.mkdtemp(prefix="s-", dir="/tmp")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="tells processes apart by /proc")
@pytest.mark.parametrize("pack", [1, 2])
def test_a_killed_sweep_ends_with_the_records_of_one_that_was_not(tmp_path, short_folder, pack):
    epochs = 150  # more than three kills let pass, on a fast machine too
    text = SPEC.format(epochs=epochs, seeds=2, pack=pack)
    spec = SweepSpec.from_toml(text)
    (tmp_path / "spec.toml").write_text(text)
    storage = tmp_path / "storage"
    folder = storage / spec.name
    mark = f"SUPRA_TEST_MARK={uuid.uuid4().hex}"
    environment = os.environ | {"RAY_TMPDIR": short_folder} | dict([mark.split("=")])

    program = (
        "import sys; from supra_experiments.sweep.ray.run import run_sweep\n"
        "from supra_experiments.sweep.spec import SweepSpec\n"
        "run_sweep(SweepSpec.read('spec.toml'), storage_path='storage', resume=True, dashboard=False)\n"
    )

    def start() -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def num_records() -> int:
        path = folder / "records.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def num_epochs() -> int:
        checkpoints = sum(len(saved_history(path)) for path in (folder / "checkpoints").glob("*.pt"))
        return checkpoints + epochs * num_records()

    rng = random.Random(20)
    kept = []
    for _ in range(3):
        goal = num_epochs() + rng.randrange(5, 50)
        driver = start()
        try:
            # Some way into the work that is left, wherever that is; then at once, in whatever it is doing.
            wait_for(lambda: num_epochs() >= goal or driver.poll() is not None, "some epochs")  # noqa: B023
            time.sleep(0.3 * rng.random())
            assert driver.poll() is None, driver.communicate()[0]
            driver.kill()
            driver.communicate(timeout=60)
            wait_for_no(mark, but=AGENTS)
        finally:
            driver.kill()
        assert num_records() < 4
        lines = (folder / "records.jsonl").read_text().splitlines() if num_records() else []
        assert lines[: len(kept)] == kept
        kept = lines
    finished = start()
    output, _ = finished.communicate(timeout=600)
    assert finished.returncode == 0, output
    assert (folder / "records.jsonl").read_text().splitlines()[: len(kept)] == kept

    wait_for_no(mark, but=AGENTS)

    whole = run_sweep(dataclasses.replace(spec, pack=1), storage_path=tmp_path / "whole", dashboard=False)
    found = {record.config.digest: record for record in read_records(folder / "records.jsonl")}
    assert len(found) == len(whole.records) == 4
    for record in whole.records:
        survivor = found[record.config.digest]
        if pack == 1:
            assert survivor.outcome() == record.outcome()
        losses, expected = ([epoch.loss for epoch in part.history] for part in (survivor, record))
        assert len(losses) == len(expected) == epochs
        # Packs round differently, which grows by and by: a kill that lost or repeated an epoch shows at once.
        assert losses[:15] == pytest.approx(expected[:15], rel=1e-3)
        assert losses == pytest.approx(expected, rel=0.3)
    assert not list((folder / "checkpoints").glob("*.pt"))
