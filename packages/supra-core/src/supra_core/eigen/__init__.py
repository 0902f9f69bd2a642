"""Eigensolvers for the small end of a sparse symmetric spectrum."""

from supra_core.eigen.dense import Dense
from supra_core.eigen.result import EigenResult, Trajectory
from supra_core.eigen.solve import eigenpairs

__all__ = ["Dense", "EigenResult", "Trajectory", "eigenpairs"]
