"""Layer-WL: colour refinement in each layer on its own, the multisets of all layers compared together."""

from supra_core import TemporalGraph
from wl_tests import inputs
from wl_tests.colouring import Colouring


def layer_wl(
    *graphs: TemporalGraph,
    node_features: inputs.NodeFeatures | None = None,
    edge_labels: inputs.EdgeLabels | None = None,
    max_rounds: int | None = None,
) -> Colouring:
    """Refine temporal graphs together by the rule of Appendix C.2.

    C'(v, t) = HASH( C(v, t), {{ (C(u, t), e(u, v, t), t) : u next to v in layer t }} )

    with HASH injective. The layer index t is inside the multiset, so a node with an edge never shares its
    colour with a node of another layer, while nodes without edges share theirs across layers (their multiset
    is empty). Arguments and errors are those of :func:`supra_wl`.

    Example:
        >>> twice = TemporalGraph.from_edges([0, 0], [1, 1], [0, 1], num_nodes=3)
        >>> moved = TemporalGraph.from_edges([0, 1], [1, 2], [0, 1], num_nodes=3)
        >>> colouring = layer_wl(twice, moved)
        >>> colouring.rounds[-1][0].tolist(), colouring.rounds[-1][1].tolist()
        ([[1, 1, 0], [2, 2, 0]], [[1, 1, 0], [0, 2, 2]])
        >>> colouring.parting_round(0, 1) is None
        True
    """
    return Colouring.of("layer_wl", graphs, node_features, edge_labels, max_rounds, temporal=False)
