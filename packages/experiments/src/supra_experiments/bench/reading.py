"""How long it takes to read a large edge list, beside pyarrow's own read of the same file."""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from supra_core import read_edges
from supra_core.io import text
from supra_experiments.bench.text_table import text_table

WAYS = {
    "pyarrow": "pyarrow's own read of the file",
    "columns": "columns of numbers",
    "graph": "the graph",
}
_SNAPSHOTS = 10


def run(
    num_rows: int = 5_000_000, *, weighted: bool = False, repeats: int = 3, seed: int = 0
) -> list[dict[str, Any]]:
    """Write a file of random events, and read it in every way, each time in a process of its own.

    Returns:
        For each way the processor's seconds (the least of the repeats), how many times pyarrow's that is, and
        the peak of the memory above the process's own, in times of the graph's arrays.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "events.csv")
        write_events(path, num_rows, weighted, seed)
        found = {way: [_child(way, path) for _ in range(repeats)] for way in WAYS}
    arrays = 4 * 8 * num_rows  # source, target, time, weight
    base = min(each["seconds"] for each in found["pyarrow"])
    rows = []
    for way, times in found.items():
        best = min(times, key=lambda each: each["seconds"])
        rows.append(
            {
                "way": WAYS[way],
                "seconds": best["seconds"],
                "times_pyarrow": best["seconds"] / base,
                "peak_over_arrays": max(each["bytes"] for each in times) / arrays,
            }
        )
    return rows


def write_events(path: Path, num_rows: int, weighted: bool, seed: int) -> None:
    """A CSV file of random events in the order of time."""
    rng = np.random.default_rng(seed)
    num_nodes = max(2, num_rows // 14)
    columns = {
        "source": rng.integers(0, num_nodes, num_rows),
        "target": rng.integers(0, num_nodes, num_rows),
        "time": np.sort(rng.integers(0, 2_000_000, num_rows)),
    }
    if weighted:
        columns["weight"] = np.round(rng.random(num_rows), 4)
    pa.csv.write_csv(pa.table(columns), path)


def render(rows: list[dict[str, Any]]) -> str:
    """The measurements as a table of text."""
    cells = [
        [row["way"], f"{row['seconds']:.2f}", f"{row['times_pyarrow']:.2f}", f"{row['peak_over_arrays']:.1f}"]
        for row in rows
    ]
    return text_table(["", "seconds", "times pyarrow's", "peak / arrays"], cells)


def _child(way: str, path: Path) -> dict[str, float]:
    code = f"from supra_experiments.bench.reading import measure; measure({way!r}, {str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def measure(way: str, path: str) -> None:
    """Read a file once in this process, and print what it took as JSON."""
    before, start = _peak(), time.process_time()
    if way == "pyarrow":
        kept: Any = pa.csv.read_csv(path)
    elif way == "columns":
        kept = text.read_text(Path(path), {})
    else:
        kept = read_edges(path, num_snapshots=_SNAPSHOTS)
    seconds = time.process_time() - start
    del kept
    print(json.dumps({"seconds": seconds, "bytes": max(0.0, _peak() - before)}))


def _peak() -> float:
    """The most memory that this process ever had, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux: getrusage counts what the parent had before this process began as its own
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return 1024.0 * int(lines["VmHWM"].split()[0])
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(size) * (1 if sys.platform == "darwin" else 1024)
