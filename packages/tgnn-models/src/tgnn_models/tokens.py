"""Tokens with the same input stay the same through every layer: one of them is computed for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class TokenGroups:
    """Which tokens of a window are computed, and which of these stands for each token.

    Attributes:
        first: (num_groups,), a token of each group.
        group: (num_tokens,), the group of each token; num_groups for a token that is left out.
        sizes: (num_groups,), how many tokens each group has; None where it is one.

    Example:
        >>> groups = TokenGroups.of([torch.tensor([[7], [5], [7]])], torch.tensor([True, True, True]))
        >>> groups.first.tolist(), groups.group.tolist(), groups.sizes.tolist()
        ([1, 0], [1, 0, 1], [1, 2])
    """

    first: Tensor
    group: Tensor
    sizes: Tensor | None

    @classmethod
    def of(cls, inputs: Sequence[Tensor], present: Tensor) -> TokenGroups:
        """Group tokens whose inputs are equal.

        Args:
            inputs: what is known of each token, (num_tokens,) or (num_tokens, channels).
            present: bool (num_tokens,); the others are left out.
        """
        if not bool(present.any()):
            return cls.each_alone(present)
        # In double precision an index is exact as well.
        rows = torch.cat([part.double().reshape(len(present), -1) for part in inputs], dim=1)[present]
        _, inverse, counts = rows.unique(dim=0, return_inverse=True, return_counts=True)
        places = present.nonzero().squeeze(1)
        first = places.new_empty(len(counts)).scatter_reduce(0, inverse, places, "amin", include_self=False)
        group = torch.full_like(present, len(counts), dtype=torch.long)
        group[places] = inverse
        return cls(first, group, counts if bool((counts > 1).any()) else None)

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
        return cls.of([groups.group for groups in several], present)

    def to(self, device: torch.device | str) -> TokenGroups:
        """Return the groups on another device."""
        sizes = None if self.sizes is None else self.sizes.to(device)
        return TokenGroups(self.first.to(device), self.group.to(device), sizes)
