"""Tokens with the same input stay the same through every layer: one of them is computed for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class TokenGroups:
    """Which tokens of a window are computed, and which of these stands for each token.

    Attributes:
        first: (num_groups,), a token of each group.
        group: (num_tokens,), the group of each token; num_groups for a token that is left out.
        sizes: (num_groups,), how many tokens each group has; None where it is one.

    Example:
        >>> groups = TokenGroups.of([np.array([[7], [5], [7]])], np.array([True, True, True]))
        >>> groups.first.tolist(), groups.group.tolist(), groups.sizes.tolist()
        ([1, 0], [1, 0, 1], [1, 2])
    """

    first: Tensor
    group: Tensor
    sizes: Tensor | None

    @classmethod
    def of(cls, inputs: Sequence[NDArray[np.generic]], present: NDArray[np.bool_]) -> TokenGroups:
        """Group tokens whose inputs are the same, bit for bit.

        Args:
            inputs: arrays (num_tokens, …): what is known of each token.
            present: bool (num_tokens,); the others are left out.
        """
        rows = [np.ascontiguousarray(part).view(np.uint8).reshape(len(present), -1) for part in inputs]
        together = np.concatenate(rows, axis=1)[present]
        keys = together.view(np.dtype((np.void, together.shape[1]))).ravel()
        _, first, inverse, counts = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        group = np.full(len(present), len(first))
        group[present] = inverse
        sizes = torch.from_numpy(counts) if (counts > 1).any() else None
        return cls(torch.from_numpy(present.nonzero()[0][first]), torch.from_numpy(group), sizes)

    @classmethod
    def each_alone(cls, present: Tensor) -> TokenGroups:
        """A group for every token that is present, bool (num_tokens,)."""
        first = present.nonzero().squeeze(1)
        group = torch.full(present.shape, len(first), dtype=torch.long, device=present.device)
        group[first] = torch.arange(len(first), device=present.device)
        return cls(first, group, None)

    @classmethod
    def common(cls, several: Sequence[TokenGroups]) -> TokenGroups:
        """The groups of tokens that are together in each of several; what one leaves out, all leave out."""
        present = several[0].group < len(several[0].first)
        return cls.of([groups.group.cpu().numpy() for groups in several], present.cpu().numpy()).to(
            several[0].group.device
        )

    def to(self, device: torch.device | str) -> TokenGroups:
        """Return the groups on another device."""
        sizes = None if self.sizes is None else self.sizes.to(device)
        return TokenGroups(self.first.to(device), self.group.to(device), sizes)
