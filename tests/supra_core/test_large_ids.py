"""Ids so large that (time, source, target) does not fit into one integer: the same order, found otherwise."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from supra_core import TemporalGraph

FAR = 2**61


@given(
    edges=st.lists(
        st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 2), st.integers(1, 5)), min_size=1
    ),
    seed=st.integers(0, 2**32 - 1),
)
@example(edges=[(2, 1, 0, 1), (0, 3, 0, 1)], seed=0)
def test_edges_are_ordered_by_time_source_target(edges, seed):
    """Against a dictionary and Python's own sorting."""
    expected: dict[tuple[int, int, int], int] = {}
    for u, v, t, w in edges:
        if u != v:
            key = (t, min(u, v) * FAR // 8, max(u, v) * FAR // 8)
            expected[key] = expected.get(key, 0) + w
    order = np.random.default_rng(seed).permutation(len(edges))
    u, v, t, w = np.array(edges, dtype=np.int64)[order].T
    sizes = {"num_nodes": FAR, "num_snapshots": 3}
    graph = TemporalGraph.from_edges(u * (FAR // 8), v * (FAR // 8), t, w, **sizes)
    columns = (graph.time.tolist(), graph.source.tolist(), graph.target.tolist())
    assert list(zip(*columns, strict=True)) == sorted(expected)
    assert graph.weight.tolist() == [expected[key] for key in sorted(expected)]
