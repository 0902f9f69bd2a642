"""What is raised when an input is wrong. Each is a ``ValueError``, so callers may catch that alone.

One form in all packages: a message names the argument, its value and what is allowed. wl-tests raises these
classes and supra-experiments adds its own below :class:`SupraError`. tgnn-models does not depend on this
package: its ``InvalidArgumentError`` is a class of its own, with the same ``of``.
"""

from typing import Any, Self


class SupraError(ValueError):
    """Anything these packages refuse."""

    @classmethod
    def of(cls, name: str, value: Any, allowed: str) -> Self:
        """The one form of a message: ``name=value: must be allowed``.

        Example:
            >>> InvalidArgumentError.of("window", 0, "an integer >= 1")
            InvalidArgumentError('window=0: must be an integer >= 1')
        """
        return cls(f"{name}={shorten(value)}: must be {allowed}")


class InvalidArgumentError(SupraError):
    """A parameter has a value that is not allowed."""


class InvalidGraphError(SupraError):
    """An edge list, a matrix or a file does not describe a graph."""


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
