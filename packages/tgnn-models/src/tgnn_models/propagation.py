"""A sparse matrix times dense columns, forward and backward by the same fast kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from .errors import InvalidArgumentError


@dataclass(frozen=True, slots=True, eq=False)
class SparseRows:
    """A square sparse matrix, its entries row by row.

    Attributes:
        columns: (num_entries,), the column of each.
        starts: (num_rows,), where each row begins.
        values: (num_entries,).
    """

    columns: Tensor
    starts: Tensor
    values: Tensor

    @classmethod
    def of(cls, rows: Tensor, columns: Tensor, values: Tensor, size: int) -> SparseRows:
        """Sort entries by row; those of one place are added up when the matrix is used."""
        order = rows.argsort(stable=True)
        starts = torch.searchsorted(rows[order], torch.arange(size, device=rows.device))
        return cls(columns[order], starts, values[order])

    def to(self, device: torch.device | str) -> SparseRows:
        """Return the matrix on another device."""
        return SparseRows(self.columns.to(device), self.starts.to(device), self.values.to(device))

    @property
    def tensors(self) -> tuple[Tensor, Tensor, Tensor]:
        """All that it is made of."""
        return self.columns, self.starts, self.values


def multiply(matrix: SparseRows, transposed: SparseRows, x: Tensor) -> Tensor:
    """Return the matrix times x (num_nodes, channels).

    One kernel gathers rows, scales them and adds them up. With a call for each of these it takes 5 to 20
    times as long on a processor, and more where x is wide.

    Args:
        matrix: of num_nodes rows.
        transposed: the same, transposed, for the gradient.
        x: (num_nodes, channels).

    Example:
        >>> row, column, value = torch.tensor([0, 1]), torch.tensor([1, 1]), torch.tensor([2.0, 3.0])
        >>> matrix, transposed = SparseRows.of(row, column, value, 2), SparseRows.of(column, row, value, 2)
        >>> multiply(matrix, transposed, torch.tensor([[1.0], [10.0]])).flatten()
        tensor([20., 30.])
    """
    product: Tensor = _Product.apply(x, *matrix.tensors, *transposed.tensors)
    return product


def _product(x: Tensor, columns: Tensor, starts: Tensor, values: Tensor) -> Tensor:
    return embedding_bag(columns, x, starts, mode="sum", per_sample_weights=values)


class _Product(torch.autograd.Function):
    # Each tensor by its name: torch.compile does not follow a star here.
    @staticmethod
    def forward(
        x: Tensor,
        columns: Tensor,
        starts: Tensor,
        values: Tensor,
        back_columns: Tensor,
        back_starts: Tensor,
        back_values: Tensor,
    ) -> Tensor:
        return _product(x, columns, starts, values)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        _, columns, starts, values, back_columns, back_starts, back_values = inputs
        ctx.save_for_backward(columns, starts, values, back_columns, back_starts, back_values)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        columns, starts, values, back_columns, back_starts, back_values = ctx.saved_tensors
        if torch.is_grad_enabled():  # gradients of gradients
            product = _Product.apply(
                gradient, back_columns, back_starts, back_values, columns, starts, values
            )
        else:
            product = _product(gradient, back_columns, back_starts, back_values)
        return product, None, None, None, None, None, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], x: Tensor, *matrices: Tensor) -> tuple[Tensor, int]:
        # One matrix for all: their columns side by side.
        if in_dims[0] is None or any(dim is not None for dim in in_dims[1:]):
            raise InvalidArgumentError(f"in_dims={in_dims}: must map over x alone; all runs share the graph")
        by_row = x.movedim(in_dims[0], 1)
        product = _Product.apply(by_row.flatten(1), *matrices)
        return product.view(by_row.shape), 1
