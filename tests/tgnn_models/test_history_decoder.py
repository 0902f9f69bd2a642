"""The decoder that can count, against its formula."""

import numpy as np
import pytest
import torch
from torch.func import functional_call, stack_module_state, vmap

from tgnn_models import DotDecoder, HistoryDecoder, InvalidArgumentError

from .cases import every_model, make, shaken
from .graphs import random_snapshots
from .oracles import array, arrays

PAIRS = torch.tensor([[0, 1, 2, 3, 3], [1, 0, 3, 2, 3]])
FEATURES = torch.tensor(
    [[0.0, 100.0, 2.0], [3.0, 1e6, 2.0], [-1.0, 0.0, 2.0], [0.5, 7.0, 2.0], [9.0, 50.0, 2.0]]
)


def standardised(values: np.ndarray, by: np.ndarray) -> np.ndarray:
    shrink = lambda x: np.sign(x) * np.log1p(np.abs(x))  # noqa: E731
    spread = shrink(by).std(axis=0)
    return (shrink(values) - shrink(by).mean(axis=0)) / np.where(spread > 1e-12, spread, 1)


def test_before_training_it_is_its_base():
    z = torch.randn(4, 8)
    decoder = HistoryDecoder(DotDecoder(), 3, hidden_channels=5)
    decoder.standardize(FEATURES)
    assert torch.equal(decoder(z, PAIRS, FEATURES), DotDecoder()(z, PAIRS))


@pytest.mark.parametrize("hidden_channels", [None, 6])
def test_the_formula(hidden_channels):
    z = torch.randn(4, 8, dtype=torch.float64)
    decoder = shaken(HistoryDecoder(DotDecoder(), 3, hidden_channels=hidden_channels).double())
    decoder.standardize(FEATURES)
    weights, x = arrays(decoder), standardised(array(FEATURES.double()), array(FEATURES.double()))
    if hidden_channels is not None:
        x = np.maximum(x @ weights["hidden.0.weight"].T + weights["hidden.0.bias"], 0)
    expected = array(DotDecoder()(z, PAIRS)) + (x @ weights["out.weight"].T + weights["out.bias"]).ravel()
    np.testing.assert_allclose(array(decoder(z, PAIRS, FEATURES)), expected, rtol=1e-6)


def test_standardised_features_have_mean_0_and_deviation_1_and_constant_ones_are_0():
    decoder = HistoryDecoder(DotDecoder(), 3)
    decoder.standardize(FEATURES)
    seen = []
    decoder.hidden.register_forward_hook(lambda module, inputs, output: seen.append(output))
    decoder(torch.zeros(4, 8), PAIRS, FEATURES)
    (values,) = seen
    torch.testing.assert_close(values.mean(dim=0), torch.zeros(3), atol=1e-6, rtol=0)
    torch.testing.assert_close(
        values.std(dim=0, correction=0), torch.tensor([1.0, 1.0, 0.0]), atol=1e-5, rtol=0
    )


@every_model
def test_it_stands_around_the_decoder_of_every_model(case):
    given = random_snapshots(num_nodes=4)
    model, base = make(case, in_channels=5)
    decoder = HistoryDecoder(base, 3)
    decoder.standardize(FEATURES)
    z, _ = model(given[-model.num_input_snapshots :], model.initial_state(4))
    logits = decoder(z, PAIRS, FEATURES)
    assert logits.shape == (5,)
    logits.sum().backward()
    assert decoder.out.weight.grad is not None
    assert bool(decoder.out.weight.grad.abs().sum() > 0)


def test_what_was_standardised_is_saved():
    decoder = HistoryDecoder(DotDecoder(), 3)
    decoder.standardize(FEATURES)
    other = HistoryDecoder(DotDecoder(), 3)
    other.load_state_dict(decoder.state_dict())
    assert torch.equal(other.mean, decoder.mean)
    assert torch.equal(other.scale, decoder.scale)


def test_many_train_as_one():
    decoders = [shaken(HistoryDecoder(DotDecoder(), 3), seed) for seed in range(4)]
    parameters, buffers = stack_module_state(decoders)
    z = torch.randn(4, 4, 8)

    def call(parameters, buffers, z):
        return functional_call(decoders[0], (parameters, buffers), (z, PAIRS, FEATURES))

    together = vmap(call)(parameters, buffers, z)
    apart = torch.stack([decoder(z[i], PAIRS, FEATURES) for i, decoder in enumerate(decoders)])
    torch.testing.assert_close(together, apart)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: HistoryDecoder("dot", 3), "base='dot': must be a Decoder"),
        (lambda: HistoryDecoder(DotDecoder(), 0), "num_pair_features=0: must be"),
        (lambda: HistoryDecoder(DotDecoder(), 3, hidden_channels=0), "hidden_channels=0: must be"),
        (lambda: HistoryDecoder(DotDecoder(), 3, dropout=1.5), "dropout=1.5: must be"),
        (
            lambda: HistoryDecoder(DotDecoder(), 3)(torch.zeros(4, 8), PAIRS, FEATURES[:, :2]),
            r"pair_features\.shape=\(5, 2\): must be \(num_pairs, 3\)",
        ),
        (
            lambda: HistoryDecoder(DotDecoder(), 3)(torch.zeros(4, 8), PAIRS, FEATURES[:2]),
            r"pair_features\.shape=\(2, 3\): must have a row for each of the 5 pairs",
        ),
        (lambda: HistoryDecoder(DotDecoder(), 3).standardize(FEATURES[:0]), "at least one row"),
        (lambda: HistoryDecoder(DotDecoder(), 3).standardize(FEATURES / 0), "must be finite numbers"),
    ],
)
def test_mistakes(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call()


@pytest.mark.parametrize("hidden_channels", [None, 6])
@pytest.mark.parametrize("case", ["egcn-h", "grugcn", "htgn", "slate"])
def test_compiled_gives_the_same_logits_and_gradients(case, hidden_channels):
    """In one graph, without a break; the gradients through PyTorch's own tracing."""
    (given,) = random_snapshots(num_nodes=4, num_snapshots=1)
    model, base = make(case, given.num_features)
    decoder = shaken(HistoryDecoder(base, 3, hidden_channels=hidden_channels))
    decoder.standardize(FEATURES)
    z = model([given])[0].detach()
    torch._dynamo.reset()
    compiled = torch.compile(decoder, backend="aot_eager", fullgraph=True)

    def logits_and_gradients(module):
        logits = module(z, PAIRS, FEATURES)
        return logits, torch.autograd.grad(logits.square().sum(), list(decoder.parameters()))

    torch.testing.assert_close(logits_and_gradients(compiled), logits_and_gradients(decoder))
