"""Supra-WL: colour refinement on the supra-graph, where a node also sees itself a layer earlier and later."""

from supra_core import TemporalGraph
from wl_tests import inputs
from wl_tests.colouring import Colouring


def supra_wl(
    *graphs: TemporalGraph,
    node_features: inputs.NodeFeatures | None = None,
    edge_labels: inputs.EdgeLabels | None = None,
    max_rounds: int | None = None,
) -> Colouring:
    """Refine temporal graphs together by the rule of Equation 5.

    C'(v, t) = HASH( C(v, t), C(v, t-1), C(v, t+1), {{ (C(u, t), e(u, v, t), t) : u next to v in layer t }} )

    with HASH injective, and an outer constant where layer t-1 or t+1 does not exist. Every node has a colour
    in every layer, with or without edges there.

    Args:
        graphs: any number of temporal graphs with the same number of snapshots.
        node_features: the colours to start from, one array (num_snapshots, num_nodes) or (…, d) a graph;
            nodes start with the same colour where their features are equal. One constant where not given.
        edge_labels: e(u, v, t): ``"weight"`` for the edges' weights, or for each graph an array in the order
            of its edge arrays or a mapping (u, v, t) -> label. Labels are numbers, text, or rows of them.
            Where not given, edges differ in nothing but their ends: weights are not read.
        max_rounds: stop after so many rounds though the colouring is not stable yet.

    Raises:
        InvalidArgumentError: no graphs; features or labels that do not fit their graph.
        InvalidGraphError: graphs with different numbers of snapshots.

    Example:
        >>> twice = TemporalGraph.from_edges([0, 0], [1, 1], [0, 1], num_nodes=3)
        >>> moved = TemporalGraph.from_edges([0, 1], [1, 2], [0, 1], num_nodes=3)
        >>> colouring = supra_wl(twice, moved)
        >>> colouring
        Colouring(supra_wl, 2 graphs, 12 supra-nodes, colours by round 1 → 4 → 8 → 10, stable)
        >>> colouring.rounds[1][0].tolist()  # three nodes in each of two layers
        [[2, 2, 0], [1, 1, 3]]
        >>> colouring.parting_round(0, 1)
        2
    """
    return Colouring.of("supra_wl", graphs, node_features, edge_labels, max_rounds, temporal=True)
