"""The list of isomorphism classes against counting by other means."""

import itertools

import networkx as nx
import numpy as np
import pytest

from supra_core import InvalidArgumentError
from wl_tests.search.isomorphism_classes import Classes, burnside

from ..oracles import isomorphic_by_brute_force, make
from .representatives import representatives


def all_graphs(n, T):
    pairs = list(itertools.combinations(range(n), 2))
    for layers in itertools.product(range(2 ** len(pairs)), repeat=T):
        edges = [(*pairs[i], t) for t, mask in enumerate(layers) for i in range(len(pairs)) if mask >> i & 1]
        yield make(edges, n, T)


@pytest.mark.parametrize(("n", "T"), [(1, 3), (2, 3), (3, 1), (3, 2), (4, 1)])
def test_every_graph_is_isomorphic_to_exactly_one_representative(n, T):
    listed = representatives(n, T)
    for graph in all_graphs(n, T):
        assert sum(isomorphic_by_brute_force(graph, one) for one in listed) == 1


@pytest.mark.parametrize(("n", "T"), [(1, 1), (2, 5), (3, 5), (4, 3), (5, 2), (6, 1), (7, 1)])
def test_as_many_representatives_as_burnside_counts(n, T):
    table = Classes(n)
    rows = np.concatenate(list(table.blocks(T, limit=1000)))
    assert len(rows) == table.count(T) == burnside(n, T)
    assert len(np.unique(rows, axis=0)) == len(rows)


def test_numbers_of_graphs_are_the_known_ones():
    assert [burnside(n, 1) for n in range(1, 9)] == [1, 2, 4, 11, 34, 156, 1044, 12346]
    assert Classes(5).count(1) == sum(1 for g in nx.graph_atlas_g() if g.number_of_nodes() == 5)


@pytest.mark.parametrize("num_nodes", [0, 9, True, 2.0])
def test_bad_sizes(num_nodes):
    with pytest.raises(InvalidArgumentError, match=rf"num_nodes={num_nodes}: must be an integer in 1 \.\. 8"):
        Classes(num_nodes)
