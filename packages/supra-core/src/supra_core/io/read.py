"""Which reader a file goes through."""

import os
from collections.abc import Mapping
from pathlib import Path

from supra_core.errors import InvalidGraphError
from supra_core.io.names import is_parquet
from supra_core.io.parquet import read_parquet
from supra_core.io.raw_edges import RawEdges
from supra_core.io.text import read_text


def read_raw(path: Path, asked: Mapping[str, str | None]) -> RawEdges:
    """The edges of a file.

    Args:
        path: its name says whether it is text or Parquet.
        asked: the names of the columns ``source``, ``target``, ``time``, ``weight``; None for the usual ones.

    Raises:
        InvalidGraphError: a folder, or a file that is no edge list.
        MissingFileError: there is no such file.
        InvalidArgumentError: another suffix.
    """
    if os.path.isdir(path):  # before its name is looked at: a folder may be called anything
        raise InvalidGraphError(f"{path}: is a folder: must be a file")
    return read_parquet(path, asked) if is_parquet(path) else read_text(path, asked)
