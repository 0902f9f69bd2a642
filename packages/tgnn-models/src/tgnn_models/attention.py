"""Multi-head attention through PyTorch's fused kernel: memory linear in the number of tokens.

Weights may have a leading axis of runs, and then tokens have it, too: ``(…, num_tokens, channels)``.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from .pair_attention import pair_attention
from .stacked import LayerNorm, Linear

FAST_WIDTH, MANY_KEYS = 16, 100
"""Channels of a head for which the fused kernel of a processor is fast: with 2, 4 or 8 it takes half as long
again, where there are so many keys."""


class Attention(nn.Module):
    """softmax(Q Kᵀ / √d) V in each head, then a linear map.

    There is no dropout on the attention weights: with it PyTorch falls back to a kernel that forms them all.

    Args:
        channels: the width of the tokens.
        num_heads: how many heads share it; must divide it.

    Example:
        >>> attention = Attention(8, num_heads=2)
        >>> tokens = torch.randn(5, 3, 8)
        >>> query, key, value = attention.project(tokens)
        >>> attention(query, key, value).shape
        torch.Size([5, 3, 8])
    """

    def __init__(self, channels: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.inward = Linear(channels, 3 * channels)
        self.outward = Linear(channels, channels)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights as ``torch.nn.MultiheadAttention`` does; the biases are zero."""
        nn.init.xavier_uniform_(self.inward.weight)
        self.outward.reset_parameters()
        nn.init.zeros_(self.inward.bias)
        nn.init.zeros_(self.outward.bias)

    def project(self, tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return query, key and value, each (..., num_tokens, channels), of tokens of that shape."""
        query, key, value = self.inward(tokens).chunk(3, dim=-1)
        return query, key, value

    def forward(self, query: Tensor, key: Tensor, value: Tensor, sizes: Tensor | None = None) -> Tensor:
        """Return (…, num_tokens, channels); key and value may have another number of tokens.

        Args:
            query, key, value: see :meth:`project`.
            sizes: (num_keys,), for how many keys that are the same each one stands, where it is not one.
        """
        # The fused kernel takes one axis before those of heads and tokens.
        q, k, v = (self._split(part).flatten(0, -4) for part in (query, key, value))
        bias = None if sizes is None else sizes.to(q.dtype).log().expand(1, 1, 1, -1)
        width = q.size(-1)
        if 1 < width < FAST_WIDTH and k.size(-2) >= MANY_KEYS and q.device.type == "cpu":
            q, k, v = (functional.pad(part, (0, FAST_WIDTH - width)) for part in (q, k, v))  # with zeros
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=width**-0.5)
        return self.outward(mixed[..., :width].transpose(-3, -2).flatten(-2).view(query.shape))

    def of_pairs(self, query: Tensor, key: Tensor, value: Tensor, source: Tensor, target: Tensor) -> Tensor:
        """Return (…, num_pairs, channels): the source's query asks the target's keys.

        Args:
            query: (…, num_nodes, channels).
            key, value: (…, num_nodes, num_keys, channels).
            source, target: the ends of pairs, (num_pairs,), or one a run.
        """
        return self.outward(pair_attention(query, key, value, source, target, self.num_heads))

    def _split(self, tokens: Tensor) -> Tensor:
        """(…, num_tokens, channels) -> (…, 1, num_heads, num_tokens, channels / num_heads)."""
        return tokens.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2).unsqueeze(-4)


class TransformerLayer(nn.Module):
    """An encoder layer with the norms after the residual sums, as in ``torch.nn.TransformerEncoderLayer``.

    Args:
        channels: the width of the tokens.
        num_heads: must divide it.
        feedforward_channels: the width inside the feed-forward part.
        dropout: the rate on both residual branches.
    """

    def __init__(
        self, channels: int, num_heads: int, feedforward_channels: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.attention = Attention(channels, num_heads)
        self.attention_norm = LayerNorm(channels)
        self.widen = Linear(channels, feedforward_channels)
        self.narrow = Linear(feedforward_channels, channels)
        self.feedforward_norm = LayerNorm(channels)
        self.drop = nn.Dropout(dropout)

    def reset_parameters(self) -> None:
        """Draw every parameter anew."""
        for part in (self.attention, self.attention_norm, self.widen, self.narrow, self.feedforward_norm):
            part.reset_parameters()

    def forward(self, tokens: Tensor, sizes: Tensor | None = None) -> Tensor:
        """Return (…, num_tokens, channels) for tokens of that shape; ``sizes`` as in :class:`Attention`."""
        answer = self.attention(*self.attention.project(tokens), sizes)
        tokens = self.attention_norm(tokens + self.drop(answer))
        inner = self.drop(torch.relu(self.widen(tokens)))
        return self.feedforward_norm(tokens + self.drop(self.narrow(inner)))
