"""Sums over the channels of pairs of rows, a block of pairs at a time.

A snapshot of some hundred nodes can have ten thousand links. Written plainly, their rows are gathered into
arrays of many megabytes, one after the other; blocks stay in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from .features import as_one_table

BLOCK = 2**16
"""Numbers of a block on a processor; a GPU takes all at once."""


def pair_products(z: Tensor, source: Tensor, target: Tensor) -> Tensor:
    """Return ⟨z_u, z_v⟩ of pairs (u, v).

    Args:
        z: (num_nodes, channels), or one a run, (num_runs, num_nodes, channels).
        source: (num_pairs,), or one a run, (num_runs, num_pairs).
        target: as many.

    Returns:
        As many as there are pairs.

    Example:
        >>> z = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
        >>> pair_products(z, torch.tensor([0]), torch.tensor([1]))
        tensor([13.])
    """
    return _of_pairs(z, source, target, False)


def pair_gaps(z: Tensor, source: Tensor, target: Tensor) -> Tensor:
    """Return ‖z_u − z_v‖² of pairs (u, v); the arguments are those of :func:`pair_products`.

    Example:
        >>> z = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
        >>> pair_gaps(z, torch.tensor([0]), torch.tensor([1]))
        tensor([13.])
    """
    return _of_pairs(z, source, target, True)


def _of_pairs(z: Tensor, source: Tensor, target: Tensor, gap: bool) -> Tensor:
    table, rows = as_one_table(z, source)
    _, others = as_one_table(z, target)
    sums: Tensor = _PairSums.apply(table, rows, others, gap)
    return sums.view(source.shape)


class _PairSums(torch.autograd.Function):
    @staticmethod
    def forward(z: Tensor, source: Tensor, target: Tensor, gap: bool) -> Tensor:
        sums = z.new_empty(source.size(0))
        for block in blocks(z, source):
            one, other = z.index_select(0, source[block]), z.index_select(0, target[block])
            sums[block] = ((one - other).square() if gap else one * other).sum(dim=-1)
        return sums

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        z, source, target, gap = inputs
        ctx.save_for_backward(z, source, target)
        ctx.gap = gap

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        z, source, target = ctx.saved_tensors
        # Sources and targets are added up apart: then the order of each sum, and with it the rounding,
        # depends neither on where blocks end nor on which other runs there are.
        of_sources, of_targets = torch.zeros_like(z), torch.zeros_like(z)
        # A gradient of this gradient needs each step as a tensor of its own, so all pairs are one block.
        for block in [slice(None)] if torch.is_grad_enabled() else blocks(z, source):
            rows, others, weight = source[block], target[block], gradient[block].unsqueeze(-1)
            one, other = z.index_select(0, rows), z.index_select(0, others)
            if ctx.gap:
                to_one = 2 * weight * (one - other)
                to_other = -to_one
            else:
                to_one, to_other = weight * other, weight * one
            if torch.is_grad_enabled():
                of_sources = of_sources.index_add(0, rows, to_one)
                of_targets = of_targets.index_add(0, others, to_other)
            else:
                of_sources.index_add_(0, rows, to_one)
                of_targets.index_add_(0, others, to_other)
        return of_sources + of_targets, None, None, None

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[int | None, ...], z: Tensor, source: Tensor, target: Tensor, gap: bool
    ) -> tuple[Tensor, int]:
        parts = [
            tensor.expand(info.batch_size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)
            for tensor, dim in zip((z, source, target), in_dims, strict=False)
        ]
        return _of_pairs(parts[0], parts[1], parts[2], gap), 0


def blocks(table: Tensor, source: Tensor) -> Iterator[slice]:
    """Pairs whose rows of a table fit into the cache together; all of them on a GPU."""
    num_pairs = source.size(0)
    size = max(1, BLOCK // max(1, table.size(-1))) if table.device.type == "cpu" else max(1, num_pairs)
    return (slice(start, start + size) for start in range(0, num_pairs, size))
