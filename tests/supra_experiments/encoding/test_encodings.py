import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from supra_core import Encoder
from supra_experiments.config import PES, Config
from supra_experiments.encoding import tensors as encodings
from supra_experiments.encoding.tensors import encode_graph

from ..toys import QUICK, toy, with_other_future


@pytest.mark.parametrize("pe", [pe for pe in PES if pe != "none"])
@pytest.mark.parametrize("num_layers", [1, 3])
def test_windows_hold_what_the_encoder_gives(pe, num_layers):
    config = QUICK.replace(pe=pe, window=3, scale_pe=False, with_eigenvalues=pe == "slpe-e")
    graph = toy().graph
    encoded = encode_graph(config, graph, num_layers)
    encoder = config.encoder
    assert encoded.dim == encoder.dim
    for t, encoding in enumerate(encoder.encode_all(graph)):
        expected = encoding.layers[-num_layers:]
        np.testing.assert_allclose(encoded.windows[t].numpy(), expected.astype(np.float32), atol=1e-5)


def test_settings_reach_the_encoder():
    config = Config(
        pe="lpe-t",
        k=5,
        window=4,
        coupling=0.5,
        normalization="rw",
        global_nodes=False,
        pe_init="rademacher",
        align="rotation",
        absent="last",
        with_age=True,
    )
    assert config.encoder == Encoder(
        method="lpe",
        variant="trajectory",
        k=5,
        window=4,
        coupling=0.5,
        normalization="rw",
        global_nodes=False,
        init="rademacher",
        scale="rows",
        align="rotation",
        absent="last",
        with_age=True,
    )
    assert Config(pe="none").encoder is None
    assert Config(pe="slpe-e", pe_window=2).encoder.window == 2


def test_scaled_entries_are_about_one_whatever_the_size():
    config = QUICK.replace(pe="slpe-e", window=3, global_nodes=False)
    graph = toy().graph
    plain = encode_graph(config.replace(scale_pe=False), graph, 3)
    scaled = encode_graph(config, graph, 3)
    for t in range(graph.num_snapshots):
        num_rows = config.encoder.encode(graph, t).decompositions[-1].supra.num_rows
        torch.testing.assert_close(scaled.windows[t], plain.windows[t] * num_rows**0.5)


@given(st.sampled_from(["lpe-e", "slpe-e", "slpe-t", "lpe-t"]), st.booleans(), st.integers(0, 2**32 - 1))
def test_flips_are_one_sign_an_eigenvector(pe, with_eigenvalues, seed):
    config = QUICK.replace(pe=pe, window=3, with_eigenvalues=with_eigenvalues)
    encoded = encode_graph(config, toy().graph, 3)
    t = 4
    before, after = encoded.windows[t], encoded.flipped(t, np.random.default_rng(seed))
    torch.testing.assert_close(after.abs(), before.abs())
    steps = config.encoding.max_steps if pe.endswith("t") else 1
    vectors = steps * config.encoding.k
    assert torch.equal(after[:, :, vectors:], before[:, :, vectors:]), "eigenvalues have no sign to flip"
    signs = np.full((3, config.encoding.k), np.nan)
    for layer in range(3):
        for channel in range(vectors):
            x, y = before[layer, :, channel], after[layer, :, channel]
            if not x.any():
                continue
            sign = 1.0 if torch.equal(x, y) else -1.0
            assert torch.equal(y, sign * x), "the sign is the same for all nodes"
            known = signs[layer, channel % config.encoding.k]
            assert np.isnan(known) or known == sign, "and along the trajectory"
            signs[layer, channel % config.encoding.k] = sign
    if pe.startswith("slpe"):
        assert all(len(set(column[~np.isnan(column)])) <= 1 for column in signs.T), "and in all layers"


def test_both_signs_occur():
    encoded = encode_graph(QUICK.replace(pe="slpe-e", window=3), toy().graph, 1)
    kept = [
        torch.equal(encoded.flipped(3, np.random.default_rng(seed)), encoded.windows[3]) for seed in range(64)
    ]
    assert 0 < sum(kept) < 64


def test_encodings_are_computed_once_for_a_graph_and_an_encoder(monkeypatch):
    calls = []
    real = encodings._encode
    monkeypatch.setattr(encodings, "_encode", lambda *arguments: calls.append(1) or real(*arguments))
    graph = toy().graph
    config = QUICK.replace(pe="slpe-i", coupling=0.77)
    first = encode_graph(config, graph, 1)
    assert encode_graph(config.replace(seed=9, features="zeros", lr=0.5), graph, 1) is first
    assert encode_graph(config.replace(k=2), graph, 1) is not first
    assert len(calls) == 2


@pytest.mark.parametrize("pe", ["lpe-e", "slpe-e", "slpe-i", "slpe-t"])
@pytest.mark.parametrize("pe_init", ["normal", "previous"])
def test_later_snapshots_change_no_earlier_encoding(pe, pe_init):
    config = QUICK.replace(pe=pe, window=3, pe_init=pe_init)
    graph = toy().graph
    other = with_other_future(graph, stop=4)
    assert other != graph
    first, second = encode_graph(config, graph, 3), encode_graph(config, other, 3)
    for t in range(4):
        assert torch.equal(first.windows[t], second.windows[t])
    assert not torch.equal(first.windows[5], second.windows[5])


def test_the_report_says_how_exact_the_encodings_are():
    exact = encode_graph(QUICK.replace(pe="slpe-e"), toy().graph, 1).report
    inexact = encode_graph(QUICK.replace(pe="slpe-i", max_steps=1), toy().graph, 1).report
    assert exact["max_residual"] < 1e-5 < inexact["max_residual"]
    assert exact["num_unconverged"] == 0 < inexact["num_unconverged"]
    assert exact["channels"] == 3
