"""PyTorch's layers, whose weights may have a leading axis of runs; then inputs have it as well."""

from torch import Tensor, nn
from torch.nn import functional

from .products import affine


class Linear(nn.Linear):
    """A linear map, or one a run.

    Example:
        >>> import torch
        >>> Linear(2, 3)(torch.zeros(5, 2)).shape
        torch.Size([5, 3])
    """

    def forward(self, x: Tensor) -> Tensor:
        """Return (…, out_channels) for (…, in_channels)."""
        return affine(x, self.weight, self.bias)


class LayerNorm(nn.LayerNorm):
    """A norm over the channels with a weight and a bias, or one of each a run."""

    def forward(self, x: Tensor) -> Tensor:
        """Return x with its channels at mean 0 and variance 1, times the weight, plus the bias."""
        if self.weight.dim() == 1:
            return super().forward(x)
        shape = (len(self.weight), *(1,) * (x.dim() - 2), -1)
        normal = functional.layer_norm(x, self.normalized_shape, eps=self.eps)
        return normal * self.weight.view(shape) + self.bias.view(shape)
