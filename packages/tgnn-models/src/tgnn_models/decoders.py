"""From the embeddings of two nodes to a link's logit: ``logits = decoder(z, edge_label_index)``."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .attention import Attention
from .checks import check_choice, check_count, check_dropout, check_heads, check_index, check_positive
from .errors import InvalidArgumentError
from .features import take_rows
from .hyperbolic import PoincareBall
from .pairs import pair_gaps, pair_products
from .poincare import distance_of_gap, room
from .stacked import LayerNorm, Linear


class Decoder(nn.Module):
    """``logits = decoder(z, edge_label_index)``; a probability is the sigmoid of its logit."""

    channels: int | None = None  # what `z` must have, where that is fixed

    def forward(self, z: Tensor, edge_label_index: Tensor) -> Tensor:
        """Score pairs of nodes.

        Args:
            z: embeddings (num_nodes, channels), or sequences (num_nodes, window, channels), newest last.
            edge_label_index: (2, num_pairs).

        Returns:
            The logits (num_pairs,).

        Raises:
            InvalidArgumentError: if a shape does not fit or a pair names a node that is not there.

        Several runs may be scored at once: embeddings (num_runs, num_nodes, channels), or sequences, and
        pairs (num_runs, 2, num_pairs) give logits (num_runs, num_pairs).
        """
        if edge_label_index.dim() == 3:
            source, target = edge_label_index.unbind(1)
            check_index("edge_label_index", torch.stack([source.flatten(), target.flatten()]), z.size(1))
            return self._score(z, source, target)
        if z.dim() not in (2, 3) or (self.channels is not None and z.size(-1) != self.channels):
            width = "channels" if self.channels is None else self.channels
            raise InvalidArgumentError(
                f"z.shape={tuple(z.shape)}: must be (num_nodes, {width}) or (num_nodes, window, {width})"
            )
        source, target = check_index("edge_label_index", edge_label_index, z.size(0))
        return self._score(z, source, target)

    def reset_parameters(self) -> None:
        """Draw every parameter anew, where there are any."""

    def _score(self, z: Tensor, source: Tensor, target: Tensor) -> Tensor:
        raise NotImplementedError


def are_sequences(z: Tensor, source: Tensor) -> bool:
    """Whether embeddings have an axis of time, given an end of each pair, which may have one of runs."""
    return z.dim() == source.dim() + 2


def newest(z: Tensor, source: Tensor) -> Tensor:
    """Return the embeddings (…, num_nodes, channels); of sequences the newest."""
    return z[..., -1, :] if are_sequences(z, source) else z


def ends(z: Tensor, source: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Return the embeddings (…, num_pairs, channels) of both ends of pairs; of sequences the newest."""
    z = newest(z, source)
    return take_rows(z, source), take_rows(z, target)


def take_sequences(z: Tensor, index: Tensor) -> Tensor:
    """Return (…, k, window, channels) of nodes by their index."""
    return take_rows(z.flatten(-2), index).unflatten(-1, z.shape[-2:])


class DotDecoder(Decoder):
    """⟨z_u, z_v⟩.

    Example:
        >>> DotDecoder()(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[0], [1]]))
        tensor([11.])
    """

    def _score(self, z: Tensor, source: Tensor, target: Tensor) -> Tensor:
        return pair_products(newest(z, source), source, target)


class FermiDiracDecoder(Decoder):
    """(radius − d²) / temperature with d the distance in the Poincaré ball: p = 1 / (exp((d² − r) / t) + 1).

    Args:
        curvature: of the ball: a number, or an HTGN's ``ball`` to share a learned one.
        radius: the squared distance at which a link is as likely as not.
        temperature: how soft that border is.

    Example:
        >>> FermiDiracDecoder()(torch.zeros(2, 16), torch.tensor([[0], [1]]))
        tensor([2.])
    """

    def __init__(
        self, curvature: float | PoincareBall = 1.0, *, radius: float = 2.0, temperature: float = 1.0
    ) -> None:
        super().__init__()
        if not isinstance(curvature, PoincareBall):
            curvature = PoincareBall(curvature)
        self.ball = curvature
        self.radius = check_positive("radius", radius)
        self.temperature = check_positive("temperature", temperature)

    def _score(self, z: Tensor, source: Tensor, target: Tensor) -> Tensor:
        z, c = newest(z, source), self.ball.c
        gaps = pair_gaps(z, source, target).unsqueeze(-1)
        rooms = room(z, c)
        distance = distance_of_gap(gaps, take_rows(rooms, source), take_rows(rooms, target), c)
        return (self.radius - distance) / self.temperature


