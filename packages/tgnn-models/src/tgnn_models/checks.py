"""The checks at the door: each names the argument, its value and what is allowed."""

import math
from collections.abc import Collection

import torch
from torch import Tensor

from .errors import InvalidArgumentError


def check_count(name: str, value: object, minimum: int = 1) -> int:
    """Return ``value`` if it is an integer of at least ``minimum``.

    Raises:
        InvalidArgumentError: otherwise.

    Example:
        >>> check_count("window", 5)
        5
        >>> check_count("window", 0)
        Traceback (most recent call last):
        tgnn_models.errors.InvalidArgumentError: window=0: must be an integer >= 1
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
        raise InvalidArgumentError.of(name, value, f"an integer >= {minimum}")
    return value


def check_positive(name: str, value: float) -> float:
    """Return ``value`` as a float if it is finite and above 0; raise ``InvalidArgumentError`` otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise InvalidArgumentError.of(name, value, "a finite number > 0")
    return float(value)


def check_dropout(value: float) -> float:
    """Return ``value`` if it is a dropout rate in [0, 1); raise ``InvalidArgumentError`` otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise InvalidArgumentError.of("dropout", value, "a number in [0, 1)")
    return float(value)


def check_choice(name: str, value: str, choices: Collection[str]) -> str:
    """Return ``value`` if it is one of ``choices``; raise ``InvalidArgumentError`` otherwise."""
    if value not in choices:
        raise InvalidArgumentError.of(name, value, f"one of {', '.join(map(repr, choices))}")
    return value


def check_heads(num_heads: object, channels: int) -> int:
    """Return ``num_heads`` if it divides ``channels``; raise ``InvalidArgumentError`` otherwise."""
    heads = check_count("num_heads", num_heads)
    if channels % heads:
        raise InvalidArgumentError(f"num_heads={heads}: must divide the width, {channels}")
    return heads


def check_index(name: str, index: Tensor, num_nodes: int) -> Tensor:
    """Return ``index`` (2, num_edges) if its entries are node numbers below ``num_nodes``.

    Raises:
        InvalidArgumentError: if it has another shape, is not of integers, or names a node that is not there.
    """
    if index.dim() != 2 or index.size(0) != 2:
        raise InvalidArgumentError.of(f"{name}.shape", tuple(index.shape), "(2, num_edges)")
    if index.dtype not in (torch.int32, torch.int64):
        raise InvalidArgumentError.of(f"{name}.dtype", index.dtype, "torch.int64 (or torch.int32)")
    # Reading the values makes torch.compile split the graph, and the kernel checks the upper bound itself.
    if index.numel() and not torch.compiler.is_compiling():
        low, high = (int(bound) for bound in index.aminmax())
        if low < 0 or high >= num_nodes:
            outside = low if low < 0 else high
            raise InvalidArgumentError.of(name, outside, f"a node in 0..{num_nodes - 1}")
    return index
