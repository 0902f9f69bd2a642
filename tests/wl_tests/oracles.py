"""Independent answers to what the package computes: slow, literal, written from the definitions."""

import itertools

import networkx as nx
import numpy as np
from networkx.algorithms.isomorphism import DiGraphMatcher, categorical_edge_match, categorical_node_match

from supra_core import TemporalGraph

OUTER = ("outer constant",)


def literal_rounds(graph, num_rounds, *, temporal, features=None, labels=None):
    """Colours of every (v, t) after rounds 0 .. num_rounds, as nested tuples: no interning, no hashing.

    A dictionary (v, t) -> colour for each round. ``labels`` maps (u, v, t), u < v, to a label.
    """
    layers, nodes = range(graph.num_snapshots), range(graph.num_nodes)
    neighbours = {(v, t): [] for v in nodes for t in layers}
    for u, v, t in zip(graph.source.tolist(), graph.target.tolist(), graph.time.tolist(), strict=True):
        label = None if labels is None else labels[u, v, t]
        neighbours[u, t].append((v, label))
        neighbours[v, t].append((u, label))

    def start(v, t):
        return ("constant",) if features is None else ("feature", np.asarray(features)[t, v].tolist())

    rounds = [{(v, t): start(v, t) for v, t in neighbours}]
    for _ in range(num_rounds):
        C = rounds[-1]
        after = {}
        for v, t in C:
            multiset = tuple(sorted(((C[u, t], label, t) for u, label in neighbours[v, t]), key=repr))
            before, later = C.get((v, t - 1), OUTER), C.get((v, t + 1), OUTER)
            after[v, t] = (C[v, t], before, later, multiset) if temporal else (C[v, t], multiset)
        rounds.append(after)
    return rounds


def literal_multiset(colours):
    return sorted(map(repr, colours.values()))


def edge_sets(graph):
    """The edges of each layer, as a set of pairs."""
    sets = [set() for _ in range(graph.num_snapshots)]
    for u, v, t in zip(graph.source.tolist(), graph.target.tolist(), graph.time.tolist(), strict=True):
        sets[t].add((u, v))
    return sets


def isomorphic_by_brute_force(g, h):
    """Whether one permutation of the nodes turns every layer of g into that of h."""
    if (g.num_nodes, g.num_snapshots) != (h.num_nodes, h.num_snapshots):
        return False
    ours, theirs = edge_sets(g), edge_sets(h)
    return any(
        all(
            {(min(p[u], p[v]), max(p[u], p[v])) for u, v in layer} == goal
            for layer, goal in zip(ours, theirs, strict=True)
        )
        for p in itertools.permutations(range(g.num_nodes))
    )


def supra_digraph(graph):
    """The supra-graph with its layers named and time directed: what VF2 must match."""
    supra = nx.DiGraph()
    for t in range(graph.num_snapshots):
        for v in range(graph.num_nodes):
            supra.add_node((v, t), layer=t)
            if t > 0:
                supra.add_edge((v, t - 1), (v, t), kind="time")
    for t, edges in enumerate(edge_sets(graph)):
        for u, v in edges:
            supra.add_edge((u, t), (v, t), kind="space")
            supra.add_edge((v, t), (u, t), kind="space")
    return supra


def isomorphic_by_vf2(g, h):
    return DiGraphMatcher(
        supra_digraph(g),
        supra_digraph(h),
        node_match=categorical_node_match("layer", None),
        edge_match=categorical_edge_match("kind", None),
    ).is_isomorphic()


def snapshot_graph(graph, t):
    layer = nx.empty_graph(graph.num_nodes)
    layer.add_edges_from(edge_sets(graph)[t])
    return layer


def networkx_layers_differ(g, h):
    """Whether networkx's colour refinement, run to the end, tells some layer of g from that of h."""
    rounds = max(g.num_nodes, h.num_nodes, 1)
    return any(
        nx.weisfeiler_lehman_graph_hash(snapshot_graph(g, t), iterations=rounds, digest_size=32)
        != nx.weisfeiler_lehman_graph_hash(snapshot_graph(h, t), iterations=rounds, digest_size=32)
        for t in range(g.num_snapshots)
    )


def same_partition(a, b):
    """Whether two sequences of hashable colours divide their places in the same way."""
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


def make(edges, num_nodes, num_snapshots):
    """A temporal graph of (u, v, t)."""
    columns = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    return TemporalGraph.from_edges(*columns, num_nodes=num_nodes, num_snapshots=num_snapshots)


def interned_rounds(graphs, *, temporal, features=None, labels=None):
    """Every round until the partition is stable, with a dictionary from signatures to integers.

    For each round one list of colours: graphs, layers, nodes, in this order. Slow and plain.
    """
    where = {
        (i, t, v): k
        for k, (i, t, v) in enumerate(
            (i, t, v)
            for i, g in enumerate(graphs)
            for t in range(g.num_snapshots)
            for v in range(g.num_nodes)
        )
    }
    near = [[] for _ in where]
    for i, g in enumerate(graphs):
        for e, (u, v, t) in enumerate(
            zip(g.source.tolist(), g.target.tolist(), g.time.tolist(), strict=True)
        ):
            label = None if labels is None else labels[i][e]
            near[where[i, t, u]].append((where[i, t, v], label, t))
            near[where[i, t, v]].append((where[i, t, u], label, t))
    C = [0 if features is None else features[i][t][v] for i, t, v in where]
    rounds = [C]
    while True:
        book, after = {}, []
        for (i, t, v), k in where.items():
            multiset = tuple(sorted((C[u], label, s) for u, label, s in near[k]))
            before, later = where.get((i, t - 1, v)), where.get((i, t + 1, v))
            in_time = tuple("outer" if n is None else C[n] for n in (before, later)) if temporal else ()
            after.append(book.setdefault((C[k], in_time, multiset), len(book)))
        if len(book) == len(set(C)):
            return rounds
        C = after
        rounds.append(C)


def flat(one_round):
    """The colours of one round: graphs, layers, nodes, in this order."""
    return [colour for part in one_round for colour in np.asarray(part).ravel().tolist()]
