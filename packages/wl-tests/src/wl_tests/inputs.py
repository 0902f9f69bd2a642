"""What a caller hands over, checked once and turned into integers."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supra_core import InvalidArgumentError, InvalidGraphError, TemporalGraph
from supra_core.errors import shorten

NodeFeatures = ArrayLike | Sequence[ArrayLike]
"""One array of shape (num_snapshots, num_nodes) or (num_snapshots, num_nodes, d) for each graph."""

EdgeLabels = Literal["weight"] | Sequence[ArrayLike | Mapping[tuple[int, int, int], Any]]
"""``"weight"``, or for each graph an array (num_edges,) or a mapping (u, v, t) -> label."""


def check_graphs(graphs: Sequence[Any]) -> tuple[TemporalGraph, ...]:
    """At least one temporal graph, all with the same number of snapshots."""
    if not graphs:
        raise InvalidArgumentError("graphs=(): must be at least one TemporalGraph")
    for i, graph in enumerate(graphs):
        if not isinstance(graph, TemporalGraph):
            raise InvalidArgumentError.of(f"graphs[{i}]", graph, "a TemporalGraph")
        if graph.num_snapshots != graphs[0].num_snapshots:
            allowed = f"{graphs[0].num_snapshots}, as in graphs[0]: layer t is compared with layer t"
            raise InvalidGraphError.of(f"graphs[{i}].num_snapshots", graph.num_snapshots, allowed)
    return tuple(graphs)


def initial_colours(graphs: Sequence[TemporalGraph], features: Any) -> NDArray[np.int64]:
    """The colours of round 0: one constant, or one colour for each distinct feature vector, in sorted order.

    Layer by layer, graph after graph; consecutive integers.
    """
    if features is None:
        return np.zeros(sum(g.num_snapshots * g.num_nodes for g in graphs), dtype=np.int64)
    parts = []
    for i, (graph, given) in enumerate(
        zip(graphs, _one_each("node_features", features, graphs), strict=True)
    ):
        array = _values(f"node_features[{i}]", given)
        layers = (graph.num_snapshots, graph.num_nodes)
        if array.shape[:2] != layers or array.ndim > 3:
            raise InvalidArgumentError.of(
                f"node_features[{i}].shape",
                array.shape,
                f"{layers} or (*{layers}, d): a row for every node and layer",
            )
        parts.append(array.reshape(layers[0] * layers[1], *array.shape[2:]))
    return _interned("node_features", parts)


def interned_labels(graphs: Sequence[TemporalGraph], labels: Any) -> NDArray[np.int64] | None:
    """One integer for each edge of each graph, equal for equal labels, in sorted order; None for none."""
    if labels is None:
        return None
    if isinstance(labels, str):
        if labels != "weight":
            raise InvalidArgumentError.of(
                "edge_labels", labels, "None, 'weight' or one array or mapping a graph"
            )
        labels = [graph.weight for graph in graphs]
    parts = []
    for i, (graph, given) in enumerate(zip(graphs, _one_each("edge_labels", labels, graphs), strict=True)):
        name = f"edge_labels[{i}]"
        array = _values(name, _in_edge_order(name, graph, given) if isinstance(given, Mapping) else given)
        if array.shape[:1] != (graph.num_edges,) or array.ndim > 2:
            raise InvalidArgumentError.of(
                f"{name}.shape",
                array.shape,
                f"({graph.num_edges},) or ({graph.num_edges}, d): a label an edge",
            )
        parts.append(array)
    return _interned("edge_labels", parts)


def _one_each(name: str, given: Any, graphs: Sequence[TemporalGraph]) -> Sequence[Any]:
    """One entry a graph; for a single graph its array or mapping may stand alone."""
    if len(graphs) == 1 and isinstance(given, (np.ndarray, Mapping)):
        return [given]
    if not isinstance(given, (Sequence, np.ndarray)) or isinstance(given, (str, bytes)):
        raise InvalidArgumentError.of(name, given, "a sequence with one entry for each graph")
    if len(given) != len(graphs):
        raise InvalidArgumentError.of(f"len({name})", len(given), f"{len(graphs)}, one entry for each graph")
    return list(given)


def _in_edge_order(name: str, graph: TemporalGraph, labels: Mapping[Any, Any]) -> list[Any]:
    """The labels of a mapping in the order of the graph's edges; (u, v, t) and (v, u, t) are one edge."""
    edges = zip(graph.source.tolist(), graph.target.tolist(), graph.time.tolist(), strict=True)
    where = {edge: i for i, edge in enumerate(edges)}
    found: dict[int, Any] = {}
    for key, label in labels.items():
        try:
            u, v, t = key
            index = where.get((min(u, v), max(u, v), t))
        except (TypeError, ValueError):
            raise InvalidArgumentError.of(f"{name} key", key, "an edge (u, v, t)") from None
        if index is None:
            raise InvalidArgumentError.of(
                f"{name} key", key, "an edge (u, v, t) of the graph; it has no such edge"
            )
        if index in found and found[index] != label:
            raise InvalidArgumentError.of(
                f"{name}[{key}]", label, f"{found[index]!r}, as given for its reverse"
            )
        found[index] = label
    if len(found) < graph.num_edges:
        edge = next(edge for edge, i in where.items() if i not in found)
        raise InvalidArgumentError.of(f"{name}[{edge}]", "missing", "given: label every edge or none")
    return [found[i] for i in range(graph.num_edges)]


