"""Runs stacked along a leading axis give what each gives alone: logits, states, losses, gradients."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call

from tgnn_models import (
    CrossAttentionDecoder,
    DotDecoder,
    FermiDiracDecoder,
    HistoryDecoder,
    InvalidArgumentError,
    MLPDecoder,
    State,
    prepare,
)

from .cases import CASES, make, shaken
from .graphs import random_snapshots

NUM_RUNS, NUM_NODES = 3, 7
INPUTS = {
    "one-hot": (True, 0),
    "one-hot, encoded": (True, 2),
    "float": (False, 0),
    "float, encoded": (False, 2),
}


class Scored(nn.Module):
    """A model and its decoder as one call, through two snapshots."""

    def __init__(self, model: nn.Module, decoder: nn.Module) -> None:
        super().__init__()
        self.model, self.decoder = model, decoder

    def forward(self, snapshots: list, state: State, pairs: Tensor) -> tuple[Tensor, Tensor, State]:
        _, middle = self.model(snapshots[:1], state)
        read = snapshots if self.model.num_input_snapshots > 1 else snapshots[1:]
        z, after = self.model(read, middle)
        return self.decoder(z, pairs), self.model.consistency_loss(z, middle), after


def runs_of(case: str, one_hot: bool, pe_channels: int) -> list[tuple[Scored, list, Tensor]]:
    """Runs that differ in weights, features, encodings and pairs, on one graph."""
    channels = NUM_NODES if one_hot else 5
    graph = random_snapshots(seed=9, num_snapshots=2, dtype=torch.float64)
    runs = []
    for seed in range(NUM_RUNS):
        own = random_snapshots(
            seed=seed, num_snapshots=2, pe_channels=pe_channels, one_hot=one_hot, dtype=torch.float64
        )
        for data, shared in zip(own, graph, strict=True):
            data.edge_index = shared.edge_index
        model, decoder = make(case, channels, seed=seed, pe_channels=pe_channels)
        scored = shaken(Scored(model, decoder).double(), seed=seed)
        pairs = torch.randint(NUM_NODES, (2, 11), generator=torch.Generator().manual_seed(seed))
        runs.append((scored, [prepare(data, torch.float64) for data in own], pairs))
    return runs


def stack_snapshots(runs: list) -> list:
    stacked = []
    for together in zip(*(snapshots for _, snapshots, _ in runs), strict=True):
        x = together[0].x if together[0].is_one_hot else torch.stack([s.x for s in together])
        pe = None if together[0].pe is None else torch.stack([s.pe for s in together])
        stacked.append(replace(together[0], x=x, pe=pe))
    return stacked


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("one_hot", "pe_channels"), INPUTS.values(), ids=INPUTS)
def test_stacked_runs_are_the_runs_alone(case, one_hot, pe_channels):
    runs = runs_of(case, one_hot, pe_channels)
    alone = []
    for scored, snapshots, pairs in runs:
        logits, consistency, after = scored(snapshots, scored.model.initial_state(NUM_NODES), pairs)
        gradients = torch.autograd.grad(logits.sigmoid().sum() + consistency, list(scored.parameters()))
        alone.append((logits, consistency, after.tensors, gradients))

    names = [name for name, _ in runs[0][0].named_parameters()]
    stacked = {
        name: torch.stack([dict(scored.named_parameters())[name].detach() for scored, _, _ in runs])
        for name in names
    }
    stacked = {name: tensor.requires_grad_() for name, tensor in stacked.items()}
    states = [scored.model.initial_state(NUM_NODES).tensors for scored, _, _ in runs]
    state = State(tuple(torch.stack(parts) for parts in zip(*states, strict=True)))
    if case.startswith("egcn"):  # its first state is parameters
        state = State(tuple(t for name, t in stacked.items() if name.endswith("initial_weight")))
    pairs = torch.stack([pairs for _, _, pairs in runs])
    logits, consistency, after = functional_call(runs[0][0], stacked, (stack_snapshots(runs), state, pairs))
    gradients = torch.autograd.grad(logits.sigmoid().sum() + consistency.sum(), list(stacked.values()))
    for i, (own_logits, own_consistency, own_state, own_gradients) in enumerate(alone):
        torch.testing.assert_close(logits[i], own_logits)
        torch.testing.assert_close(consistency[i] if consistency.dim() else consistency, own_consistency)
        for found, expected in zip(after.tensors, own_state, strict=True):
            torch.testing.assert_close(found[i], expected)
        for name, found, expected in zip(names, gradients, own_gradients, strict=True):
            torch.testing.assert_close(found[i], expected, msg=name)


DECODERS = {
    "dot": DotDecoder,
    "fermi-dirac": FermiDiracDecoder,
    "mlp": lambda: MLPDecoder(8),
    "cross-attention": lambda: CrossAttentionDecoder(8, num_heads=2),
    "cross-attention, both ways": lambda: CrossAttentionDecoder(8, aggregate="mean", symmetric=True),
    "history": lambda: HistoryDecoder(DotDecoder(), 3),
    "history, hidden": lambda: HistoryDecoder(MLPDecoder(8), 3, hidden_channels=5),
}


@pytest.mark.parametrize("sequences", [False, True])
@pytest.mark.parametrize("name", DECODERS)
def test_decoders_of_stacked_runs_are_those_alone(name, sequences):
    generator = torch.Generator().manual_seed(0)
    decoders = [shaken(DECODERS[name]().double(), seed=seed) for seed in range(NUM_RUNS)]
    shape = (NUM_RUNS, NUM_NODES, 4, 8) if sequences else (NUM_RUNS, NUM_NODES, 8)
    z = 0.2 * torch.randn(shape, generator=generator, dtype=torch.float64)
    pairs = torch.randint(NUM_NODES, (NUM_RUNS, 2, 11), generator=generator)
    past = torch.randn(NUM_RUNS, 11, 3, generator=generator, dtype=torch.float64)
    given = [z, pairs]
    if name.startswith("history"):
        given.append(past)
        for decoder, features in zip(decoders, past, strict=True):
            decoder.standardize(features)
    alone = torch.stack(
        [decoder(*own) for decoder, own in zip(decoders, zip(*given, strict=True), strict=True)]
    )
    tensors = [dict(decoder.named_parameters()) | dict(decoder.named_buffers()) for decoder in decoders]
    stacked = {name: torch.stack([own[name] for own in tensors]) for name in tensors[0]}
    stacked = {key: value[0] if value[0].dim() == 0 else value for key, value in stacked.items()}
    torch.testing.assert_close(functional_call(decoders[0], stacked, tuple(given)), alone)


@pytest.mark.parametrize("decoder", [DotDecoder(), FermiDiracDecoder()])
def test_pairs_of_stacked_runs_are_checked(decoder):
    pairs = torch.zeros(2, 2, 3, dtype=torch.int64)
    pairs[1, 0, 2] = 4
    with pytest.raises(InvalidArgumentError, match=r"edge_label_index=4: must be a node in 0\.\.3"):
        decoder(torch.zeros(2, 4, 8), pairs)


def test_a_state_without_the_axis_of_runs_is_refused():
    model, _ = make("grugcn", 5)
    stacked = {name: torch.stack([p, p]) for name, p in model.named_parameters()}
    snapshots = [prepare(random_snapshots()[0])]
    with pytest.raises(InvalidArgumentError, match=r"shapes \[\(5, 7, 8\)\]: must be \[\(2, 5, 7, 8\)\]"):
        functional_call(model, stacked, (snapshots, model.initial_state(NUM_NODES)))
