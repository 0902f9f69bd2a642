"""What Davidson's method can be told."""

from dataclasses import dataclass, field

from supra_core import checks
from supra_core.eigen.precondition import Preconditioner, check_preconditioner


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
