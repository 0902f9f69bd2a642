"""The benchmark of the reader: every way reads the same file, and is measured."""

import json
import subprocess
import sys

import numpy as np

from supra_experiments.bench import reading


def test_every_way_is_measured(run, tmp_path):
    code, out, _ = run(
        "bench", "reading", "--rows", 2000, "--repeats", 1, "--weighted", "-o", tmp_path / "bench", "--json"
    )
    assert code == 0
    ways = json.loads(out)["ways"]
    assert [way["way"] for way in ways] == list(reading.WAYS.values())
    assert all(way["seconds"] > 0 and way["times_pyarrow"] > 0 for way in ways)
    assert json.loads((tmp_path / "bench" / "reading.json").read_text())["rows"] == 2000
    assert "times pyarrow's" in reading.outcome(ways).columns


def test_the_memory_of_the_process_that_measures_does_not_count():
    kept = np.ones(2**26)  # 512 MiB
    code = "from supra_experiments.training.record import peak_memory; print(peak_memory())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 2**20 < float(done.stdout) < kept.nbytes
