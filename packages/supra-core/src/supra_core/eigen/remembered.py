"""What several steps of one solution ask of the same matrix is worked out once."""

from collections.abc import Callable
from typing import TypeVar

import scipy.sparse as sp

T = TypeVar("T")


def remembered(find: Callable[[sp.csr_array], T]) -> Callable[[sp.csr_array], T]:
    """``find``, called once for each matrix: the matrix carries the answer from then on.

    Only for matrices that nobody changes. :func:`supra_core.eigenpairs` makes such an object for each call,
    so that what is carried is gone when the call ends, and a user's own matrix carries nothing.
    """
    name = f"_supra_{find.__name__}"

    def once(matrix: sp.csr_array) -> T:
        if not hasattr(matrix, name):
            setattr(matrix, name, find(matrix))
        found: T = getattr(matrix, name)
        return found

    once.__doc__ = find.__doc__
    return once
