"""What GRUGCN and HTGN share: convolve, attend over a window of hidden states, update by a GRU."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .base import TemporalModel
from .checks import check_choice, check_count
from .features import FeatureLinear
from .products import affine
from .snapshot import Snapshot
from .state import State
from .window_attention import WindowAttention

HIDDEN_INITS = ("glorot", "constant")


class GRUCell(nn.GRUCell):
    """PyTorch's cell, whose weights may have a leading axis of runs."""

    def forward(self, x: Tensor, hidden: Tensor) -> Tensor:  # type: ignore[override]
        """Return the next hidden states (…, num_nodes, channels) for two of that shape."""
        from_x = affine(x, self.weight_ih, self.bias_ih)
        from_h = affine(hidden, self.weight_hh, self.bias_hh)
        x_reset, x_keep, x_new = from_x.chunk(3, dim=-1)
        h_reset, h_keep, h_new = from_h.chunk(3, dim=-1)
        new = torch.tanh(x_new + torch.sigmoid(x_reset + h_reset) * h_new)
        return torch.lerp(new, hidden, torch.sigmoid(x_keep + h_keep))


class RecurrentModel(TemporalModel):
    """A step of the recurrence, in a space that the subclass chooses by ``_lift`` and ``_lower``.

    Args:
        in_channels: the width of ``Data.x``, or the number of one-hot categories.
        hidden_channels: the width of the embeddings and of the hidden states.
        pe_channels: the width of ``Data.pe``; 0 for none.
        num_layers: graph convolutions, of width 2 ``hidden_channels``; the last is half as wide.
        window: how many hidden states the attention sees.
        dropout: the rate before each graph convolution.
        hidden_init: ``"glorot"``, a fixed draw for each node, which tells nodes apart even where their
            features do not, or ``"constant"``, zeros for all.
        attention_reduce: ``"mean"`` as published, or ``"sum"``.

    Raises:
        InvalidArgumentError: if a parameter is outside what is allowed.
    """

    hidden_seed: Tensor
    convs: nn.ModuleList  # the subclass's, of the channels in `_widths`, called as conv(x, snapshot)

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        *,
        pe_channels: int = 0,
        num_layers: int = 2,
        window: int = 5,
        dropout: float = 0.0,
        hidden_init: str = "glorot",
        attention_reduce: str = "mean",
    ) -> None:
        super().__init__(in_channels, hidden_channels, pe_channels=pe_channels, dropout=dropout)
        self.num_layers = check_count("num_layers", num_layers)
        self.window = check_count("window", window)
        self.hidden_init = check_choice("hidden_init", hidden_init, HIDDEN_INITS)
        self.linear = FeatureLinear(in_channels, hidden_channels, pe_channels)
        self.attention = WindowAttention(hidden_channels, attention_reduce)
        self.gru = GRUCell(hidden_channels, hidden_channels)
        # The draw of the first hidden state is kept as its seed: it fits any number of nodes, is part of the
        # state_dict, and nothing has to be stored or changed in `forward`.
        self.register_buffer("hidden_seed", torch.zeros((), dtype=torch.int64))
        self._draw_hidden_seed()

    def reset_parameters(self) -> None:
        """Draw every parameter and the first hidden state anew."""
        self.linear.reset_parameters()
        self.attention.reset_parameters()
        self.gru.reset_parameters()
        for conv in self.convs:
            conv.reset_parameters()  # type: ignore[operator]
        self._draw_hidden_seed()

    def initial_state(self, num_nodes: int) -> State:
        """Return the window before the first snapshot, one entry repeated: (window, num_nodes, channels)."""
        like = self.attention.Q
        shape = (check_count("num_nodes", num_nodes), self.hidden_channels)
        if self.hidden_init == "constant":
            hidden = like.new_zeros(shape)
        else:
            # Drawn on the CPU in double precision, so that all devices and types start from the same numbers.
            generator = torch.Generator().manual_seed(int(self.hidden_seed))
            uniform = torch.rand(shape, generator=generator, dtype=torch.float64) * 2 - 1
            hidden = (uniform * (6 / sum(shape)) ** 0.5).to(like)
        return State((self._lift(hidden).detach().expand(self.window, *shape),))

    def _draw_hidden_seed(self) -> None:
        self.hidden_seed.copy_(torch.randint(2**62, ()))

    def _state_shapes(self, num_nodes: int) -> list[tuple[int, ...]]:
        runs = self.attention.Q.shape[:-2]  # none, or one axis where parameters are stacked
        return [(*runs, self.window, num_nodes, self.hidden_channels)]

    def _step(self, snapshot: Snapshot, state: State) -> tuple[Tensor, State]:
        (hidden,) = state.tensors
        lifted = self._lift(self.linear(snapshot.x, snapshot.pe))
        x = self._lower(torch.cat([lifted, hidden.select(-3, -1)], dim=-1))
        for conv in self.convs:
            x = conv(x, snapshot)
        lowered = self._lower(hidden.flatten(-3, -2)).view(hidden.shape)
        z = self._lift(self.gru(x, self.attention(lowered)))
        return z, State((torch.cat([hidden.narrow(-3, 1, self.window - 1), z.unsqueeze(-3)], dim=-3),))

    def _widths(self) -> list[tuple[int, int]]:
        """The channels into and out of each convolution."""
        wide, narrow = 2 * self.hidden_channels, self.hidden_channels
        return [(wide, wide)] * (self.num_layers - 1) + [(wide, narrow)]

    def _lift(self, v: Tensor) -> Tensor:
        """From the vector space where linear maps live to the space of the hidden states."""
        return v

    def _lower(self, h: Tensor) -> Tensor:
        """The way back from :meth:`_lift`."""
        return h
