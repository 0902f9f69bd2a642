"""A GRU whose hidden state is a matrix: how EvolveGCN moves a weight from snapshot to snapshot."""

import torch
from torch import Tensor, nn

from .checks import check_choice
from .features import feature_matmul

GRU_INITS = ("published", "slow")
#: Where the update gate's bias starts for ``"slow"``.
UPDATE_BIAS = -6.0


class MatrixGRU(nn.Module):
    """W_t = (1 − u) W_{t−1} + u c, each gate act(W_g X + U_g H + B_g) with a full matrix B_g.

    H is W_{t−1}, for the candidate r ∘ W_{t−1}. The columns of X come as rows [x ‖ pe], scaled, so that a
    one-hot row of the features only picks a column of W_g.

    Args:
        rows: of the hidden matrix.
        columns: of the hidden matrix.
        init: where the biases start. ``"published"``: drawn within 1/√columns. ``"slow"``: zero, and −6 for
            the update gate, so that the hidden matrix starts out almost constant in time.

    Raises:
        InvalidArgumentError: another start.

    Example:
        >>> gru = MatrixGRU(6, 4)
        >>> gru(torch.zeros(6, 4), torch.randn(4, 6)).shape
        torch.Size([6, 4])
    """

    def __init__(self, rows: int, columns: int, init: str = "published") -> None:
        super().__init__()
        self.init = check_choice("gru_init", init, GRU_INITS)
        # Transposed and side by side, update | reset | candidate: one product for several gates. The
        # candidate's own is apart: the gradient of a slice of a large weight costs as much as the product.
        self.input_weight = nn.Parameter(torch.empty(rows, 3 * rows))
        self.gate_weight = nn.Parameter(torch.empty(rows, 2 * rows))
        self.candidate_weight = nn.Parameter(torch.empty(rows, rows))
        self.bias = nn.Parameter(torch.empty(columns, 3 * rows))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights uniformly within 1/√rows, and the biases as ``init`` says.

        With u = σ(−6) ≈ 0.002 the hidden matrix hardly moves at first. With u near σ(0) it halves at every
        snapshot, and what is learnt from one has to be learnt anew for the next.
        """
        bound = self.input_weight.size(0) ** -0.5
        for weight in (self.input_weight, self.gate_weight, self.candidate_weight):
            nn.init.uniform_(weight, -bound, bound)
        if self.init == "published":
            bound = self.bias.size(0) ** -0.5
            nn.init.uniform_(self.bias, -bound, bound)
            return
        nn.init.zeros_(self.bias)
        nn.init.constant_(self.bias[:, : self.input_weight.size(0)], UPDATE_BIAS)

    def forward(
        self, hidden: Tensor, x: Tensor, pe: Tensor | None = None, scale: Tensor | None = None
    ) -> Tensor:
        """Return the next hidden matrix (rows, columns).

        Args:
            hidden: (rows, columns).
            x: the columns of X as rows, float (columns, rows) or, for one-hot ones, integer (columns,).
            pe: float (columns, pe_channels), the last entries of those rows, or None.
            scale: (columns,), a factor for each, or None.
        """
        size = hidden.size(0)
        h = hidden.t()
        from_input = feature_matmul(x, pe, self.input_weight)
        if scale is not None:
            from_input = from_input * scale.unsqueeze(1)
        from_input = from_input + self.bias
        to_gates, to_candidate = from_input.split([2 * size, size], dim=1)
        update, reset = torch.sigmoid(to_gates + h @ self.gate_weight).chunk(2, dim=1)
        candidate = torch.tanh(to_candidate + (reset * h) @ self.candidate_weight)
        return torch.lerp(h, candidate, update).t()
