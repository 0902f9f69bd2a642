"""EvolveGCN: graph convolutions whose weights evolve by a GRU."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from .base import TemporalModel
from .checks import check_choice, check_count
from .features import FeatureLinear, feature_matmul
from .matrix_gru import MatrixGRU
from .snapshot import Snapshot
from .state import State

#: The mean slope of a randomised leaky ReLU on [1/8, 1/3], its own when it is not training.
SLOPE = 11 / 48


def top_k(scores: Tensor, k: int) -> Tensor:
    """Return the indices (k,) of the largest scores, largest first; the last is repeated if there are fewer.

    Example:
        >>> top_k(torch.tensor([0.1, 0.9, 0.5]), 2), top_k(torch.tensor([0.1, 0.9]), 4)
        (tensor([1, 2]), tensor([1, 0, 0, 0]))
    """
    best = scores.topk(min(k, scores.size(0))).indices
    return torch.cat([best, best[-1:].expand(k - best.size(0))])


class EvolvingLayer(nn.Module):
    """One graph convolution Â X W_t + b and the GRU that makes W_t of W_{t−1}.

    Args:
        in_channels: the width of X, or the number of one-hot categories.
        out_channels: the width of the answer.
        pe_channels: the width of the encoding beside X.
        variant: ``"h"``: the GRU reads the top rows of X by a learned score; ``"o"``: it reads W_{t−1}.
        gru_init: see :class:`~tgnn_models.matrix_gru.MatrixGRU`.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        pe_channels: int,
        variant: str,
        gru_init: str = "published",
    ) -> None:
        super().__init__()
        rows = in_channels + pe_channels
        self.initial_weight = nn.Parameter(torch.empty(rows, out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels))
        self.gru = MatrixGRU(rows, out_channels, gru_init)
        self.scorer = nn.Parameter(torch.empty(rows, 1)) if variant == "h" else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the first weight and the scorer; the bias is zero."""
        rows, columns = self.initial_weight.shape
        nn.init.uniform_(self.initial_weight, -(columns**-0.5), columns**-0.5)
        nn.init.zeros_(self.bias)
        self.gru.reset_parameters()
        if self.scorer is not None:
            nn.init.uniform_(self.scorer, -(rows**-0.5), rows**-0.5)

    def evolve(self, weight: Tensor, x: Tensor, pe: Tensor | None) -> Tensor:
        """Return W_t (rows, out_channels) from W_{t−1}, and for ``"h"`` from the features of snapshot t."""
        if self.scorer is None:
            return self.gru(weight, weight.t())
        scores = feature_matmul(x, pe, self.scorer / self.scorer.norm()).squeeze(1)
        best = top_k(scores, weight.size(1))
        return self.gru(weight, x[best], None if pe is None else pe[best], scale=torch.tanh(scores[best]))

    def forward(
        self, x: Tensor, pe: Tensor | None, snapshot: Snapshot, weight: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return Â X W_t + b (num_nodes, out_channels) and W_t."""
        weight = self.evolve(weight, x, pe)
        return snapshot.propagate(feature_matmul(x, pe, weight)) + self.bias, weight


class EGCN(TemporalModel):
    """EvolveGCN: the state is the layers' weights, not the nodes'; scored by dot products.

    As published, the GRU of the first layer holds six square matrices as wide as the input: with one-hot
    features 0.2 million parameters for 184 nodes, 264 million for 6,628. ``embed_channels`` puts a linear map
    in front.

    Args:
        in_channels: the width of ``Data.x``, or the number of one-hot categories.
        hidden_channels: the width of the embeddings; the layers before the last are twice as wide.
        variant: ``"h"`` or ``"o"``, see :class:`EvolvingLayer`.
        num_layers: graph convolutions.
        dropout: the rate before each graph convolution but the first.
        pe_channels: the width of ``Data.pe``; 0 for none.
        embed_channels: None as published, or the width of a linear map of [features ‖ encoding] in front.
        gru_init: ``"published"``, the GRUs' biases drawn, or ``"slow"``, weights that hardly move at first.

    Raises:
        InvalidArgumentError: if a parameter is outside what is allowed.

    Example:
        >>> from torch_geometric.data import Data
        >>> edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> z, state = EGCN(3, 16, variant="h")([Data(x=torch.arange(3), edge_index=edges)])
        >>> z.shape, [tuple(weight.shape) for weight in state.tensors]
        (torch.Size([3, 16]), [(3, 32), (32, 16)])
    """

    trains_through_time: ClassVar[bool] = True

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        *,
        variant: str = "h",
        num_layers: int = 2,
        dropout: float = 0.0,
        pe_channels: int = 0,
        embed_channels: int | None = None,
        gru_init: str = "published",
    ) -> None:
        super().__init__(in_channels, hidden_channels, pe_channels=pe_channels, dropout=dropout)
        self.variant = check_choice("variant", variant, ("h", "o"))
        self.num_layers = check_count("num_layers", num_layers)
        self.embedding = None
        widths = [in_channels] + [2 * hidden_channels] * (num_layers - 1) + [hidden_channels]
        encodings = [pe_channels] + [0] * (num_layers - 1)
        if embed_channels is not None:
            self.embedding = FeatureLinear(
                in_channels, check_count("embed_channels", embed_channels), pe_channels
            )
            widths[0], encodings[0] = embed_channels, 0
        self.layers = nn.ModuleList(
            EvolvingLayer(widths[i], widths[i + 1], encodings[i], variant, gru_init)
            for i in range(num_layers)
        )

    def reset_parameters(self) -> None:
        """Draw every parameter anew."""
        if self.embedding is not None:
            self.embedding.reset_parameters()
        for layer in self.layers:
            layer.reset_parameters()  # type: ignore[operator]

    def initial_state(self, num_nodes: int) -> State:
        """Return the weights before the first snapshot, which are parameters, whatever ``num_nodes``."""
        return State(tuple(layer.initial_weight for layer in self.layers))  # type: ignore[misc]

    def _state_shapes(self, num_nodes: int) -> list[tuple[int, ...]]:
        return [tuple(weight.shape) for weight in self.initial_state(num_nodes).tensors]

    def _step(self, snapshot: Snapshot, state: State) -> tuple[Tensor, State]:
        x, pe = snapshot.x, snapshot.pe
        if self.embedding is not None:
            x, pe = self.embedding(x, pe), None
        weights = []
        for i, (layer, weight) in enumerate(zip(self.layers, state.tensors, strict=True)):
            if i > 0:
                x, pe = functional.dropout(functional.leaky_relu(x, SLOPE), self.dropout, self.training), None
            x, weight = layer(x, pe, snapshot, weight)
            weights.append(weight)
        return x, State(tuple(weights))
