"""Strategies only these tests need: features, labels, forests."""

import numpy as np
from hypothesis import strategies as st

from wl_tests.strategies import temporal_graph_pairs

from .oracles import make


@st.composite
def decorated_pairs(draw, **bounds):
    """Two temporal graphs with options for a test: with and without node features and edge labels."""
    g, h = draw(temporal_graph_pairs(**bounds))
    options = {}
    if draw(st.booleans()):
        options["node_features"] = [
            np.array(draw(_numbers(x.num_snapshots * x.num_nodes))).reshape(x.num_snapshots, x.num_nodes)
            for x in (g, h)
        ]
    if draw(st.booleans()):
        options["edge_labels"] = [np.array(draw(_numbers(x.num_edges)), dtype=np.int64) for x in (g, h)]
    return (g, h), options


def _numbers(count):
    return st.lists(st.integers(0, 2), min_size=count, max_size=count)


@st.composite
def forest_pairs(draw, *, max_nodes=7, max_snapshots=1):
    """Two temporal graphs on as many nodes whose layers are forests."""
    nodes = draw(st.integers(1, max_nodes))
    snapshots = draw(st.integers(1, max_snapshots))

    def forest():
        parents = st.lists(
            st.tuples(*(st.integers(0, v) for v in range(1, nodes))), min_size=snapshots, max_size=snapshots
        )
        # The parent of v is below v; v itself stands for none.
        layers = draw(parents)
        edges = [(p, v, t) for t, layer in enumerate(layers) for v, p in enumerate(layer, 1) if p < v]
        return make(edges, nodes, snapshots)

    return forest(), forest()
