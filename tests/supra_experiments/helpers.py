"""Where the real datasets are, and small graphs."""

import os
from pathlib import Path

import pytest
from hypothesis import strategies as st

from supra_core import TemporalGraph
from supra_experiments.datasets import REGISTRY


def _find() -> Path | None:
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    for folder in (os.environ.get("SUPRA_DATA"), beside):
        if folder and all((Path(folder) / entry.file_name).is_file() for entry in REGISTRY.values()):
            return Path(folder)
    return None


REAL = _find()
needs_data = pytest.mark.skipif(
    REAL is None, reason="the published datasets are not here: name their folder in SUPRA_DATA"
)


@st.composite
def graphs(
    draw: st.DrawFn, *, min_nodes: int = 2, max_nodes: int = 8, min_snapshots: int = 1, max_snapshots: int = 5
) -> TemporalGraph:
    n = draw(st.integers(min_nodes, max_nodes))
    num_snapshots = draw(st.integers(min_snapshots, max_snapshots))
    edge = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.integers(0, num_snapshots - 1))
    edges = [e for e in draw(st.lists(edge, max_size=4 * n)) if e[0] != e[1]]
    columns = [list(column) for column in zip(*edges, strict=True)] if edges else [[], [], []]
    return TemporalGraph.from_edges(*columns, num_nodes=n, num_snapshots=num_snapshots).unweighted()


def edge_set(graph: TemporalGraph, t: int) -> set[tuple[int, int]]:
    source, target, _ = graph.snapshot(t)
    return set(zip(source.tolist(), target.tolist(), strict=True))


def pair_set(pairs) -> set[tuple[int, int]]:
    return set(zip(*pairs.tolist(), strict=True))
