"""Large matrix products on a processor, by the library that is fast there.

PyTorch multiplies matrices with MKL, which leaves the wide registers (AVX-512) of AMD's processors unused. It
convolves with oneDNN, which uses them. A linear map is a convolution of width one.
"""

from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

LARGE, MANY_ROWS = 2**23, 128
"""Rows times input times output channels, and rows, from which a convolution is the faster way."""
IMAGES = 16
"""With fewer images PyTorch hands a convolution of width one to MKL as well, where it has one thread."""


def affine(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x Wᵀ + b, to rounding as ``torch.nn.functional.linear`` does, for one run or many.

    Args:
        x: (…, in_channels); with an axis of runs in front where the weight has one.
        weight: (out_channels, in_channels), or one a run, (num_runs, out_channels, in_channels).
        bias: (out_channels,), or one a run, (num_runs, out_channels); or None.

    Example:
        >>> affine(torch.ones(1, 2), torch.tensor([[1.0, 2.0]]), torch.tensor([0.5]))
        tensor([[3.5000]])
    """
    convolves = CONVOLUTIONS_ARE_FASTER and _is_large(x, weight)
    if weight.dim() == 2:
        return (as_convolution if convolves else functional.linear)(x, weight, bias)
    rows = x.flatten(1, -2)
    if convolves:
        own_bias = [None] * len(weight) if bias is None else bias.unbind()
        out = torch.stack([*map(as_convolution, rows.unbind(), weight.unbind(), own_bias)])
    else:
        out = rows @ weight.mT
        out = out if bias is None else out + bias.unsqueeze(1)
    return out.view(*x.shape[:-1], -1)


def _is_large(x: Tensor, weight: Tensor) -> bool:
    """Whether a convolution takes less time, for each run, where this processor is one of those."""
    if x.dtype != torch.float32 or x.device.type != "cpu":
        return False
    num_runs = 1 if weight.dim() == 2 else len(weight)
    num_rows = x.numel() // max(1, x.size(-1) * num_runs)
    return num_rows >= MANY_ROWS and num_rows * (weight.numel() // num_runs) >= LARGE


def as_convolution(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """The same over images whose pixels are the rows; channels stay last in memory."""
    rows = x.reshape(-1, x.size(-1))
    padded = functional.pad(rows, (0, 0, 0, -len(rows) % IMAGES))
    images = padded.view(IMAGES, -1, 1, x.size(-1)).permute(0, 3, 1, 2)
    out = functional.conv2d(images, weight[:, :, None, None], bias).permute(0, 2, 3, 1)
    return out.reshape(-1, len(weight))[: len(rows)].view(*x.shape[:-1], -1)


def _convolutions_are_faster() -> bool:
    """Whether this processor is AMD's and has AVX-512; False where that is not known."""
    libraries = torch.backends.mkl.is_available() and torch.backends.mkldnn.is_available()
    if not libraries or torch.backends.cpu.get_cpu_capability() != "AVX512":
        return False
    try:
        return "AuthenticAMD" in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


CONVOLUTIONS_ARE_FASTER = _convolutions_are_faster()
