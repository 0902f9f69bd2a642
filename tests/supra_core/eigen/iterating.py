"""Make solvers iterate on small matrices too, where they would hand over to the full decomposition."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from supra_core.eigen import auto, lanczos, shift_invert
from supra_core.eigen.davidson import solver


@contextmanager
def no_dense_shortcut() -> Iterator[None]:
    """Within this block no solver answers by LAPACK because the matrix is small."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (lanczos, shift_invert):
            patch.setattr(module, "_SMALL", 0)
            patch.setattr(module, "_TIMES_K", 0)
        patch.setattr(auto, "_is_small", lambda n, k: False)
        patch.setattr(auto, "_LAST_RESORT", 0)
        patch.setattr(solver, "_TIMES_BASIS", 0)
        yield
