"""Attention of one end of a pair to the sequence of the other, a block of pairs at a time.

A decoder has ten thousand pairs and more, each with a handful of keys. Written plainly that is one array of
many megabytes after the other, gathered, kept for the way back, and fetched from memory again. Blocks stay in
the cache, and how much a pair takes of each key is all that is kept.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .features import as_one_table
from .pairs import blocks


def pair_attention(
    query: Tensor, key: Tensor, value: Tensor, source: Tensor, target: Tensor, num_heads: int
) -> Tensor:
    """Return softmax(q_u K_vᵀ / √d) V_v of pairs (u, v) in each head.

    Args:
        query: (num_nodes, channels), or one a run, (num_runs, num_nodes, channels).
        key: (num_nodes, num_keys, channels), or one a run.
        value: as the key.
        source: u of each pair, (num_pairs,), or one a run, (num_runs, num_pairs).
        target: v, as many.
        num_heads: how many heads share the channels.

    Returns:
        (num_pairs, channels), or (num_runs, num_pairs, channels).

    Example:
        >>> query, key = torch.zeros(2, 1), torch.zeros(2, 2, 1)
        >>> value = torch.tensor([[[1.0], [3.0]], [[5.0], [9.0]]])
        >>> pair_attention(query, key, value, torch.tensor([0, 1]), torch.tensor([1, 0]), 1)
        tensor([[7.],
                [2.]])
    """
    answer, _ = _of_pairs(query, key.flatten(-2), value.flatten(-2), source, target, num_heads)
    return answer


def _of_pairs(
    query: Tensor, key: Tensor, value: Tensor, source: Tensor, target: Tensor, num_heads: int
) -> tuple[Tensor, Tensor]:
    """Return the answers, and how much of each key they have, of one run or all as one."""
    queries, rows = as_one_table(query, source)
    keys, others = as_one_table(key, target)
    values, _ = as_one_table(value, target)
    answer, weights = _PairAttention.apply(queries, keys, values, rows, others, num_heads)
    runs = query.shape[:-2]
    return answer.view(*runs, -1, query.size(-1)), weights.view(*runs, -1, *weights.shape[1:])


def _weights(query: Tensor, key: Tensor) -> Tensor:
    """Return how much of each key a pair takes, (pairs, keys, heads, 1)."""
    scores = (query * key).sum(dim=-1, keepdim=True) * query.size(-1) ** -0.5
    # Written out: PyTorch's softmax over so few numbers, apart in memory, takes as long as all else here.
    shares = (scores - scores.amax(dim=1, keepdim=True)).exp()
    return shares / shares.sum(dim=1, keepdim=True)


def _take(table: Tensor, rows: Tensor, num_heads: int, width: int) -> Tensor:
    """Return rows of a table, (pairs, keys, heads, width)."""
    return table.index_select(0, rows).view(len(rows), -1, num_heads, width)


class _PairAttention(torch.autograd.Function):
    @staticmethod
    def forward(
        query: Tensor, key: Tensor, value: Tensor, source: Tensor, target: Tensor, num_heads: int
    ) -> tuple[Tensor, Tensor]:
        heads = num_heads, query.size(1) // num_heads
        answer = query.new_empty(len(source), query.size(1))
        weights = query.new_empty(len(source), key.size(1) // max(1, query.size(1)), num_heads, 1)
        for block in blocks(key, source):
            others = target[block]
            own = _weights(_take(query, source[block], *heads), _take(key, others, *heads))
            weights[block] = own
            torch.sum(own * _take(value, others, *heads), dim=1, out=answer[block].view(len(others), *heads))
        return answer, weights

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        *tensors, ctx.num_heads = inputs
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(*tensors, output[1])

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        query, key, value, source, target, known = ctx.saved_tensors
        heads = ctx.num_heads, query.size(1) // ctx.num_heads
        # A gradient of this gradient needs each step as a tensor of its own, so all pairs are one block.
        again = torch.is_grad_enabled()
        sums = [torch.zeros_like(table) for table in (query, key, value)]
        for block in [slice(None)] if again else blocks(key, source):
            rows, others = source[block], target[block]
            asked, keys = _take(query, rows, *heads), _take(key, others, *heads)
            weights = _weights(asked, keys) if again else known[block]
            own = gradient[block].reshape(asked.shape)
            of_weights = (own * _take(value, others, *heads)).sum(dim=-1, keepdim=True)
            of_weights = of_weights - (weights * of_weights).sum(dim=1, keepdim=True)
            of_scores = weights * of_weights * heads[1] ** -0.5
            parts = (
                (rows, (of_scores * keys).sum(dim=1)),
                (others, of_scores * asked),
                (others, weights * own),
            )
            for i, (index, part) in enumerate(parts):
                part = part.flatten(1)
                sums[i] = sums[i].index_add(0, index, part) if again else sums[i].index_add_(0, index, part)
        return *sums, None, None, None

    @staticmethod
    def vmap(
        info: Any,
        in_dims: tuple[int | None, ...],
        query: Tensor,
        key: Tensor,
        value: Tensor,
        source: Tensor,
        target: Tensor,
        num_heads: int,
    ) -> tuple[tuple[Tensor, Tensor], tuple[int, int]]:
        query, key, value, source, target = (
            tensor.expand(info.batch_size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)
            for tensor, dim in zip((query, key, value, source, target), in_dims, strict=False)
        )
        return _of_pairs(query, key, value, source, target, num_heads), (0, 0)
