"""The exceptions of this package. Each is a ``ValueError``, so callers may catch that alone."""

from typing import Any


class SupraError(ValueError):
    """Anything this package refuses."""


class InvalidArgumentError(SupraError):
    """A parameter has a value that is not allowed."""

    @classmethod
    def of(cls, name: str, value: Any, allowed: str) -> "InvalidArgumentError":
        """The house form: ``name=value: must be allowed``."""
        return cls(f"{name}={shorten(value)}: must be {allowed}")


class InvalidGraphError(SupraError):
    """An edge list, a matrix or a file does not describe a graph."""

    @classmethod
    def of(cls, name: str, value: Any, allowed: str) -> "InvalidGraphError":
        """The house form: ``name=value: must be allowed``."""
        return cls(f"{name}={shorten(value)}: must be {allowed}")


class MissingFileError(InvalidGraphError, FileNotFoundError):
    """A file that is not there."""


class ConvergenceWarning(UserWarning):
    """A solver stopped before the answer was as accurate as asked."""


class TruncationWarning(UserWarning):
    """Fewer eigenpairs exist than were asked for."""


def shorten(value: Any, limit: int = 80) -> str:
    """A ``repr`` that fits into one line of an error message."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    text = " ".join(repr(value).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
