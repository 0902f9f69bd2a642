"""Small temporal graphs for Hypothesis, and a slow but obvious reading of them."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from supra_core import TemporalGraph


@dataclass(frozen=True)
class RawEdges:
    """An edge list as a user may hand it over: repeated, reversed, with self-loops and zero weights."""

    edges: tuple[tuple[int, int, int, Any], ...]  # source, target, time, weight
    num_nodes: int
    num_snapshots: int

    def graph(self) -> TemporalGraph:
        source, target, time, weight = zip(*self.edges, strict=True) if self.edges else ((), (), (), ())
        dtype = float if any(isinstance(w, float) for w in weight) else int
        return TemporalGraph.from_edges(
            np.array(source, dtype=int),
            np.array(target, dtype=int),
            np.array(time, dtype=int),
            np.array(weight, dtype=dtype),
            num_nodes=self.num_nodes,
            num_snapshots=self.num_snapshots,
        )

    def dense(self, t: int) -> np.ndarray:
        """The adjacency matrix of snapshot t, edge by edge."""
        A = np.zeros((self.num_nodes, self.num_nodes), dtype=object)
        for u, v, s, w in self.edges:
            if s == t and u != v:
                A[u, v] += w
                A[v, u] += w
        return A


def weights(kind: str) -> st.SearchStrategy[Any]:
    """Integers, or multiples of 1/8: sums of those are exact in floats, whatever their order."""
    if kind == "integer":
        return st.integers(0, 9)
    return st.integers(0, 80).map(lambda eighths: float(Fraction(eighths, 8)))


@st.composite
def raw_edges(
    draw: st.DrawFn,
    *,
    min_nodes: int = 1,
    max_nodes: int = 6,
    max_snapshots: int = 4,
    max_edges: int = 16,
    kind: str = "integer",
) -> RawEdges:
    num_nodes = draw(st.integers(min_nodes, max_nodes))
    num_snapshots = draw(st.integers(1, max_snapshots))
    node, time = st.integers(0, num_nodes - 1), st.integers(0, num_snapshots - 1)
    edges = draw(st.lists(st.tuples(node, node, time, weights(kind)), max_size=max_edges))
    return RawEdges(tuple(edges), num_nodes, num_snapshots)


def temporal_graphs(**limits: Any) -> st.SearchStrategy[TemporalGraph]:
    return raw_edges(**limits).map(RawEdges.graph)


def integer_matrices(num_rows: int, *, max_columns: int = 3, largest: int = 50) -> st.SearchStrategy[Any]:
    """Shape (num_rows, 1 .. max_columns), drawn whole from a seed: Hypothesis need not shrink entries."""
    return st.tuples(st.integers(0, 2**32 - 1), st.integers(1, max_columns), st.integers(0, largest)).map(
        lambda drawn: np.random.default_rng(drawn[0]).integers(-drawn[2], drawn[2] + 1, (num_rows, drawn[1]))
    )


NAMES = st.one_of(
    st.text(max_size=3), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.booleans()
)
DATES = st.datetimes().map(lambda moment: np.datetime64(moment).astype("datetime64[us]"))


@st.composite
def named_graphs(draw: st.DrawFn, *, names: st.SearchStrategy[Any] = NAMES) -> TemporalGraph:
    """Graphs whose nodes may have names, and whose snapshots may have times or be bins."""
    graph = draw(temporal_graphs(kind=draw(st.sampled_from(["integer", "float"]))))
    options: dict[str, Any] = {"num_nodes": graph.num_nodes, "num_snapshots": graph.num_snapshots}
    if draw(st.booleans()):
        size = graph.num_nodes
        options["node_labels"] = draw(st.lists(names, min_size=size, max_size=size, unique=True))
    if draw(st.booleans()):
        kind = draw(st.sampled_from([st.integers(-(2**62), 2**62), st.floats(-1e300, 1e300), DATES]))
        size = graph.num_snapshots + draw(st.integers(0, 1))
        options["snapshot_times"] = sorted(draw(st.lists(kind, min_size=size, max_size=size, unique=True)))
        if isinstance(options["snapshot_times"][0], np.datetime64):
            options["time_zone"] = draw(st.sampled_from([None, "UTC", "-03:30", "Europe/Berlin"]))
    return TemporalGraph.from_edges(graph.source, graph.target, graph.time, graph.weight, **options)
