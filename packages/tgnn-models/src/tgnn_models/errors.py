"""What this package raises when its input is wrong; each is a ``ValueError``.

A message has the form ``name=value: must be allowed``. It is that of ``supra_core.errors``, written again
here since this package does not need supra-core.
"""

from typing import Self


class ModelError(ValueError):
    """The base of every error this package raises on purpose."""

    @classmethod
    def of(cls, name: str, value: object, allowed: str) -> Self:
        """The one form of a message: ``name=value: must be allowed``."""
        return cls(f"{name}={value!r}: must be {allowed}")


class InvalidArgumentError(ModelError):
    """A parameter or a tensor argument is outside what is allowed."""


class InvalidSnapshotError(ModelError):
    """A snapshot is malformed, or does not fit the model or the other snapshots."""
