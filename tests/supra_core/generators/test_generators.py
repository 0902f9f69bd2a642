"""Generators give the graphs they promise; closed-form spectra agree with dense ``eigh``."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import generators, laplacian


def edge_set(graph, t):
    source, target, _ = graph.snapshot(t)
    return set(zip(source.tolist(), target.tolist(), strict=True))


@given(
    num_nodes=st.integers(2, 40),
    m=st.integers(1, 6),
    rewire=st.sampled_from([0.0, 0.2, 0.5, 1.0]),
    seed=st.integers(0, 1000),
)
def test_barabasi_albert_layers(num_nodes, m, rewire, seed):
    m = min(m, num_nodes - 1)
    graph = generators.barabasi_albert(num_nodes, 4, m=m, rewire=rewire, seed=seed)
    expected = m * (m + 1) // 2 + m * (num_nodes - m - 1)
    assert (graph.num_nodes, graph.num_snapshots) == (num_nodes, 4)
    assert (graph.weight == 1).all()  # two equal edges would have been merged into one of weight 2
    for t in range(4):
        assert len(edge_set(graph, t)) == expected
    # The first layer grows node by node: each beyond the clique has exactly m earlier neighbours.
    earlier = np.bincount([v for _, v in edge_set(graph, 0)], minlength=num_nodes)
    assert (earlier[m + 1 :] == m).all()
    for t in range(1, 4):
        kept = len(edge_set(graph, t) & edge_set(graph, t - 1))
        assert kept >= expected - round(rewire * expected)


def test_barabasi_albert_is_heavy_tailed_and_rewired():
    graph = generators.barabasi_albert(5000, 3, m=3, rewire=0.2, seed=4)
    for t in range(3):
        degree = np.asarray(graph.adjacency(t).sum(axis=1)).ravel()
        # P(degree ≥ d) falls like d^-2; in a random graph of mean degree 6 no node would come near 40.
        assert degree.max() > 80
        assert 0.001 < np.mean(degree > 40) < 0.03
    for t in (1, 2):
        share = len(edge_set(graph, t) & edge_set(graph, t - 1)) / len(edge_set(graph, t))
        assert share == pytest.approx(0.8, abs=0.005)


@given(st.integers(0, 2**40))
def test_the_seed_decides(seed):
    make = [
        lambda seed: generators.barabasi_albert(30, 3, seed=seed),
        lambda seed: generators.block_model(30, 3, seed=seed),
    ]
    for generate in make:
        assert generate(seed) == generate(seed)
        assert generate(seed) != generate(seed + 1)


def test_block_model_densities():
    graph = generators.block_model(400, 6, num_blocks=4, p_in=0.2, p_out=0.02, persistence=1.0, seed=2)
    inside, between = 4 * 100 * 99 / 2, 6 * 100 * 100
    for t in range(6):
        source, target, weight = graph.snapshot(t)
        same = source // 100 == target // 100
        assert (weight == 1).all()
        # Five standard deviations of the binomial counts.
        assert same.sum() == pytest.approx(0.2 * inside, abs=5 * np.sqrt(0.2 * 0.8 * inside))
        assert (~same).sum() == pytest.approx(0.02 * between, abs=5 * np.sqrt(0.02 * 0.98 * between))


@pytest.mark.parametrize("edge_persistence", [0.0, 0.5, 1.0])
def test_block_model_edges_persist(edge_persistence):
    p, n = 0.1, 300
    settings = {"num_blocks": 1, "p_in": p, "edge_persistence": edge_persistence}
    graph = generators.block_model(n, 2, **settings, seed=5)
    old, new = edge_set(graph, 0), edge_set(graph, 1)
    # An old edge is there again if it is kept, or drawn anew.
    expected = edge_persistence + (1 - edge_persistence) * p
    assert len(old & new) / len(old) == pytest.approx(expected, abs=0.05)
    assert len(new) == pytest.approx(p * n * (n - 1) / 2, rel=0.1)


def test_block_model_at_its_ends():
    assert generators.block_model(6, 2, num_blocks=1, p_in=1.0).num_edges == 30
    assert generators.block_model(6, 2, num_blocks=2, p_in=0.0, p_out=0.0).num_edges == 0
    assert generators.block_model(1, 2, num_blocks=1, p_in=1.0).num_edges == 0
    blocks = generators.block_model(6, 1, num_blocks=2, p_in=1.0, p_out=0.0)
    assert edge_set(blocks, 0) == {(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)}


NETWORKX = {
    "path": lambda nx, n: nx.path_graph(n),
    "cycle": lambda nx, n: nx.cycle_graph(n),
    "star": lambda nx, n: nx.star_graph(n - 1),
    "complete": lambda nx, n: nx.complete_graph(n),
}


CASES = [(shape, n) for shape in NETWORKX for n in (1, 2, 3, 4, 9) if shape != "cycle" or n >= 3]


@pytest.mark.parametrize(("shape", "n"), CASES)
def test_regular_layers_and_their_spectra(shape, n):
    nx = pytest.importorskip("networkx")
    graph = getattr(generators, f"{shape}_layers")(n, 3)
    expected = nx.to_numpy_array(NETWORKX[shape](nx, n))
    for t in range(3):
        np.testing.assert_array_equal(graph.adjacency(t).toarray(), expected)
    spectrum = getattr(generators, f"{shape}_spectrum")(n)
    assert spectrum.shape == (n,)
    np.testing.assert_allclose(
        np.linalg.eigvalsh(np.diag(expected.sum(axis=1)) - expected), spectrum, atol=1e-12
    )


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (4, 1), (3, 4)])
def test_grid(shape):
    nx = pytest.importorskip("networkx")
    graph = generators.grid_layers(*shape, 2)
    grid = nx.grid_2d_graph(*shape)
    expected = nx.to_numpy_array(grid, nodelist=sorted(grid))
    np.testing.assert_array_equal(graph.adjacency(1).toarray(), expected)
    spectrum = np.linalg.eigvalsh(laplacian(graph.adjacency(0)).toarray())
    np.testing.assert_allclose(generators.grid_spectrum(*shape), spectrum, atol=1e-12)
