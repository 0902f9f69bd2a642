"""A sparse matrix times columns is what the dense one gives: values, gradients, stacked runs."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.func import vmap
from torch_geometric.data import Data

from tgnn_models import InvalidArgumentError, InvalidSnapshotError, prepare
from tgnn_models.propagation import SparseRows, multiply

from .graphs import edge_index, random_snapshots


def random_matrix(size: int, num_entries: int) -> tuple[SparseRows, SparseRows, torch.Tensor]:
    """A matrix that is not symmetric, with places that have several entries and rows that have none."""
    rng = np.random.default_rng(size)
    row, column = torch.from_numpy(rng.integers(0, size, (2, num_entries)))
    value = torch.from_numpy(rng.normal(size=num_entries))
    dense = torch.zeros(size, size, dtype=torch.float64).index_put((row, column), value, accumulate=True)
    return SparseRows.of(row, column, value, size), SparseRows.of(column, row, value, size), dense


@pytest.mark.parametrize(("size", "num_entries"), [(1, 0), (1, 3), (5, 4), (9, 40)])
@pytest.mark.parametrize("channels", [1, 3, 64])
def test_products_and_their_gradients(size, num_entries, channels):
    matrix, transposed, dense = random_matrix(size, num_entries)
    x = torch.randn(size, channels, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(multiply(matrix, transposed, x), dense @ x)
    assert torch.autograd.gradcheck(lambda x: multiply(matrix, transposed, x), x)
    assert torch.autograd.gradgradcheck(lambda x: multiply(matrix, transposed, x) ** 2, x)


@pytest.mark.parametrize("in_dim", [0, 1, 2])
def test_mapped_over_runs(in_dim):
    matrix, transposed, dense = random_matrix(6, 20)
    runs = torch.randn(4, 6, 3, dtype=torch.float64)
    together = vmap(lambda x: multiply(matrix, transposed, x), in_dims=in_dim)(runs.movedim(0, in_dim))
    torch.testing.assert_close(together, dense @ runs)


def test_a_graph_for_each_run_is_refused():
    matrix, transposed, _ = random_matrix(6, 20)
    values = matrix.values.expand(4, -1)
    with pytest.raises(InvalidArgumentError, match="all runs share the graph"):
        vmap(lambda v: multiply(replace(matrix, values=v), transposed, torch.ones(6, 1).double()))(values)


def test_stacked_runs_share_the_graph():
    snapshot = prepare(random_snapshots()[0])
    runs = torch.randn(3, 7, 4)
    torch.testing.assert_close(
        snapshot.propagate(runs), torch.stack([snapshot.propagate(run) for run in runs])
    )


def test_weights_are_data():
    data = Data(x=torch.arange(3), edge_index=edge_index(np.array([[0, 1]])))
    data.edge_weight = torch.ones(2, requires_grad=True)
    with pytest.raises(InvalidSnapshotError, match="edge_weight requires a gradient: must be data"):
        prepare(data)
