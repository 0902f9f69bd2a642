import multiprocessing

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

ONE_LAYER = QUICK.replace(window=3)
ALL_LAYERS = ONE_LAYER.replace(model="slate", align="signs", absent="last", scale_pe=True)
"""SLATE reads all layers of a window, the others the newest."""


@pytest.mark.parametrize("pe", [pe for pe in PES if pe != "none"])
@pytest.mark.parametrize(("base", "num_layers"), [(ONE_LAYER, 1), (ALL_LAYERS, 3)])
def test_windows_hold_what_the_encoder_gives(pe, base, num_layers):
    config = base.replace(pe=pe, scale_pe=False, with_eigenvalues=pe == "slpe-e")
    graph = toy().graph
    encoded = encode_graph(config, graph)
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
    config = ALL_LAYERS.replace(pe="slpe-e", global_nodes=False)
    graph = toy().graph
    plain = encode_graph(config.replace(scale_pe=False), graph)
    scaled = encode_graph(config, graph)
    for t in range(graph.num_snapshots):
        num_rows = config.encoder.encode(graph, t).decompositions[-1].supra.num_rows
        torch.testing.assert_close(scaled.windows[t], plain.windows[t] * num_rows**0.5)


@given(st.sampled_from(["lpe-e", "slpe-e", "slpe-t", "lpe-t"]), st.booleans(), st.integers(0, 2**32 - 1))
def test_flips_are_one_sign_an_eigenvector(pe, with_eigenvalues, seed):
    config = ALL_LAYERS.replace(pe=pe, with_eigenvalues=with_eigenvalues)
    encoded = encode_graph(config, toy().graph)
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
    encoded = encode_graph(ONE_LAYER.replace(pe="slpe-e"), toy().graph)
    kept = [
        torch.equal(encoded.flipped(3, np.random.default_rng(seed)), encoded.windows[3]) for seed in range(64)
    ]
    assert 0 < sum(kept) < 64


def test_encodings_are_computed_once_for_a_graph_and_an_encoder(monkeypatch):
    calls = []
    real = Encoder.encode_all
    monkeypatch.setattr(Encoder, "encode_all", lambda *a, **kw: calls.append(1) or real(*a, **kw))
    graph = toy().graph
    config = QUICK.replace(pe="slpe-i", coupling=0.77)
    first = encode_graph(config, graph)
    assert encode_graph(config.replace(seed=9, features="zeros", lr=0.5), graph) is first
    assert encode_graph(config.replace(k=2), graph) is not first
    assert len(calls) == 2


def compute_and_report(folder, queue) -> None:
    encoded = encode_graph(ALL_LAYERS.replace(pe="slpe-t"), toy().graph, cache=folder)
    queue.put((encoded.seconds, [window.numpy().copy() for window in encoded.windows]))


def test_processes_that_share_a_folder_compute_once(tmp_path):
    """Seconds to the last digit: those of one computation."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    processes = [context.Process(target=compute_and_report, args=(tmp_path, queue)) for _ in range(2)]
    for process in processes:
        process.start()
    found = [queue.get(timeout=120) for _ in processes]
    for process in processes:
        process.join()
    config, graph = ALL_LAYERS.replace(pe="slpe-t"), toy().graph
    kept, own = encode_graph(config, graph, cache=tmp_path), encode_graph(config, graph)
    assert found[0][0] == found[1][0] == kept.seconds != own.seconds
    for windows in (found[0][1], found[1][1], kept.windows):
        for window, expected in zip(windows, own.windows, strict=True):
            np.testing.assert_array_equal(window, expected)
    for name in ("k", "num_vectors", "shared_signs"):
        assert getattr(kept, name) == getattr(own, name)
    assert kept.report | {"seconds": 0} == own.report | {"seconds": 0}


def test_a_kept_encoding_can_be_written_to_without_harm(tmp_path):
    """What is in the folder stays as it was computed."""
    config, graph = ONE_LAYER.replace(pe="lpe-e"), toy().graph
    kept = encode_graph(config, graph, cache=tmp_path)
    kept.windows[0].fill_(7)
    encodings._encoded.cache_clear()
    again = encode_graph(config, graph, cache=tmp_path)
    assert torch.equal(again.windows[0], encode_graph(config, graph).windows[0])


@pytest.mark.parametrize("pe", ["lpe-e", "slpe-e", "slpe-i", "slpe-t"])
@pytest.mark.parametrize("pe_init", ["normal", "previous"])
def test_later_snapshots_change_no_earlier_encoding(pe, pe_init):
    config = ALL_LAYERS.replace(pe=pe, pe_init=pe_init)
    graph = toy().graph
    other = with_other_future(graph, stop=4)
    assert other != graph
    first, second = encode_graph(config, graph), encode_graph(config, other)
    for t in range(4):
        assert torch.equal(first.windows[t], second.windows[t])
    assert not torch.equal(first.windows[5], second.windows[5])


def test_the_report_says_how_exact_the_encodings_are():
    exact = encode_graph(QUICK.replace(pe="slpe-e"), toy().graph).report
    inexact = encode_graph(QUICK.replace(pe="slpe-i", max_steps=1), toy().graph).report
    assert exact["max_residual"] < 1e-5 < inexact["max_residual"]
    assert exact["num_unconverged"] == 0 < inexact["num_unconverged"]
    assert exact["channels"] == 3