def _values(name: str, given: Any) -> NDArray[Any]:
    """Numbers without NaN, or text, as an array; of objects where no other type holds them as they are."""
    if np.ma.is_masked(given):
        raise InvalidArgumentError(f"{name}={shorten(given)}: must be free of masked entries")
    try:
        # NumPy would turn 1 beside "1" into text and 2**53 + 1 beside 0.5 into a float: objects stay apart.
        array = np.array(given, dtype=object) if isinstance(given, (list, tuple)) else np.asarray(given)
    except ValueError:
        raise InvalidArgumentError.of(name, given, "an array with rows of equal length") from None
    if array.dtype == object:
        array = _of_one_type(name, array)
    if array.dtype.kind not in "biufUSO":
        raise InvalidArgumentError(
            f"{name}={shorten(given)}: must be an array of numbers or text, not {array.dtype}"
        )
    if (array.dtype.kind == "f" and np.isnan(array).any()) or (
        array.dtype == object and any(value != value for value in array.flat)
    ):
        raise InvalidArgumentError(f"{name}: must be free of NaN, which equals nothing, not even itself")
    return array


_INTEGERS, _FLOATS, _TEXT = (bool, np.bool_, int, np.integer), (float, np.floating), (str, bytes)


def _of_one_type(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Objects as int64 or float64 where all of them are; integers beyond 64 bits stay Python's."""
    types = {type(value) for value in array.flat}
    if any(issubclass(found, (list, tuple, np.ndarray)) for found in types):
        raise InvalidArgumentError.of(name, array.tolist(), "an array with rows of equal length")
    for found in types:
        if not issubclass(found, _INTEGERS + _FLOATS + _TEXT):
            of_what = f"an array of numbers or text, without any {found.__name__}"
            raise InvalidArgumentError.of(name, array.tolist(), of_what)
    if all(issubclass(found, _INTEGERS) for found in types):
        small = all(-(2**63) <= value < 2**63 for value in array.flat)
        return array.astype(np.int64) if small else array
    if all(issubclass(found, _FLOATS) and np.dtype(found).itemsize <= 8 for found in types):
        return array.astype(np.float64)
    return array


def _interned(name: str, parts: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Equal rows to equal integers, numbered in sorted order from 0.

    Numbers are equal by their exact value, whatever their types; text, bytes and numbers are never equal.
    """
    parts = [part for part in parts if len(part)]
    if not parts:
        return np.zeros(0, dtype=np.int64)
    if len({part.shape[1:] for part in parts}) > 1:
        shapes = [part.shape[1:] for part in parts]
        raise InvalidArgumentError.of(f"{name} row shapes", shapes, "the same for all")
    common = _common(parts)
    rows = np.concatenate([part.astype(common) for part in parts])
    ids = np.zeros(len(rows), dtype=np.int64)
    for column in rows.reshape(len(rows), math.prod(rows.shape[1:])).T:
        # Ranks of the columns so far, then of this one: both below len(rows), so that the pair fits 64 bits.
        ranks = _ranks(column)
        pairs = ids * (int(ranks.max()) + 1) + ranks
        ids = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    return ids


def _common(parts: Sequence[NDArray[Any]]) -> np.dtype[Any]:
    """A type that holds the values of all parts as they are; objects where there is no other."""
    kinds = {part.dtype.kind for part in parts}
    if kinds in ({"U"}, {"S"}):
        return np.result_type(*parts)
    if not kinds <= set("biuf"):
        return np.dtype(object)
    common = np.result_type(*parts)
    for part in parts:
        rounded = common.kind == "f" and part.dtype.kind in "iu"
        if rounded and (part.astype(common).astype(object) != part).any():
            return np.dtype(object)
    return common


def _ranks(column: NDArray[Any]) -> NDArray[np.int64]:
    """The place of each value among the distinct ones, in sorted order: numbers, then text, then bytes."""
    if column.dtype != object:
        return np.unique(column, return_inverse=True)[1].astype(np.int64)
    keys = [_sort_key(value) for value in column]
    place = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([place[key] for key in keys], dtype=np.int64)


def _sort_key(value: Any) -> tuple[int, Any]:
    """Comparable and equal as the values are. Python compares int and float exactly, and NumPy does not."""
    if isinstance(value, _TEXT):
        return (1, str(value)) if isinstance(value, str) else (2, bytes(value))
    if isinstance(value, np.longdouble):
        return (0, Fraction(*value.as_integer_ratio()) if np.isfinite(value) else float(value))
    return (0, value.item() if isinstance(value, np.generic) else value)
