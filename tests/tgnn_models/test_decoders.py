"""Decoders against their formulae."""

import numpy as np
import pytest
import torch

from tgnn_models import HTGN, CrossAttentionDecoder, DotDecoder, FermiDiracDecoder, MLPDecoder

from .cases import shaken
from .oracles import array, arrays, geoopt_ball, layer_norm, multi_head_attention

PAIRS = torch.tensor([[0, 1, 2, 3, 3], [1, 0, 3, 2, 3]])


def sequences(window: int = 3, channels: int = 8) -> torch.Tensor:
    return torch.randn(4, window, channels, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def test_dot():
    z = sequences()[:, -1]
    expected = [float(z[u] @ z[v]) for u, v in PAIRS.t().tolist()]
    np.testing.assert_allclose(array(DotDecoder()(z, PAIRS)), expected)


@pytest.mark.parametrize("curvature", [0.5, 1.0])
@pytest.mark.parametrize(("radius", "temperature"), [(2.0, 1.0), (1.0, 0.5)])
def test_fermi_dirac(curvature, radius, temperature):
    ball = geoopt_ball(curvature)
    z = ball.expmap0(sequences()[:, -1] * 0.3)
    decoder = FermiDiracDecoder(curvature, radius=radius, temperature=temperature).double()
    probability = torch.sigmoid(decoder(z, PAIRS))
    distance = ball.dist(z[PAIRS[0]], z[PAIRS[1]])
    expected = 1 / (torch.exp((distance**2 - radius) / temperature) + 1)
    torch.testing.assert_close(probability, expected, rtol=1e-5, atol=1e-7)


def test_fermi_dirac_shares_a_learned_curvature():
    model = HTGN(5, 4, learn_curvature=True)
    decoder = FermiDiracDecoder(model.ball)
    assert decoder.ball is model.ball
    together = list(torch.nn.ModuleList([model, decoder]).parameters())
    assert len(together) == len(set(together)) == len(list(model.parameters()))


def test_mlp():
    torch.manual_seed(0)
    decoder = MLPDecoder(8).double()
    z = sequences()[:, -1]
    weights = arrays(decoder)
    for logit, (u, v) in zip(array(decoder(z, PAIRS)), PAIRS.t().tolist(), strict=True):
        joined = np.concatenate([array(z[u]), array(z[v])])
        inner = np.maximum(weights["mlp.0.weight"] @ joined + weights["mlp.0.bias"], 0)
        assert logit == pytest.approx((weights["mlp.3.weight"] @ inner + weights["mlp.3.bias"]).item())


@pytest.mark.parametrize("aggregate", ["last", "mean"])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("window", [1, 3])
def test_cross_attention(aggregate, symmetric, window):
    torch.manual_seed(0)
    decoder = shaken(CrossAttentionDecoder(8, num_heads=2, aggregate=aggregate, symmetric=symmetric)).double()
    z = sequences(window)
    weights = arrays(decoder)
    attention = arrays(decoder.attention)

    def perceptron(x: np.ndarray, name: str) -> np.ndarray:
        inner = np.maximum(x @ weights[f"{name}.0.weight"].T + weights[f"{name}.0.bias"], 0)
        return inner @ weights[f"{name}.3.weight"].T + weights[f"{name}.3.bias"]

    def score(u: int, v: int) -> float:
        asked = array(z[u]) + multi_head_attention(array(z[u]), array(z[v]), attention, 2)
        hidden = layer_norm(asked, weights["norm.weight"], weights["norm.bias"])
        hidden = hidden + perceptron(hidden, "mlp")
        return perceptron(hidden[-1] if aggregate == "last" else hidden.mean(axis=0), "scorer").item()

    for logit, (u, v) in zip(array(decoder(z, PAIRS)), PAIRS.t().tolist(), strict=True):
        assert logit == pytest.approx((score(u, v) + score(v, u)) / 2 if symmetric else score(u, v))


@pytest.mark.parametrize(
    "decoder", [DotDecoder(), FermiDiracDecoder(), MLPDecoder(8)], ids=lambda d: type(d).__name__
)
def test_others_read_the_last_position_of_sequences(decoder):
    z = sequences().float() * 0.1
    torch.testing.assert_close(decoder(z, PAIRS), decoder(z[:, -1], PAIRS))


def test_cross_attention_reads_embeddings_as_sequences_of_one():
    decoder = CrossAttentionDecoder(8)
    z = sequences().float()[:, -1]
    torch.testing.assert_close(decoder(z, PAIRS), decoder(z.unsqueeze(1), PAIRS))


@pytest.mark.parametrize(
    "decoder",
    [DotDecoder(), FermiDiracDecoder(), MLPDecoder(8), CrossAttentionDecoder(8)],
    ids=lambda d: type(d).__name__,
)
def test_no_pairs_no_logits(decoder):
    assert decoder(sequences().float() * 0.1, torch.empty(2, 0, dtype=torch.int64)).shape == (0,)