class MLPDecoder(Decoder):
    """A perceptron of one hidden layer on [z_u ‖ z_v].

    Args:
        channels: the width of z.
        dropout: the rate on the hidden layer.

    Example:
        >>> MLPDecoder(16)(torch.randn(4, 16), torch.tensor([[0, 1], [2, 3]])).shape
        torch.Size([2])
    """

    def __init__(self, channels: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.channels = check_count("channels", channels)
        self.mlp = _perceptron(2 * channels, channels, 1, check_dropout(dropout))

    def reset_parameters(self) -> None:
        """Draw every parameter anew."""
        _reset(self.mlp)

    def _score(self, z: Tensor, source: Tensor, target: Tensor) -> Tensor:
        return self.mlp(torch.cat(ends(z, source, target), dim=-1)).squeeze(-1)


class CrossAttentionDecoder(Decoder):
    """SLATE's edge module: u's sequence asks, v's answers; then residuals, aggregation over time, a score.

    Args:
        channels: the width of z.
        num_heads: must divide it.
        aggregate: ``"last"`` position of the sequence, as published, or their ``"mean"``.
        symmetric: whether to average the scores of (u, v) and (v, u); as published the order matters.
        dropout: the rate inside the perceptrons.

    Raises:
        InvalidArgumentError: if a parameter is outside what is allowed.

    Example:
        >>> CrossAttentionDecoder(16)(torch.randn(4, 3, 16), torch.tensor([[0, 1], [2, 3]])).shape
        torch.Size([2])
    """

    def __init__(
        self,
        channels: int,
        *,
        num_heads: int = 4,
        aggregate: str = "last",
        symmetric: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.channels = check_count("channels", channels)
        self.aggregate = check_choice("aggregate", aggregate, ("last", "mean"))
        self.symmetric = symmetric
        rate = check_dropout(dropout)
        self.attention = Attention(channels, check_heads(num_heads, channels))
        self.norm = LayerNorm(channels)
        self.mlp = _perceptron(channels, 2 * channels, channels, rate)
        self.scorer = _perceptron(channels, channels, 1, rate)

    def reset_parameters(self) -> None:
        """Draw every parameter anew."""
        self.attention.reset_parameters()
        self.norm.reset_parameters()
        _reset(self.mlp)
        _reset(self.scorer)

    def _score(self, z: Tensor, source: Tensor, target: Tensor) -> Tensor:
        z = z if are_sequences(z, source) else z.unsqueeze(-2)
        # Projected once a node, not once a pair.
        query, key, value = self.attention.project(z)
        forth = self._direction(z, query, key, value, source, target)
        if not self.symmetric:
            return forth
        return (forth + self._direction(z, query, key, value, target, source)) / 2

    def _direction(
        self, z: Tensor, query: Tensor, key: Tensor, value: Tensor, source: Tensor, target: Tensor
    ) -> Tensor:
        if self.aggregate == "last":
            # Each position of the query is on its own, so that the others need not be computed.
            asked = take_rows(newest(z, source), source)
            answer = self.attention.of_pairs(query[..., -1, :], key, value, source, target)
        else:
            asked = take_sequences(z, source)
            answer = self.attention(
                take_sequences(query, source), take_sequences(key, target), take_sequences(value, target)
            )
        hidden = self.norm(asked + answer)
        hidden = hidden + self.mlp(hidden)
        if self.aggregate == "mean":
            hidden = hidden.mean(dim=-2)
        return self.scorer(hidden).squeeze(-1)


def _perceptron(in_channels: int, inner_channels: int, out_channels: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(
        Linear(in_channels, inner_channels),
        nn.ReLU(),
        nn.Dropout(dropout),
        Linear(inner_channels, out_channels),
    )


def _reset(modules: nn.Sequential) -> None:
    for module in modules:
        if isinstance(module, nn.Linear):
            module.reset_parameters()
