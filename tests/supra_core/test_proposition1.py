"""The runnable statement of Proposition 1, against an oracle that knows no matrix of ours."""

import numpy as np
import pytest

from supra_core import InvalidArgumentError, generators
from supra_core.proposition1 import both_sides, sides_in_integers


def by_hand(graph, X, coupling):
    layers = X.reshape(graph.num_snapshots, graph.num_nodes, -1)
    intra = sum(
        w * float(((layers[t, u] - layers[t, v]) ** 2).sum())
        for u, v, t, w in zip(graph.source, graph.target, graph.time, graph.weight, strict=True)
    )
    return intra, coupling * float((np.diff(layers, axis=0) ** 2).sum())


@pytest.mark.parametrize("coupling", [0.0, 0.7, 3])
def test_both_sides_are_those_of_the_definition(coupling):
    graph = generators.block_model(20, 4, num_blocks=2, p_in=0.4, p_out=0.1, seed=1)
    X = np.random.default_rng(0).standard_normal((80, 3))
    sides = both_sides(graph, X, coupling)
    intra, inter = by_hand(graph, X, coupling)
    np.testing.assert_allclose((sides.intra, sides.inter), (intra, inter), rtol=1e-12)
    np.testing.assert_allclose(sides.energy, intra + inter, rtol=1e-12)
    assert sides.difference <= 1e-9 * sides.energy


@pytest.mark.parametrize("seed", range(3))
def test_integers_agree_to_the_last_digit_whatever_the_weights(seed):
    graph = generators.block_model(15, 3, num_blocks=3, p_in=0.5, p_out=0.1, seed=seed)
    graph = type(graph).from_edges(
        graph.source, graph.target, graph.time, graph.weight * 0.3, num_nodes=15, num_snapshots=3
    )
    sides = sides_in_integers(graph, coupling=2, seed=seed)
    assert isinstance(sides.energy, int)
    assert sides.energy > 0
    assert (sides.difference, sides.total) == (0, sides.energy)


def test_rows_that_do_not_fit_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"X.shape=\(3, 1\)"):
        both_sides(generators.path_layers(4, 2), np.ones((3, 1)))
