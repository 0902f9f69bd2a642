"""Files that are either there completely or not at all."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

LEFTOVER_SECONDS = 3600
"""A temporary file not written to for that long belongs to nobody any more."""


@contextmanager
def written_atomically(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary file that appears under ``path`` when the block ends without an error, and not before.

    It is written beside its destination under a temporary name, brought to the disk and renamed; on an error
    the temporary file is removed and what stood at ``path`` stays as it was.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> with written_atomically(folder / "a.txt") as file:
        ...     _ = file.write(b"whole")
        >>> [entry.name for entry in folder.iterdir()]
        ['a.txt']
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_atomically(path: str | os.PathLike[str], write: Callable[[Any], object]) -> None:
    """Call ``write(file)`` on a file that appears under ``path`` only when it is complete."""
    with written_atomically(path) as file:
        write(file)


def remove_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove temporary files for ``path`` that a killed process left behind; those in use are left alone."""
    path = Path(path)
    for leftover in path.parent.glob(f".{path.name}.*.tmp"):
        if time.time() - leftover.stat().st_mtime > LEFTOVER_SECONDS:
            leftover.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
