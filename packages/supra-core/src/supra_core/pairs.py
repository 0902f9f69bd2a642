"""What the past says of two nodes: links, common neighbours, degrees, and where their encodings lie.

Write E_s for the edges of snapshot s (weights are ignored), γ for the decay, and

    n_uv = |{s <= t : uv ∈ E_s}|              how often the two were linked,
    c_uv = Σ_{s <= t, uv ∈ E_s} γ^(t − s)     the same, older links counting less,
    N(u) = {v : n_uv > 0},  c_u = Σ_v c_uv    the neighbours of a node, and its links.

The columns of :func:`pair_features` are

    links                   n_uv
    links_decayed           c_uv
    linked_now              1 if uv ∈ E_t, else 0
    since                   t − max {s : uv ∈ E_s}; t + 1 if the two were never linked
    common                  |N(u) ∩ N(v)|
    common_decayed          Σ_w c_uw c_vw
    adamic_adar             Σ_{w ∈ N(u) ∩ N(v)} 1 / log |N(w)|
    degree_sum              |N(u)| + |N(v)|
    degree_product          |N(u)| · |N(v)|
    degree_decayed_sum      c_u + c_v
    degree_decayed_product  c_u · c_v
    active_now              how many of the two have an edge in E_t

and with an encoding x

    distance                ‖x_u − x_v‖
    inner                   ⟨x_u, x_v⟩
    apart_0, apart_1, …     |x_uj − x_vj| for each channel j.

All of them are the same for (u, v) and (v, u), and nothing after snapshot t is looked at.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supra_core.checks import check_array, check_index, check_probability
from supra_core.encoding import Encoding
from supra_core.errors import InvalidArgumentError
from supra_core.temporal_graph import TemporalGraph

HISTORY = (
    "links",
    "links_decayed",
    "linked_now",
    "since",
    "common",
    "common_decayed",
    "adamic_adar",
    "degree_sum",
    "degree_product",
    "degree_decayed_sum",
    "degree_decayed_product",
    "active_now",
)
"""The columns that need no encoding, in their order."""

_CHUNK = 2**21
"""Neighbours that are looked at together: memory stays linear in the pairs, whatever the hubs."""

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairFeatures:
    """What :func:`pair_features` gives.

    Attributes:
        values: one row a pair, shape (m, f).
        names: of the columns.
    """

    values: Floats
    names: tuple[str, ...]

    def column(self, name: str) -> Floats:
        """One feature of all pairs, shape (m,).

        Raises:
            InvalidArgumentError: no such column.
        """
        if name not in self.names:
            raise InvalidArgumentError.of("name", name, "one of " + ", ".join(map(repr, self.names)))
        return self.values[:, self.names.index(name)]


def pair_features(
    graph: TemporalGraph,
    t: int,
    pairs: ArrayLike,
    *,
    encoding: Encoding | ArrayLike | None = None,
    decay: float = 0.5,
) -> PairFeatures:
    """What snapshots up to ``t`` say of pairs of nodes; the formulae are at the top of this module.

    Args:
        graph: the temporal graph.
        t: the last snapshot that may be looked at.
        pairs: node ids, shape (2, m).
        encoding: of a snapshot up to ``t``, or any array with a row for each node, shape (num_nodes, dim).
        decay: what a snapshot counts beside the one after it, above 0 and at most 1.

    Returns:
        Features of the pairs, as float64.

    Raises:
        InvalidArgumentError: a bad ``t``, pairs of another shape or of nodes that are not there, an encoding
            of other nodes or with entries that are not finite, or a bad ``decay``.

    Example:
        >>> graph = TemporalGraph.from_edges([0, 1, 0], [1, 2, 1], [0, 0, 1])
        >>> features = pair_features(graph, 1, [[0, 0], [1, 2]])
        >>> features.column("links").tolist(), features.column("common").tolist()
        ([2.0, 0.0], [0.0, 1.0])
    """
    return PairPast.of(graph, t, decay).features(pairs, encoding)


@dataclass(frozen=True, eq=False)
class PairPast:
    """What :func:`pair_features` knows before it sees a pair: keep it to ask again and again.

    All links up to a snapshot, each in both directions and sorted, so that a pair is found by bisection.

    Attributes:
        num_nodes, t: of the graph, and the last snapshot.
        keys: u · num_nodes + v of each link, sorted, (L,).
        other: v of each, (L,).
        count, decayed, last: n_uv, c_uv and the snapshot of the last link, (L,).
        start: where the links of each node begin, (num_nodes + 1,).
        degree, strength: |N(u)| and c_u, (num_nodes,).
        active: whether each node has an edge in snapshot t, (num_nodes,).
    """

    num_nodes: int
    t: int
    keys: Ids
    other: Ids
    count: Floats
    decayed: Floats
    last: Ids
    start: Ids
    degree: Floats
    strength: Floats
    active: NDArray[np.bool_]

    @classmethod
    def of(cls, graph: TemporalGraph, t: int, decay: float = 0.5) -> Self:
        """The past of snapshots up to ``t``; arguments and errors are those of :func:`pair_features`."""
        t = check_index("t", t, graph.num_snapshots)
        decay = check_probability("decay", decay)
        if decay == 0:
            raise InvalidArgumentError.of("decay", decay, "above 0 and at most 1")
        n = graph.num_nodes
        seen = graph.time <= t
        source, target, time = graph.source[seen], graph.target[seen], graph.time[seen]
        keys, place = np.unique(
            np.concatenate([source * n + target, target * n + source]), return_inverse=True
        )
        time = np.concatenate([time, time])
        last = np.zeros(len(keys), dtype=np.int64)
        np.maximum.at(last, place, time)
        node, other = np.divmod(keys, n)
        decayed = np.bincount(place, decay ** (t - time), len(keys)).astype(np.float64)
        return cls(
            num_nodes=n,
            t=t,
            keys=keys,
            other=other,
            count=np.bincount(place, minlength=len(keys)).astype(np.float64),
            decayed=decayed,
            last=last,
            start=np.searchsorted(node, np.arange(n + 1)),
            degree=np.bincount(node, minlength=n).astype(np.float64),
            strength=np.bincount(node, decayed, n).astype(np.float64),
            active=graph.active(t),
        )

    def features(self, pairs: ArrayLike, encoding: Encoding | ArrayLike | None = None) -> PairFeatures:
        """The features of pairs (2, m); arguments and errors are those of :func:`pair_features`."""
        u, v = _check_pairs(pairs, self.num_nodes)
        columns = self._columns(u, v)
        names: tuple[str, ...] = HISTORY
        if encoding is not None:
            x = _check_encoding(encoding, self.num_nodes)
            apart = np.abs(x[u] - x[v])
            columns += [np.sqrt((apart**2).sum(axis=1)), (x[u] * x[v]).sum(axis=1), *apart.T]
            names += ("distance", "inner", *(f"apart_{j}" for j in range(x.shape[1])))
        return PairFeatures(np.column_stack(columns), names)

    def _columns(self, u: Ids, v: Ids) -> list[Floats]:
        """The features of pairs, in the order of :data:`HISTORY`."""
        place, found = self._find(u, v)
        since = np.where(found, self.t - self.last[place], self.t + 1) if len(self.keys) else self.t + 1.0
        degree, strength = (self.degree[u], self.degree[v]), (self.strength[u], self.strength[v])
        return [
            self._at(self.count, place, found),
            self._at(self.decayed, place, found),
            np.broadcast_to(np.equal(since, 0), u.shape).astype(np.float64),
            np.broadcast_to(since, u.shape).astype(np.float64),
            *self._common(u, v),
            degree[0] + degree[1],
            degree[0] * degree[1],
            strength[0] + strength[1],
            strength[0] * strength[1],
            self.active[u].astype(np.float64) + self.active[v],
        ]

    def _find(self, u: Ids, v: Ids) -> tuple[Ids, NDArray[np.bool_]]:
        """Where each link is, and whether there is one."""
        if not len(self.keys):
            return np.zeros(len(u), dtype=np.int64), np.zeros(len(u), dtype=bool)
        wanted = u * self.num_nodes + v
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return place, self.keys[place] == wanted

    @staticmethod
    def _at(values: Floats, place: Ids, found: NDArray[np.bool_]) -> Floats:
        return np.where(found, values[place], 0.0) if len(values) else np.zeros(len(place))

    def _common(self, u: Ids, v: Ids) -> tuple[Floats, Floats, Floats]:
        """Common neighbours: plain, decayed, and by Adamic and Adar."""
        m = len(u)
        plain, decayed, adamic_adar = np.zeros(m), np.zeros(m), np.zeros(m)
        # A common neighbour has both as neighbours, so |N(w)| >= 2 and the logarithm is positive; only a pair
        # of a node with itself has others, which count nothing.
        weight = np.where(self.degree > 1, 1 / np.log(np.maximum(self.degree, 2)), 0.0)
        # Those of the node that has fewer are looked up among the other's.
        swap = self.degree[u] > self.degree[v]
        few, many = np.where(swap, v, u), np.where(swap, u, v)
        for part in self._chunks(few):
            size = self.degree[few[part]].astype(np.int64)
            pair = np.repeat(np.arange(len(size)), size)
            begin = np.cumsum(size) - size
            link = self.start[few[part]][pair] + np.arange(len(pair)) - begin[pair]
            w = self.other[link]
            place, found = self._find(many[part][pair], w)
            pair, link, place, w = pair[found], link[found], place[found], w[found]
            plain[part] = np.bincount(pair, minlength=len(size))
            decayed[part] = np.bincount(pair, self.decayed[link] * self.decayed[place], len(size))
            adamic_adar[part] = np.bincount(pair, weight[w], len(size))
        return plain, decayed, adamic_adar

    def _chunks(self, node: Ids) -> Iterator[slice]:
        """Stretches of pairs with about as many neighbours to look at."""
        total = np.cumsum(self.degree[node])
        first = 0
        while first < len(node):
            done = total[first - 1] if first else 0.0
            stop = max(first + 1, int(np.searchsorted(total, done + _CHUNK, side="right")))
            yield slice(first, stop)
            first = stop


def _check_pairs(pairs: Any, num_nodes: int) -> tuple[Ids, Ids]:
    array = check_array("pairs", pairs)
    if array.ndim != 2 or array.shape[0] != 2:
        raise InvalidArgumentError.of("pairs.shape", array.shape, "(2, m)")
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise InvalidArgumentError.of("pairs.dtype", str(array.dtype), "integers")
    bad = (array < 0) | (array >= num_nodes)
    if bad.any():
        raise InvalidArgumentError.of("pairs", int(array[bad][0]), f"node ids in 0 .. {num_nodes - 1}")
    u, v = array.astype(np.int64)
    return u, v


def _check_encoding(encoding: Any, num_nodes: int) -> Floats:
    x = np.asarray(encoding.values if isinstance(encoding, Encoding) else encoding)
    if x.ndim != 2 or x.shape[0] != num_nodes:
        raise InvalidArgumentError.of("encoding.shape", x.shape, f"({num_nodes}, dim)")
    if x.dtype.kind not in "iuf" or not np.isfinite(x).all():
        raise InvalidArgumentError.of("encoding", str(x.dtype), "finite numbers")
    return x.astype(np.float64)
