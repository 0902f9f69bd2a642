"""Hypothesis strategies for temporal graphs (extra ``hypothesis``), for anybody's test-suite.

All arguments are keyword-only, bounds come as ``min_``/``max_`` pairs, and failing examples shrink towards
few nodes, few snapshots and few edges.

Example:
    >>> from hypothesis import given
    >>> from wl_tests import distinguishes, supra_wl
    >>> @given(temporal_graph_pairs(kinds=["isomorphic"], max_nodes=4))
    ... def test_supra_wl_never_tells_isomorphic_graphs_apart(pair):
    ...     assert not distinguishes(supra_wl, *pair)
    >>> test_supra_wl_never_tells_isomorphic_graphs_apart()
"""

from collections.abc import Collection
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from supra_core import InvalidArgumentError, TemporalGraph
from supra_core.checks import check_count
from supra_core.extras import missing
from wl_tests.relabel import relabel

try:
    from hypothesis import strategies as st
except ImportError as error:
    raise missing("hypothesis", extra="hypothesis", of="wl-tests") from error

Kind = Literal["independent", "isomorphic", "moved_edge"]
_Place = tuple[int, int]
KINDS: tuple[Kind, ...] = ("isomorphic", "moved_edge", "independent")

__all__ = ["node_relabelings", "temporal_graph_pairs", "temporal_graphs"]


def temporal_graphs(
    *,
    min_nodes: int = 1,
    max_nodes: int = 6,
    min_snapshots: int = 1,
    max_snapshots: int = 4,
    min_edges: int = 0,
    max_edges: int | None = None,
    min_weight: int = 1,
    max_weight: int = 1,
) -> st.SearchStrategy[TemporalGraph]:
    """Temporal graphs with so many nodes, snapshots and edges (an edge in three snapshots counts three
    times).

    Args:
        max_edges: None for as many as fit.
        min_weight, max_weight: weights are integers between the two; all are 1 unless asked otherwise.

    Raises:
        InvalidArgumentError: bounds that no temporal graph meets.
    """
    _check_bounds("nodes", 1, min_nodes, max_nodes)
    _check_bounds("snapshots", 1, min_snapshots, max_snapshots)
    _check_bounds("edges", 0, min_edges, max_edges)
    _check_bounds("weight", 1, min_weight, max_weight)
    fits = _num_places(max_nodes, max_snapshots)
    if min_edges > fits:
        allowed = f"at most {fits}, what {max_nodes} nodes and {max_snapshots} snapshots hold"
        raise InvalidArgumentError.of("min_edges", min_edges, allowed)
    weights = st.integers(min_weight, max_weight)

    @st.composite
    def draw_graph(draw: st.DrawFn) -> TemporalGraph:
        nodes = draw(st.integers(min_nodes, max_nodes))
        snapshots = draw(st.integers(min_snapshots, max_snapshots))
        while (
            _num_places(nodes, snapshots) < min_edges
        ):  # too small for the edges asked for: grow what may grow
            if nodes < max_nodes:
                nodes += 1
            else:
                snapshots += 1
        room = _num_places(nodes, snapshots)
        most = room if max_edges is None else min(max_edges, room)
        chosen = draw(_places(nodes, snapshots, min_edges, most))
        weight = None
        if max_weight > 1:
            weight = draw(st.lists(weights, min_size=len(chosen), max_size=len(chosen)))
        return _graph(chosen, nodes, snapshots, weight)

    return draw_graph()


