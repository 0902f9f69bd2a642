"""A toy that must be learnt: the two blocks of a temporal graph, from a few sparse snapshots."""

import numpy as np
import pytest
import torch
from torch.nn.functional import softplus
from torch_geometric.data import Data

from tgnn_models import Decoder, TemporalModel, build, prepare

from .graphs import two_blocks
from .oracles import auc


def fit(model: TemporalModel, decoder: Decoder, data: list[Data], epochs: int, lr: float) -> torch.Tensor:
    """Train as published for the architecture and return the last embeddings."""
    snapshots, num_nodes = [prepare(snapshot) for snapshot in data], data[0].num_nodes
    parameters = list(torch.nn.ModuleList([model, decoder]).parameters())
    optimizer = torch.optim.Adam(parameters, lr=lr)
    generator = torch.Generator().manual_seed(0)

    def step(loss: torch.Tensor) -> None:
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    for _ in range(epochs):
        state, total = model.initial_state(num_nodes), torch.zeros(())
        for t in range(len(snapshots)):
            z, after = model(snapshots[max(0, t + 1 - model.num_input_snapshots) : t + 1], state)
            positive = data[t].edge_index
            negative = torch.randint(num_nodes, positive.shape, generator=generator)
            loss = softplus(-decoder(z, positive)).mean() + softplus(decoder(z, negative)).mean()
            loss = loss + model.consistency_loss(z, state)
            if model.trains_through_time:
                total, state = total + loss, after
            else:
                step(loss)
                state = after.detach()
        if model.trains_through_time:
            step(total)
    return z.detach()


def score(decoder: Decoder, z: torch.Tensor, block: np.ndarray) -> float:
    """How well the decoder's scores of all pairs tell pairs of one block from pairs across."""
    rows, columns = np.triu_indices(block.size, 1)
    scores = decoder(z, torch.from_numpy(np.stack([rows, columns]))).detach().numpy()
    same = block[rows] == block[columns]
    return auc(scores[same], scores[~same])


@pytest.mark.parametrize(
    ("name", "options", "epochs", "lr"),
    [
        ("egcn-h", {}, 40, 0.02),
        ("egcn-o", {}, 40, 0.02),
        ("grugcn", {}, 15, 0.02),
        ("htgn", {}, 12, 0.02),
        ("slate", {}, 30, 0.01),
        ("slate", {"active_only": True}, 30, 0.01),
    ],
)
def test_two_blocks_are_learnt(name, options, epochs, lr):
    edges, block = two_blocks()
    data = [Data(x=torch.arange(block.size), edge_index=edge) for edge in edges]
    torch.manual_seed(0)
    model, decoder = build(name, block.size, 16, **options)
    assert score(decoder, fit(model, decoder, data, epochs, lr), block) >= 0.95
