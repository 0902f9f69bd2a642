"""The exceptions of this package: each a ``ValueError`` whose message is one line for the user."""

import difflib
from collections.abc import Iterable

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
