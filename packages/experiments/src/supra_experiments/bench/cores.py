"""How much faster ``supra encode`` is on all cores of a machine than on one."""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supra_experiments.bench.outcome import Measured, Outcome, Report, silent
from supra_experiments.bench.power_law import write_power_law
from supra_experiments.cluster.environment import ONE_THREAD

WAYS: dict[str, tuple[str, ...]] = {"one core": (), "all cores": ("--address", "local")}
"""What is compared, by the options of the command."""


@dataclass(frozen=True)
class EncodedRecord(Measured):
    """One way to encode the file.

    Attributes:
        way: one of :data:`WAYS`.
        seconds: on the clock, of the whole command, for each round.
    """

    way: str
    seconds: list[float]

    derived = ("least",)

    @property
    def least(self) -> float:
        """Of the rounds."""
        return min(self.seconds)


def run(
    num_events: int = 2_000_000,
    *,
    num_nodes: int = 150_000,
    num_snapshots: int = 24,
    repeats: int = 3,
    report: Report = silent,
) -> list[EncodedRecord]:
    """Write a file of power-law events and encode it in both ways, which take turns.

    Raises:
        RuntimeError: the command fails, or its files differ.
    """
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder, "events.csv")
        write_power_law(events, num_events, num_nodes, seed=0)
        settings = ["--snapshots", str(num_snapshots), "--window", "3", "--k", "8"]
        for done in range(repeats):
            written = []
            for i, (way, options) in enumerate(WAYS.items()):
                report(len(WAYS) * done + i, len(WAYS) * repeats, way)
                output = Path(folder, f"{i}.parquet")
                seconds[way].append(_encode([str(events), *settings, *options, "--output", str(output)]))
                written.append(output.read_bytes())
            if written[0] != written[1]:
                raise RuntimeError("the files of one core and of all cores differ")
    return [EncodedRecord(way, times) for way, times in seconds.items()]


def _encode(arguments: list[str]) -> float:
    """Seconds on the clock of ``supra encode``, with all that a command does."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "supra_experiments.cli.main", "encode", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | ONE_THREAD)
    if done.returncode:
        raise RuntimeError(f"supra encode: {done.stderr.strip()}")
    return time.perf_counter() - start


def outcome(records: list[EncodedRecord], **settings: Any) -> Outcome:
    """What is kept and shown."""
    base = records[0].least
    columns = {
        "": lambda r: r.way,
        "seconds": lambda r: f"{r.least:.1f}",
        "times as fast": lambda r: f"{base / r.least:.2f}",
    }
    rows = [record.to_dict() for record in records]
    return Outcome(records, f"supra encode, {os.cpu_count()} cores", columns, {**settings, "records": rows})
