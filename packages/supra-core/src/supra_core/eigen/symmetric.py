"""All eigenpairs of a dense symmetric matrix, also of those on which LAPACK's fastest method gives up."""

import numpy as np
import scipy.linalg

from supra_core.eigen.result import Array


def eigh(matrix: Array) -> tuple[Array, Array]:
    """Eigenvalues (n,), ascending, and eigenvectors (n, n) of a finite symmetric matrix.

    Divide and conquer is several times as fast as QR iteration, but once in many thousands of matrices, most
    of them of nearly dependent vectors, it does not converge. QR iteration then does.

    Example:
        >>> eigh(np.array([[2.0, 1.0], [1.0, 2.0]]))[0].round(6).tolist()
        [1.0, 3.0]
    """
    try:
        values, vectors = np.linalg.eigh(matrix)
    except np.linalg.LinAlgError:
        values, vectors = scipy.linalg.eigh(matrix, driver="ev")
    return values, vectors
