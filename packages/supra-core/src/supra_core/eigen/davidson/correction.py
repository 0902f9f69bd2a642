"""The correction that a residual asks for: a few inner steps of conjugate gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[Any]

# Once the residual has dropped by this factor, further inner steps refine what the outer step will redo.
_ENOUGH = 1e-4
# A curvature below this, or a residual that has grown by its inverse, is no longer to be trusted.
_FLAT = 1e-6


def correction(
    product: Callable[[Vector], Vector],
    precondition: Callable[[Vector, float], Vector],
    residual: Vector,
    value: float,
    steps: int,
    work: Vector,
) -> Vector:
    """An approximate solution t of (A − λI) t = r by preconditioned conjugate gradients.

    An inner step costs one product and a few operations on vectors; it spares an outer step with its work on
    the whole basis. One more step is taken blindly, as long as the last: its product is made outside anyway.
    Where A − λI turns out not to be positive on a direction, the steps end there: what was found by then is
    still good, since the outer step takes the best out of it.

    Args:
        product: x ↦ A x, a new array.
        precondition: overwrites a vector with its correction for this λ and gives it back.
        residual: r, shape (n,); overwritten.
        value: λ.
        steps: inner steps; with 0 this is the preconditioned residual alone.
        work: a vector to overwrite, shape (n,).
    """
    if steps == 0:
        return precondition(residual, value)
    shift = residual.dtype.type(value)
    np.copyto(work, residual)
    z = precondition(work, value)
    first = energy = float(np.dot(residual, z))
    p, t, length = z.copy(), np.zeros_like(z), 1.0
    for _ in range(steps):
        q = product(p)
        np.multiply(p, -shift, out=work)
        q += work
        curvature = float(np.dot(p, q))
        if not _FLAT * energy < curvature < np.inf:
            break
        length = energy / curvature
        q *= -length
        residual += q
        np.multiply(p, length, out=q)
        t += q
        np.copyto(work, residual)
        z = precondition(work, value)
        before, energy = energy, float(np.dot(residual, z))
        if not _ENOUGH * first < energy < first / _FLAT:
            return t
        p *= energy / before
        p += z
    p *= length
    t += p
    return t
