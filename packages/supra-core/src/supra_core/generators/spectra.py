"""Laplacian spectra that are known in closed form: what the generators' regular layers have."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supra_core import checks
from supra_core.errors import InvalidArgumentError

Floats = NDArray[np.float64]


def path_spectrum(num_nodes: int) -> Floats:
    """Laplacian eigenvalues of a path: 2 − 2 cos(π j / n), shape (num_nodes,).

    Example:
        >>> path_spectrum(3).round(12).tolist()
        [0.0, 1.0, 3.0]
    """
    num_nodes = checks.check_count("num_nodes", num_nodes)
    # 4 sin² is the same number without the cancellation of 2 − 2 cos for small j.
    return np.asarray(4 * np.sin(np.pi * np.arange(num_nodes) / (2 * num_nodes)) ** 2)


def cycle_spectrum(num_nodes: int) -> Floats:
    """Laplacian eigenvalues of a cycle: 2 − 2 cos(2π j / n), shape (num_nodes,).

    Example:
        >>> cycle_spectrum(4).round(12).tolist()
        [0.0, 2.0, 2.0, 4.0]
    """
    num_nodes = checks.check_count("num_nodes", num_nodes, minimum=3)
    return np.sort(4 * np.sin(np.pi * np.arange(num_nodes) / num_nodes) ** 2)


def star_spectrum(num_nodes: int) -> Floats:
    """Laplacian eigenvalues of a star: 0, 1 (n − 2 times) and n, shape (num_nodes,).

    Example:
        >>> star_spectrum(4).tolist()
        [0.0, 1.0, 1.0, 4.0]
    """
    num_nodes = checks.check_count("num_nodes", num_nodes)
    return np.sort(np.concatenate([[0.0], np.ones(max(0, num_nodes - 2)), [num_nodes]]))[:num_nodes]


def complete_spectrum(num_nodes: int) -> Floats:
    """Laplacian eigenvalues of a complete graph: 0 and n (n − 1 times), shape (num_nodes,).

    Example:
        >>> complete_spectrum(3).tolist()
        [0.0, 3.0, 3.0]
    """
    num_nodes = checks.check_count("num_nodes", num_nodes)
    return np.concatenate([[0.0], np.full(num_nodes - 1, float(num_nodes))])


def grid_spectrum(num_rows: int, num_columns: int) -> Floats:
    """Laplacian eigenvalues of a grid, the sums of two paths', shape (num_rows * num_columns,).

    Example:
        >>> grid_spectrum(2, 2).round(12).tolist()
        [0.0, 2.0, 2.0, 4.0]
    """
    return np.sort(np.add.outer(path_spectrum(num_rows), path_spectrum(num_columns)).ravel())


def supra_spectrum(layer_eigenvalues: ArrayLike, num_snapshots: int, coupling: float = 1.0) -> Floats:
    """Eigenvalues of the supra-Laplacian of identical layers, ascending.

    The supra-Laplacian is then the Kronecker sum I ⊗ L + μ P ⊗ I with P the Laplacian of a path over the
    layers, so its eigenvalues are all sums λ_i(L) + μ (2 − 2 cos(π j / T)). Holds without global nodes, and
    where no node is isolated or none is dropped.

    Args:
        layer_eigenvalues: eigenvalues of one layer's Laplacian, shape (n,).
        num_snapshots: the number of layers, T.
        coupling: μ >= 0.

    Example:
        >>> supra_spectrum(path_spectrum(2), num_snapshots=2, coupling=3).round(12).tolist()
        [0.0, 2.0, 6.0, 8.0]
    """
    num_snapshots = checks.check_count("num_snapshots", num_snapshots)
    coupling = checks.check_nonnegative("coupling", coupling)
    layer = np.asarray(layer_eigenvalues, dtype=np.float64)
    if layer.ndim != 1:
        raise InvalidArgumentError.of("layer_eigenvalues.shape", layer.shape, "one-dimensional")
    return np.sort(np.add.outer(coupling * path_spectrum(num_snapshots), layer).ravel())
