"""A decoder that can count: embeddings of two nodes, and what their past says."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .checks import check_count, check_dropout
from .decoders import Decoder
from .errors import InvalidArgumentError
from .stacked import Linear


class HistoryDecoder(nn.Module):
    """The logit of any decoder plus a small network of features of the pair.

    ``logits = decoder(z, edge_label_index, pair_features)``. A model sees two nodes through their embeddings
    alone, and cannot tell that the two met yesterday; the features can. They pass through
    sign(x) log(1 + |x|), since counts and products of degrees differ by orders of magnitude, are
    standardised by what :meth:`standardize` saw, and go through one linear map, or a perceptron with
    ``hidden_channels``. The last map starts at zero: before training, the logits are those of the base.

    Args:
        base: scores two embeddings.
        num_pair_features: columns of the features.
        hidden_channels: the width of a hidden layer; None: a linear map.
        dropout: the rate on the hidden layer.

    Raises:
        InvalidArgumentError: a parameter outside what is allowed.

    Example:
        >>> from tgnn_models import DotDecoder
        >>> decoder = HistoryDecoder(DotDecoder(), num_pair_features=3)
        >>> decoder(torch.randn(4, 8), torch.tensor([[0, 1], [2, 3]]), torch.ones(2, 3)).shape
        torch.Size([2])
    """

    mean: Tensor
    scale: Tensor

    def __init__(
        self,
        base: Decoder,
        num_pair_features: int,
        *,
        hidden_channels: int | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if not isinstance(base, Decoder):
            raise InvalidArgumentError(f"base={base!r}: must be a Decoder")
        self.base = base
        self.num_pair_features = check_count("num_pair_features", num_pair_features)
        rate = check_dropout(dropout)
        width = (
            num_pair_features if hidden_channels is None else check_count("hidden_channels", hidden_channels)
        )
        self.hidden = (
            nn.Identity()
            if hidden_channels is None
            else nn.Sequential(Linear(num_pair_features, width), nn.ReLU(), nn.Dropout(rate))
        )
        self.out = Linear(width, 1)
        self.register_buffer("mean", torch.zeros(num_pair_features))
        self.register_buffer("scale", torch.ones(num_pair_features))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw every parameter anew, those of the base as well; what was standardised stays."""
        self.base.reset_parameters()
        for module in self.hidden.modules():
            if isinstance(module, nn.Linear):
                module.reset_parameters()
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    @torch.no_grad()
    def standardize(self, pair_features: Tensor) -> None:
        """Let features like these have mean 0 and standard deviation 1; constant columns stay at 0.

        Args:
            pair_features: those of the training pairs, (num_pairs, num_pair_features).

        Raises:
            InvalidArgumentError: another shape, no rows, or numbers that are not finite.
        """
        self._check(pair_features)
        if not len(pair_features) or not bool(pair_features.isfinite().all()):
            raise InvalidArgumentError(
                f"pair_features.shape={tuple(pair_features.shape)}: must be finite numbers, at least one row"
            )
        values = _shrunk(pair_features.to(torch.float64))
        spread = values.std(dim=0, correction=0)
        self.mean.copy_(values.mean(dim=0))
        self.scale.copy_(torch.where(spread > 1e-12, spread, torch.ones_like(spread)))

    def forward(self, z: Tensor, edge_label_index: Tensor, pair_features: Tensor) -> Tensor:
        """Score pairs of nodes.

        Args:
            z: embeddings, as the base takes them.
            edge_label_index: (2, num_pairs).
            pair_features: (num_pairs, num_pair_features).

        Returns:
            The logits (num_pairs,).

        Raises:
            InvalidArgumentError: features of another shape.

        All may have a leading axis of runs.
        """
        self._check(pair_features, edge_label_index.dim())
        if pair_features.size(-2) != edge_label_index.size(-1):
            raise InvalidArgumentError(
                f"pair_features.shape={tuple(pair_features.shape)}: must have a row for each of the "
                f"{edge_label_index.size(-1)} pairs"
            )
        values = _shrunk(pair_features.to(self.mean.dtype))
        values = (values - self.mean.unsqueeze(-2)) / self.scale.unsqueeze(-2)
        return self.base(z, edge_label_index) + self.out(self.hidden(values)).squeeze(-1)

    def _check(self, pair_features: Tensor, num_axes: int = 2) -> None:
        if pair_features.dim() != num_axes or pair_features.size(-1) != self.num_pair_features:
            raise InvalidArgumentError(
                f"pair_features.shape={tuple(pair_features.shape)}: must be "
                f"(num_pairs, {self.num_pair_features})"
            )


def _shrunk(values: Tensor) -> Tensor:
    return values.sign() * values.abs().log1p()
