"""Two temporal graphs, or two nodes of one, with what there is to say about them."""

from dataclasses import dataclass

from supra_core import TemporalGraph


@dataclass(frozen=True)
class Pair:
    """Two temporal graphs worth comparing.

    Attributes:
        name: what the pair is called.
        first, second: the temporal graphs.
        about: one sentence on what they show.
        layer_round, supra_round: the round after which Layer-WL and Supra-WL tell them apart; None where
            never.
    """

    name: str
    first: TemporalGraph
    second: TemporalGraph
    about: str
    layer_round: int | None = None
    supra_round: int | None = None


@dataclass(frozen=True)
class NodePair:
    """Two supra-nodes of one temporal graph, each given as (node, layer)."""

    name: str
    graph: TemporalGraph
    first: tuple[int, int]
    second: tuple[int, int]
    about: str
