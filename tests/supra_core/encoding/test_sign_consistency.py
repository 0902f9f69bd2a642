"""The paper's Figure 3: coupled layers agree in sign, layers decomposed one by one do not in general."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import generators

from ..encoders import plain

pytestmark = pytest.mark.property

SETTINGS = {"k": 3, "window": 6, "global_nodes": False, "drop_isolated": False}


def agreements(layers: np.ndarray) -> np.ndarray:
    """Cosines between neighbouring layers' channels, shape (num_layers - 1, k)."""
    unit = layers / np.linalg.norm(layers, axis=1, keepdims=True)
    return (unit[1:] * unit[:-1]).sum(axis=1)


@given(
    num_nodes=st.integers(16, 30),
    coupling=st.sampled_from([0.5, 1.0, 5.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_neighbouring_layers_agree_in_sign_under_slpe(num_nodes, coupling, seed):
    """All layers of supra-eigenvectors that vary along the path are the same, whatever signs are drawn."""
    graph = generators.path_layers(num_nodes, 6)
    encoder = plain(method="slpe", coupling=coupling, **SETTINGS)
    encoding = encoder.encode(graph, 5)
    # Eigenvectors that vary along the path come before those that vary in time where
    # λ_j(path) = 2 − 2cos(πj/n) is below μ(2 − 2cos(π/6)); the rest change sign in time by what they are.
    in_space = generators.path_spectrum(num_nodes)[1:4] < coupling * generators.path_spectrum(6)[1] - 1e-9
    assert in_space[0]
    cosines = agreements(encoding.flip_signs(seed).layers)[:, in_space]
    np.testing.assert_allclose(cosines, 1.0, atol=1e-6)


@given(seed=st.integers(0, 2**32 - 1))
def test_layers_alone_agree_only_up_to_signs_of_their_own(seed):
    """Under LPE each layer's eigenvectors come with a sign that no other layer knows of."""
    graph = generators.path_layers(12, 6)
    encoding = plain(method="lpe", **SETTINGS).encode(graph, 5)
    cosines = agreements(encoding.flip_signs(seed).layers)
    np.testing.assert_allclose(np.abs(cosines), 1.0, atol=1e-6)


def test_independent_signs_disagree_half_of_the_time():
    graph = generators.path_layers(12, 6)
    encoding = plain(method="lpe", **SETTINGS).encode(graph, 5)
    drawn = [agreements(encoding.flip_signs(seed).layers) < 0 for seed in range(200)]
    # 3000 fair coins: five standard deviations are 0.046.
    assert np.mean(drawn) == pytest.approx(0.5, abs=0.046)
    coupled = plain(method="slpe", coupling=5.0, **SETTINGS).encode(generators.path_layers(20, 6), 5)
    assert all((agreements(coupled.flip_signs(seed).layers) > 0.99).all() for seed in range(50))


def test_layers_that_differ_still_agree():
    """Not only on identical layers: a graph of which a part changes keeps its signs under coupling."""
    graph = generators.block_model(60, 6, num_blocks=3, p_in=0.4, p_out=0.02, persistence=1.0, seed=1)
    settings = SETTINGS | {"k": 2}
    coupled = plain(method="slpe", coupling=30.0, **settings).encode(graph, 5)
    assert (agreements(coupled.layers) > 0.9).all()
