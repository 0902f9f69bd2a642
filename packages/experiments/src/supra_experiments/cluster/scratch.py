"""Folders for the files of a local cluster, which go with the process that made them."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

_PREFIX = "supra-local-"
_LOCK = "in-use"
_SECONDS_TO_LOCK = 60.0


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for the length of a block; those that killed processes left behind are removed.

    Example:
        >>> with scratch_folder() as folder:
        ...     print(folder.is_dir())
        True
        >>> folder.exists()
        False
    """
    base = Path(os.environ.get("RAY_TMPDIR") or tempfile.gettempdir())
    if os.name == "posix" and len(str(base)) > 16:
        # Ray's sockets lie about 75 characters below, and a socket's path has at most 107 (104 on a Mac).
        base = Path("/tmp")
    for left in base.glob(f"{_PREFIX}*"):
        _remove_if_left(left)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
    try:
        # The lock ends with this process, however that ends.
        with FileLock(folder / _LOCK):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_if_left(folder: Path) -> None:
    with suppress(OSError):  # somebody else's, in use, or removed by another process just now
        if not (folder / _LOCK).exists() and time.time() - folder.stat().st_mtime < _SECONDS_TO_LOCK:
            return  # just made
        with suppress(Timeout), FileLock(folder / _LOCK, timeout=0):
            shutil.rmtree(folder, ignore_errors=True)
