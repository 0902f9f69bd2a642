"""The Davidson method: a search space that grows by one corrected residual at a time."""

from supra_core.eigen.davidson.solver import Davidson

__all__ = ["Davidson"]
