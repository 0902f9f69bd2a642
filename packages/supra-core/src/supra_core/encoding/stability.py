"""How far an encoding's channels can turn when the graph changes a little."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supra_core import checks
from supra_core.eigen.result import Array
from supra_core.encoding.align import CLOSE, clusters
from supra_core.encoding.decomposition import Decomposition
from supra_core.laplacian import degrees

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Stability:
    """Gaps, clusters, and Davis and Kahan's bound, of the k channels of one decomposition.

    Attributes:
        eigenvalues: of the channels that there are, ascending, shape (m,).
        gaps: the distance of each to the nearest other eigenvalue, shape (m,). Nothing is known of what comes
            after the last one: its gap is 0, unless there are no more.
        clusters: runs of channels whose eigenvalues are within one per cent of each other. Only the space
            that they span means something, not the single channel.
        cluster_gaps: the distance of each channel's cluster to all other eigenvalues, shape (m,).
        slack: how far the solver's pairs may be from exact ones, as a change of the matrix.
    """

    eigenvalues: Array
    gaps: Array
    clusters: tuple[slice, ...]
    cluster_gaps: Array
    slack: float

    @classmethod
    def of(cls, decomposition: Decomposition) -> "Stability":
        """Of the final vectors of a decomposition."""
        result, n = decomposition.result, decomposition.supra.num_rows
        values, count = np.sort(result.eigenvalues), decomposition.num_channels
        skipped = len(values) - count
        degree = degrees(decomposition.supra.adjacency).astype(np.float64)
        norm = 2.0 * max(1.0, float(degree.max(initial=0.0)))
        residual = float(np.linalg.norm(result.residual_norms))
        # V with residual R is exact for a matrix that differs by 2‖R‖ at most; and rounding, generously.
        slack = 2.0 * residual + 64 * float(np.finfo(np.float64).eps) * norm * np.sqrt(max(n, 1))
        after = np.inf if len(values) == n else values[-1] if len(values) else 0.0
        parts = clusters(values[skipped:], np.maximum(CLOSE * np.abs(values[skipped + 1 :]), slack))
        alone = [slice(j, j + 1) for j in range(count)]
        return cls(
            eigenvalues=values[skipped:],
            gaps=_gaps(values, skipped, alone, after),
            clusters=tuple(parts),
            cluster_gaps=_gaps(values, skipped, parts, after),
            slack=slack,
        )

    @property
    def groups(self) -> np.ndarray:
        """The number of each channel's cluster, shape (m,)."""
        sizes = [part.stop - part.start for part in self.clusters]
        return np.repeat(np.arange(len(sizes)), sizes)

    @property
    def alone(self) -> np.ndarray:
        """Which channels are a cluster of their own, and so mean something by themselves, shape (m,)."""
        sizes = np.array([part.stop - part.start for part in self.clusters], dtype=int)
        return sizes[self.groups] == 1 if len(sizes) else np.zeros(0, dtype=bool)

    def bound(self, change: float, *, groups: bool = True) -> Array:
        """The sine of the largest angle by which each channel can turn, shape (m,); 1 says nothing.

        By Davis and Kahan: where the Laplacian changes by a matrix of spectral norm ε, a space whose
        eigenvalues are δ away from all others turns by at most arcsin(ε / (δ − ε)). What the solver left and
        what rounding does are added to ε and taken from δ, so that the bound holds for the numbers as they
        are. Those of ``"rw"`` are the bounds of the symmetric form that it is solved through.

        Args:
            change: the spectral norm of the change; an edge of weight w changes D − A by 2 w.
            groups: of the space of the channel's cluster; else of the channel by itself.

        Example:
            >>> from supra_core import Encoder, generators
            >>> encoding = Encoder.paper(k=3, window=1).encode(generators.path_layers(12, 1), 0)
            >>> encoding.stability.bound(1e-3).round(3).tolist()
            [0.005, 0.005, 1.0]
        """
        change = float(checks.check_nonnegative("change", change)) * (1 + 1e-12) + 2 * self.slack
        room = (self.cluster_gaps if groups else self.gaps) - 2 * self.slack - change
        sines = np.divide(change, room, out=np.ones_like(room), where=room > change)
        return np.minimum(np.nextafter(sines, 2.0), 1.0)

    def __repr__(self) -> str:
        least = float(self.cluster_gaps.min(initial=np.inf))
        return (
            f"Stability({int(self.alone.sum())} of {len(self.eigenvalues)} channels alone, "
            f"{len(self.clusters)} clusters, smallest gap {least:.2g})"
        )


def figure(stability: Stability) -> "Figure":
    """Eigenvalues by channel, clusters joined, with the gap that holds each apart (extra ``plot``)."""
    from matplotlib.figure import Figure

    chart = Figure(figsize=(8, 3.6), layout="constrained")
    axes = chart.subplots()
    for part in stability.clusters:
        channels = np.arange(part.start, part.stop)
        colour = "#2b6cb0" if len(channels) == 1 else "#c05621"
        axes.plot(channels, stability.eigenvalues[part], "o-", color=colour)
    finite = np.where(np.isfinite(stability.gaps), stability.gaps, 0.0)
    axes.errorbar(
        np.arange(len(finite)), stability.eigenvalues, yerr=finite / 2, fmt="none", color="#a0aec0", capsize=3
    )
    axes.set_xlabel("channel (joined: only the group means something)")
    axes.set_ylabel("eigenvalue ± half its gap")
    axes.grid(alpha=0.3)
    return chart


def _gaps(values: Array, skipped: int, parts: list[slice], after: float) -> Array:
    """The distance of each part to all other eigenvalues, for each channel of the part."""
    padded = np.concatenate([[-np.inf], values, [after]])
    gaps = np.zeros(len(values) - skipped)
    for part in parts:
        start, stop = part.start + skipped + 1, part.stop + skipped
        gaps[part] = min(padded[start] - padded[start - 1], padded[stop + 1] - padded[stop])
    return gaps
