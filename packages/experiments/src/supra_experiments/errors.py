"""The exceptions of this package: each a ``ValueError`` whose message is one line for the user."""

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from supra_core import SupraError


class ExperimentError(SupraError):
    """Anything this package refuses."""


class ConfigError(ExperimentError):
    """A setting that does not exist, has the wrong type or a value that is not allowed."""


class DatasetError(ExperimentError):
    """A dataset that is unknown, cannot be had, or is not what it should be."""


class CheckpointError(ExperimentError):
    """A checkpoint that belongs to another run or cannot be read."""


class SweepError(ExperimentError):
    """A sweep that cannot start or go on: its storage, its cluster or its folder is not as it must be."""


class ClusterError(ExperimentError):
    """A Ray cluster that cannot be started, reached or joined."""


@contextmanager
def told_as(kind: type[ExperimentError], what: str) -> Iterator[None]:
    """Within it, an error of the system becomes one of this package: what failed, and why in brackets.

    Example:
        >>> with told_as(ConfigError, "a.toml: cannot be read"):
        ...     open("/nowhere/a.toml")
        Traceback (most recent call last):
        supra_experiments.errors.ConfigError: a.toml: cannot be read (No such file or directory)
    """
    try:
        yield
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise kind(f"{what} ({reason})") from None


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Within it, what is refused of a setting is said to be refused in that place.

    Example:
        >>> with placed("search."):
        ...     raise ConfigError("k=0: must be an integer >= 1")
        Traceback (most recent call last):
        supra_experiments.errors.ConfigError: search.k=0: must be an integer >= 1
    """
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{place}{error}") from None


def did_you_mean(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """The end of a message that names what was probably meant; empty where nothing is near.

    Example:
        >>> did_you_mean("GRUGNC", ["htgn", "grugcn"])
        "; did you mean 'grugcn'?"
        >>> did_you_mean("k", ["seed"])
        ''
    """
    near = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=cutoff)
    return f"; did you mean {near[0]!r}?" if near else ""
