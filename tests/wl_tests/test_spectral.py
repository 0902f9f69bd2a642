"""Where Supra-WL and the spectrum of the supra-Laplacian must agree, and where they do not."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import InvalidArgumentError, TemporalGraph, laplacian, supra_graph
from wl_tests import gallery, relabel, search, supra_wl
from wl_tests.spectral import closed_walks, projectors
from wl_tests.strategies import node_relabelings, temporal_graphs

from .drawn import forest_pairs
from .oracles import edge_sets, isomorphic_by_vf2

couplings = st.sampled_from([0.5, 1.0, 3.0])


def diagonals(graph, coupling=1.0):
    """Shape (eigenspaces, num_snapshots, num_nodes)."""
    spaces = projectors(graph, coupling=coupling)
    every = np.diagonal(spaces.projectors, axis1=1, axis2=2)
    return every.reshape(len(every), graph.num_snapshots, graph.num_nodes)


@given(graph=temporal_graphs(max_nodes=5, max_snapshots=3, max_weight=3), coupling=couplings)
def test_projectors_rebuild_the_supra_laplacian(graph, coupling):
    spaces = projectors(graph, coupling=coupling)
    rebuilt = np.einsum("s,sij->ij", spaces.eigenvalues, spaces.projectors)
    whole = supra_graph(graph, coupling=coupling, global_nodes=False, drop_isolated=False)
    np.testing.assert_allclose(rebuilt, laplacian(whole.adjacency).toarray(), atol=1e-9)
    np.testing.assert_allclose(spaces.projectors.sum(axis=0), np.eye(len(rebuilt)), atol=1e-9)
    for P in spaces.projectors:
        np.testing.assert_allclose(P @ P, P, atol=1e-9)


@pytest.mark.property
@given(graph=temporal_graphs(max_nodes=6, max_snapshots=3), coupling=couplings)
def test_projectors_are_constant_on_colours_when_summed_over_colours(graph, coupling):
    """Stable colours are equitable, so P·1_C is constant on colours, for each eigenspace and colour C."""
    colours = supra_wl(graph).rounds[-1][0].ravel()
    for P in projectors(graph, coupling=coupling).projectors:
        for C in range(colours.max() + 1):
            image = P @ (colours == C)
            for D in range(colours.max() + 1):
                assert np.ptp(image[colours == D]) < 1e-7


@pytest.mark.property
@given(data=st.data(), graph=temporal_graphs(max_nodes=6, max_snapshots=3), coupling=couplings)
def test_diagonals_move_with_the_nodes(data, graph, coupling):
    names = data.draw(node_relabelings(num_nodes=graph.num_nodes))
    after = diagonals(relabel(graph, names), coupling)
    np.testing.assert_allclose(after[:, :, names], diagonals(graph, coupling), atol=1e-7)


@pytest.mark.property
@given(graph=temporal_graphs(max_nodes=5, max_snapshots=3), coupling=couplings)
def test_nodes_an_automorphism_exchanges_have_equal_diagonals_and_colours(graph, coupling):
    colours, every = supra_wl(graph).rounds[-1][0], diagonals(graph, coupling)
    layers = edge_sets(graph)
    for p in itertools.permutations(range(graph.num_nodes)):
        carried = [{(min(p[u], p[v]), max(p[u], p[v])) for u, v in layer} for layer in layers]
        if carried == layers:
            np.testing.assert_array_equal(colours[:, list(p)], colours)
            np.testing.assert_allclose(every[:, :, list(p)], every, atol=1e-7)


@pytest.mark.property
@given(pair=forest_pairs())
def test_in_forests_equal_colours_mean_equal_diagonals(pair):
    """In a forest of one layer the stable colours are the orbits of its automorphisms."""
    forest, _ = pair
    colours, walks = supra_wl(forest).rounds[-1][0].ravel(), closed_walks(forest)
    for a, b in itertools.combinations(range(len(colours)), 2):
        if colours[a] == colours[b]:
            assert (walks[:, a] == walks[:, b]).all()


@given(graph=temporal_graphs(max_nodes=4, max_snapshots=3))
def test_closed_walks_and_diagonals_separate_the_same_nodes(graph):
    walks = closed_walks(graph)
    every = diagonals(graph).reshape(-1, graph.num_nodes * graph.num_snapshots)
    for a, b in itertools.combinations(range(every.shape[1]), 2):
        apart = np.abs(every[:, a] - every[:, b]).max() > 1e-6
        assert apart == bool((walks[:, a] != walks[:, b]).any())


def test_closed_walks_of_many_nodes_are_exact_integers():
    walks = closed_walks(gallery.long_paths(20).first)
    assert walks.dtype == object
    assert walks[1].tolist() == (walks[0] ** 2 + walks[0]).tolist()  # (L²)ᵥᵥ = d² + d without weights
    with pytest.raises(InvalidArgumentError, match="integers"):
        closed_walks(TemporalGraph.from_edges([0], [1], [0], [0.5]))


@pytest.mark.parametrize("pair", gallery.node_pairs(), ids=lambda p: p.name)
def test_the_gallery_s_nodes_are_merged_by_supra_wl_and_separated_by_the_spectrum(pair):
    (v, t), (w, s) = pair.first, pair.second
    colours, walks = supra_wl(pair.graph).rounds[-1][0], closed_walks(pair.graph)
    assert colours[t, v] == colours[s, w]
    n = pair.graph.num_nodes
    assert (walks[:, t * n + v] != walks[:, s * n + w]).any()
    for coupling in (0.5, 1.0, 3.0):
        every = diagonals(pair.graph, coupling)
        assert np.abs(every[:, t, v] - every[:, s, w]).max() > 0.05


@pytest.mark.parametrize("pair", gallery.node_pairs(), ids=lambda p: p.name)
def test_so_does_the_supra_graph_that_encodings_use(pair):
    supra = supra_graph(pair.graph)  # with global nodes, without isolated ones
    values, vectors = np.linalg.eigh(laplacian(supra.adjacency).toarray().astype(float))
    rows = [
        int(np.flatnonzero((supra.node == v) & (supra.time == t))[0]) for v, t in (pair.first, pair.second)
    ]
    groups = np.split(vectors, np.flatnonzero(np.diff(values) > 1e-8) + 1, axis=1)
    gaps = [abs((space[rows[0]] ** 2).sum() - (space[rows[1]] ** 2).sum()) for space in groups]
    assert max(gaps) > 0.05


def test_the_figures_of_the_triangle_and_the_square():
    pair = gallery.triangle_and_square()
    spaces = projectors(pair.graph)
    np.testing.assert_allclose(spaces.eigenvalues, [0, 2, 3, 4], atol=1e-9)
    np.testing.assert_allclose(spaces.diagonal(*pair.first), [1 / 3, 0, 2 / 3, 0], atol=1e-9)
    np.testing.assert_allclose(spaces.diagonal(*pair.second), [1 / 4, 1 / 2, 0, 1 / 4], atol=1e-9)
    walks = closed_walks(pair.graph)
    assert (walks[2, 0], walks[2, 3]) == (18, 20)


def test_the_smallest_such_nodes_are_the_gallery_s():
    found = search.smallest_spectral_pair(7, 1)
    assert isomorphic_by_vf2(found.graph, gallery.triangle_and_square().graph)
    found = search.smallest_spectral_pair(5, 3, min_snapshots=2)
    assert (found.graph.num_nodes, found.graph.num_snapshots) == (5, 2)
    assert isomorphic_by_vf2(found.graph, gallery.two_pentagons().graph)
