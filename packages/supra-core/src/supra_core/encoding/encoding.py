"""What an encoder gives: the channels of every node, in every layer of a window."""

from dataclasses import dataclass, replace

import numpy as np

from supra_core.eigen.result import Array, EigenResult
from supra_core.encoding.decomposition import Decomposition


@dataclass(frozen=True, eq=False)
class Encoding:
    """The encoding of snapshot ``t`` and of the window before it.

    Attributes:
        decompositions: one for SLPE; for LPE one for each layer of the window, newest last.
        k: eigenvectors, so that channel j, j + k, j + 2k … belong to eigenvector j.
        signs: one sign per eigenvector, the same in all layers and along its trajectory, shape (k,) — for
            LPE one row for each layer.
    """

    decompositions: tuple[Decomposition, ...]
    k: int
    with_eigenvalues: bool
    signs: Array

    @property
    def values(self) -> Array:
        """The encoding of the newest layer, shape (num_nodes, dim)."""
        return self._layer(-1)

    @property
    def layers(self) -> Array:
        """The encodings of all layers of the window, newest last, shape (window, num_nodes, dim)."""
        return np.stack([self._layer(i) for i in range(self.num_layers)])

    @property
    def result(self) -> EigenResult:
        """The eigenpairs behind the newest layer."""
        return self.decompositions[-1].result

    @property
    def num_layers(self) -> int:
        """Layers in the window: fewer than asked for at the start of time."""
        if len(self.decompositions) > 1:
            return len(self.decompositions)
        return self.decompositions[0].supra.num_snapshots

    def flip_signs(self, rng: np.random.Generator | int) -> "Encoding":
        """The same encoding under random signs: an eigenvector is defined only up to one."""
        flips = np.random.default_rng(rng).choice([-1.0, 1.0], size=self.signs.shape)
        return replace(self, signs=self.signs * flips)

    def _layer(self, index: int) -> Array:
        index %= self.num_layers
        if len(self.decompositions) > 1:
            decomposition, layer, signs = self.decompositions[index], 0, self.signs[index]
        else:
            decomposition, layer, signs = self.decompositions[0], index, self.signs[0]
        block = decomposition.channels(layer, self.with_eigenvalues)
        steps = len(decomposition.vectors)
        block[:, : steps * self.k] *= np.tile(signs, steps)
        return block

    def __repr__(self) -> str:
        return f"Encoding(values {self.values.shape}, {self.num_layers} layers, {self.result})"
