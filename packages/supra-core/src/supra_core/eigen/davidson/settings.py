"""What Davidson's method can be told."""

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from supra_core import checks
from supra_core.eigen.precondition import Preconditioner, check_preconditioner

FLAT = 2.0
"""A diagonal whose entries differ by less than this factor does not precondition."""


@dataclass(frozen=True)
class Settings:
    """The arguments of :class:`~supra_core.Davidson`, which says what each means."""

    tol: float = 1e-6
    preconditioner: Preconditioner = "jacobi"
    basis_size: int | None = None
    inner_steps: int | None = None
    max_steps: int = 20_000
    mixed_precision: bool = True
    spare: int = field(default=0, repr=False)  # says nothing about the answer

    def __post_init__(self) -> None:
        checks.check_nonnegative("tol", self.tol, positive=True)
        check_preconditioner(self.preconditioner)
        if self.basis_size is not None:
            checks.check_count("basis_size", self.basis_size, minimum=4)
        if self.inner_steps is not None:
            checks.check_count("inner_steps", self.inner_steps, minimum=0)
        checks.check_count("max_steps", self.max_steps)
        checks.check_count("spare", self.spare, minimum=0)

    def begins_with_lanczos(self, matrix: sp.csr_array) -> bool:
        """Whether Lanczos comes first: the diagonal is positive and nearly one number, as in a ``sym``
        Laplacian, and nobody has asked for other corrections."""
        if not isinstance(self.preconditioner, str) or self.inner_steps is not None:
            return False
        diagonal = matrix.diagonal()
        return bool(0 < diagonal.max(initial=0.0) < FLAT * diagonal.min(initial=np.inf))
