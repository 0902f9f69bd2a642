"""Eigensolvers for the small end of a sparse symmetric spectrum."""

from supra_core.eigen.auto import Auto
from supra_core.eigen.davidson import Davidson
from supra_core.eigen.dense import Dense
from supra_core.eigen.lanczos import Lanczos
from supra_core.eigen.lobpcg import LOBPCG
from supra_core.eigen.result import Approximation, EigenResult, Trajectory
from supra_core.eigen.shift_invert import FillError, ShiftInvert
from supra_core.eigen.solve import eigenpairs
from supra_core.eigen.solver import Solver

__all__ = [
    "LOBPCG",
    "Approximation",
    "Auto",
    "Davidson",
    "Dense",
    "EigenResult",
    "FillError",
    "Lanczos",
    "ShiftInvert",
    "Solver",
    "Trajectory",
    "eigenpairs",
]
