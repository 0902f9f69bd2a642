"""How long it takes to read a large edge list, beside pyarrow's own read of the same file."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from supra_core import read_edges
from supra_core.io import text
from supra_experiments.bench.child import in_child
from supra_experiments.bench.outcome import Outcome, figure_or_dash
from supra_experiments.bench.power_law import write_power_law
from supra_experiments.training.record import peak_memory

WAYS = {
    "pyarrow": "pyarrow's own read of the file",
    "columns": "columns of numbers",
    "graph": "the graph",
}
_SNAPSHOTS = 10


def run(num_rows: int = 5_000_000, *, weighted: bool = False, repeats: int = 3) -> list[dict[str, Any]]:
    """Write a file of random events, and read it in every way, each time in a process of its own.

    Returns:
        For each way the processor's seconds (the least of the repeats), how many times pyarrow's that is, and
        the peak of the memory above the process's own, in times of the graph's arrays.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "events.csv")
        # Any two nodes, since it does not matter to a reader who they are.
        write_power_law(path, num_rows, max(2, num_rows // 14), exponent=0, weighted=weighted)
        found = {
            way: [each for _ in range(repeats) for each in in_child(measure, way, str(path))] for way in WAYS
        }
    arrays = 4 * 8 * num_rows  # source, target, time, weight
    base = min(each["seconds"] for each in found["pyarrow"])
    rows = []
    for way, times in found.items():
        best = min(each["seconds"] for each in times)
        sizes = [each["bytes"] for each in times if each["bytes"] is not None]
        rows.append(
            {
                "way": WAYS[way],
                "seconds": best,
                "times_pyarrow": best / base,
                "peak_over_arrays": max(sizes) / arrays if sizes else None,
            }
        )
    return rows


def outcome(ways: list[dict[str, Any]], **settings: Any) -> Outcome:
    """What is kept and shown, the settings of the run with it."""
    columns = {
        "": lambda row: row["way"],
        "seconds": lambda row: f"{row['seconds']:.2f}",
        "times pyarrow's": lambda row: f"{row['times_pyarrow']:.2f}",
        "peak / arrays": lambda row: figure_or_dash(row["peak_over_arrays"], ".1f"),
    }
    return Outcome(ways, "Reading a CSV file of events", columns, {**settings, "ways": ways})


def measure(way: str, path: str) -> Iterator[dict[str, float | None]]:
    """Read a file once in this process, and say what it took."""
    before, start = peak_memory(), time.process_time()
    if way == "pyarrow":
        kept: Any = pa.csv.read_csv(path)
    elif way == "columns":
        kept = text.read_text(Path(path), {})
    else:
        kept = read_edges(path, num_snapshots=_SNAPSHOTS)
    seconds, after = time.process_time() - start, peak_memory()
    del kept
    yield {"seconds": seconds, "bytes": None if before is None or after is None else after - before}
