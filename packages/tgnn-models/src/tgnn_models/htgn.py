"""HTGN: the recurrence of GRUGCN in the Poincaré ball."""

from __future__ import annotations

from torch import Tensor, nn

from .hyperbolic import HyperbolicConv, PoincareBall
from .poincare import expmap0, logmap0, squared_distance
from .recurrent import RecurrentModel
from .state import State


class HTGN(RecurrentModel):
    """Hyperbolic convolutions on [features ‖ last hidden point], hyperbolic window attention, a GRU.

    The GRU works in the tangent space at the origin; the embeddings are points of the ball, scored by
    Fermi–Dirac.

    Args:
        in_channels: the width of ``Data.x``, or the number of one-hot categories.
        hidden_channels: the width of the embeddings.
        curvature: c > 0 of the ball of radius 1/√c.
        learn_curvature: whether it is a parameter. A Fermi–Dirac decoder made from ``ball`` then shares it.
        pe_channels, num_layers, window, dropout, hidden_init, attention_reduce: see
            :class:`~tgnn_models.recurrent.RecurrentModel`.

    Raises:
        InvalidArgumentError: if a parameter is outside what is allowed.

    Example:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> z, state = HTGN(3, 16)([Data(x=torch.arange(3), edge_index=edges)])
        >>> bool((z.norm(dim=1) < 1).all())
        True
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        *,
        pe_channels: int = 0,
        num_layers: int = 2,
        window: int = 5,
        curvature: float = 1.0,
        learn_curvature: bool = False,
        dropout: float = 0.0,
        hidden_init: str = "glorot",
        attention_reduce: str = "mean",
    ) -> None:
        super().__init__(
            in_channels,
            hidden_channels,
            pe_channels=pe_channels,
            num_layers=num_layers,
            window=window,
            dropout=dropout,
            hidden_init=hidden_init,
            attention_reduce=attention_reduce,
        )
        self.ball = PoincareBall(curvature, learnable=learn_curvature)
        self.convs = nn.ModuleList(
            HyperbolicConv(*widths, self.ball, self.dropout) for widths in self._widths()
        )

    def reset_parameters(self) -> None:
        """Draw every parameter and the first hidden state anew, and set the curvature back."""
        super().reset_parameters()
        self.ball.reset_parameters()

    def consistency_loss(self, z: Tensor, state: State) -> Tensor:
        """Return the mean over nodes of the squared hyperbolic distance between z and the last hidden point.

        Args:
            z: the embeddings of a call (…, num_nodes, hidden_channels).
            state: the state that went into that call.
        """
        return squared_distance(z, state.tensors[0].select(-3, -1), self.ball.c).mean(dim=-1)

    def _lift(self, v: Tensor) -> Tensor:
        return expmap0(v, self.ball.c)

    def _lower(self, h: Tensor) -> Tensor:
        return logmap0(h, self.ball.c)
