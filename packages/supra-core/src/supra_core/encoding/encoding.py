"""What an encoder gives: the channels of every node, in every layer of a window."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from supra_core.eigen.result import Array, EigenResult
from supra_core.encoding.decomposition import Decomposition, Layer

if TYPE_CHECKING:
    from supra_core.encoding.stability import Stability

Absent = Literal["last", "zeros"]
Scale = Literal["rows"] | None


@dataclass(frozen=True)
class Look:
    """How channels are given out; the settings of :class:`supra_core.Encoder` by the same names."""

    k: int
    window: int
    with_eigenvalues: bool
    with_age: bool
    absent: Absent
    scale: Scale

    def channels(self, layer: Layer, turn: Array) -> Array:
        """Of one layer's nodes, shape (num_nodes, dim without age)."""
        scaled = self.scale is not None
        return layer.channels(turn, with_eigenvalues=self.with_eigenvalues, scale=scaled)

    def add_age(self, block: Array, active: NDArray[np.bool_]) -> Array:
        """The block with the age, as a part of the window, for its last channel where that is asked for."""
        if not self.with_age:
            return block
        return np.column_stack([block, ages(active, self.window) / self.window])


@dataclass(frozen=True, eq=False)
class Encoding:
    """The encoding of snapshot ``t`` and of the window before it.

    Attributes:
        decompositions: one for SLPE; for LPE one for each layer of the window, newest last.
        look: how their vectors are given out.
        turns: for each decomposition an orthogonal matrix, shape (k, k), that its vectors are multiplied by:
            signs, and for clusters of eigenvalues a turn. The same in all layers and along a trajectory.
    """

    decompositions: tuple[Decomposition, ...]
    look: Look
    turns: tuple[Array, ...]

    @property
    def k(self) -> int:
        """Eigenvectors, so that channels j, j + k, j + 2k … belong to eigenvector j."""
        return self.look.k

    @property
    def values(self) -> Array:
        """The encoding of the newest layer, shape (num_nodes, dim)."""
        return self._layer(self.num_layers - 1)

    @property
    def layers(self) -> Array:
        """The encodings of all layers of the window, newest last, shape (window, num_nodes, dim)."""
        return np.stack([self._layer(i) for i in range(self.num_layers)])

    @property
    def age(self) -> NDArray[np.int64]:
        """Snapshots since each node's last edge, the window's size where it has none, shape (num_nodes,)."""
        return ages(self._active, self.look.window)

    @property
    def result(self) -> EigenResult:
        """The eigenpairs behind the newest layer."""
        return self.decompositions[-1].result

    @property
    def stability(self) -> "Stability":
        """How far each channel of the newest layer can turn when the graph changes a little."""
        from supra_core.encoding.stability import Stability

        return Stability.of(self.decompositions[-1])

    @property
    def num_layers(self) -> int:
        """Layers in the window: fewer than asked for at the start of time."""
        if len(self.decompositions) > 1:
            return len(self.decompositions)
        return self.decompositions[0].supra.num_snapshots

    def flip_signs(self, rng: np.random.Generator | int) -> "Encoding":
        """The same encoding under random signs: an eigenvector is defined only up to one."""
        shape = (len(self.turns), self.k)
        flips = np.random.default_rng(rng).choice([-1.0, 1.0], size=shape)
        return replace(self, turns=tuple(t * signs for t, signs in zip(self.turns, flips, strict=True)))

    @property
    def _active(self) -> NDArray[np.bool_]:
        """Which nodes have an edge in which layer, shape (num_layers, num_nodes)."""
        return np.concatenate([part.active for part in self.decompositions])

    def _layer(self, index: int) -> Array:
        last = self.look.absent == "last"
        if len(self.decompositions) == 1:
            layer = self.decompositions[0].layer(index, last=last)
            block = self.look.channels(layer, self.turns[0])
        else:
            first = 0 if last else index
            parts = zip(self.decompositions[first : index + 1], self.turns[first : index + 1], strict=True)
            block = newest_rows([(part.layer(0), turn) for part, turn in parts], self.look)
        return self.look.add_age(block, self._active[: index + 1])

    def __repr__(self) -> str:
        return f"Encoding(values {self.values.shape}, {self.num_layers} layers, {self.result})"


def newest_rows(layers: list[tuple[Layer, Array]], look: Look) -> Array:
    """Each node's row of the newest of several layers that has one, each layer under its own turn."""
    block = look.channels(*layers[-1])
    missing = np.ones(len(block), dtype=bool)
    missing[layers[-1][0].nodes] = False
    for layer, turn in reversed(layers[:-1]):
        found = layer.nodes[missing[layer.nodes]]
        if len(found):
            block[found] = look.channels(layer, turn)[found]
            missing[found] = False
    return block


def ages(active: NDArray[np.bool_], window: int) -> NDArray[np.int64]:
    """Layers since each node's last edge, ``window`` where it has none, shape (num_nodes,).

    Args:
        active: which nodes have an edge in which layer, newest last, shape (num_layers, num_nodes).
        window: the age of a node that has none.

    Example:
        >>> ages(np.array([[True, True, False], [True, False, False]]), window=5)
        array([0, 1, 5])
    """
    newest = np.argmax(active[::-1], axis=0)
    return np.where(active.any(axis=0), newest, window).astype(np.int64)