def temporal_graph_pairs(
    *,
    kinds: Collection[Kind] = KINDS,
    min_nodes: int = 1,
    max_nodes: int = 6,
    min_snapshots: int = 1,
    max_snapshots: int = 4,
    max_edges: int | None = None,
) -> st.SearchStrategy[tuple[TemporalGraph, TemporalGraph]]:
    """Pairs of temporal graphs with the same numbers of nodes and snapshots.

    Args:
        kinds: any of ``"independent"`` (drawn on their own), ``"isomorphic"`` (the second is the first with
            its nodes renamed, the same way in all layers) and ``"moved_edge"`` (one edge of the first is
            somewhere else in the second, whose nodes are then renamed: pairs that are hard to tell apart).

    Raises:
        InvalidArgumentError: unknown kinds, or bounds that no such pair meets.
    """
    _check_bounds("nodes", 1, min_nodes, max_nodes)
    _check_bounds("snapshots", 1, min_snapshots, max_snapshots)
    _check_bounds("edges", 0, 0, max_edges)
    if isinstance(kinds, str) or not kinds or not set(kinds) <= set(KINDS):
        raise InvalidArgumentError.of(
            "kinds", kinds, f"a collection of some of {', '.join(map(repr, KINDS))}"
        )
    if "moved_edge" in kinds and (_num_places(max_nodes, max_snapshots) < 2 or max_edges == 0):
        raise InvalidArgumentError.of(
            "max_nodes", max_nodes, "large enough for an edge and a place to move it to"
        )
    ordered = [kind for kind in KINDS if kind in kinds]

    @st.composite
    def draw_pair(draw: st.DrawFn) -> tuple[TemporalGraph, TemporalGraph]:
        kind = draw(st.sampled_from(ordered))
        nodes = draw(st.integers(min_nodes, max_nodes))
        snapshots = draw(st.integers(min_snapshots, max_snapshots))
        if kind == "moved_edge" and _num_places(nodes, snapshots) < 2:
            nodes, snapshots = max_nodes, max_snapshots
        room = _num_places(nodes, snapshots)
        most = room if max_edges is None else min(max_edges, room)
        if kind == "independent":
            first, second = (
                _graph(draw(_places(nodes, snapshots, 0, most)), nodes, snapshots) for _ in range(2)
            )
            return first, second
        if kind == "isomorphic":
            first = second = _graph(draw(_places(nodes, snapshots, 0, most)), nodes, snapshots)
        else:
            chosen = draw(_places(nodes, snapshots, 1, min(most, room - 1)))
            goal = draw(_place(nodes, snapshots))
            while (
                goal in chosen
            ):  # the next free place; not a choice among the free ones, which shrinks badly
                goal = _after(goal, nodes, snapshots)
            moved = [*chosen[1:], goal]
            first, second = _graph(chosen, nodes, snapshots), _graph(moved, nodes, snapshots)
        return first, relabel(second, draw(node_relabelings(num_nodes=nodes)))

    return draw_pair()


def node_relabelings(*, num_nodes: int) -> st.SearchStrategy[NDArray[np.int64]]:
    """Permutations of 0 .. num_nodes - 1, shape (num_nodes,), for :func:`wl_tests.relabel`.

    Raises:
        InvalidArgumentError: a ``num_nodes`` that is no integer >= 1.
    """
    check_count("num_nodes", num_nodes)
    return st.permutations(range(num_nodes)).map(lambda names: np.array(names, dtype=np.int64))


# A place for an edge is (layer, number of a pair of nodes). Pairs are numbered (0, 1), (0, 2), (1, 2), (0, 3)
# and so on, however many nodes there are, so that shrinking one number keeps the meaning of all others.


def _place(nodes: int, snapshots: int) -> st.SearchStrategy[_Place]:
    return st.tuples(st.integers(0, snapshots - 1), st.integers(0, _num_places(nodes, 1) - 1))


def _places(nodes: int, snapshots: int, least: int, most: int) -> st.SearchStrategy[list[_Place]]:
    if most == 0:
        return st.just([])
    return st.lists(_place(nodes, snapshots), min_size=least, max_size=most, unique=True)


def _after(place: _Place, nodes: int, snapshots: int) -> _Place:
    """The next place, the first one again after the last."""
    pairs = _num_places(nodes, 1)
    layer, pair = divmod(place[0] * pairs + place[1] + 1, pairs)
    return layer % snapshots, pair


def _num_places(nodes: int, snapshots: int) -> int:
    return nodes * (nodes - 1) // 2 * snapshots


def _graph(places: list[_Place], nodes: int, snapshots: int, weight: Any = None) -> TemporalGraph:
    target, source = np.tril_indices(nodes, -1)
    time, pair = np.array(places, dtype=np.int64).reshape(-1, 2).T
    return TemporalGraph.from_edges(
        source[pair], target[pair], time, weight, num_nodes=nodes, num_snapshots=snapshots
    )


def _check_bounds(name: str, floor: int, low: Any, high: Any) -> None:
    for argument, value in ((f"min_{name}", low), (f"max_{name}", high)):
        if value is not None or argument.startswith("min"):
            check_count(argument, value, floor)
    if high is not None and low > high:
        raise InvalidArgumentError.of(f"min_{name}", low, f"at most max_{name}={high}")
