"""Writing a file so that no reader ever sees half of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from uuid import uuid4


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """A temporary name beside ``path`` to write to; it becomes ``path`` if the block ends well.

    The suffix is kept, since some writers go by it. Readers see the old file or the new one, never a part.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with replacing(Path(folder, "a.txt")) as temporary:
        ...         _ = temporary.write_text("whole")
        ...     Path(folder, "a.txt").read_text()
        'whole'
    """
    final = Path(path)
    temporary = final.with_name(f".{final.stem}.{uuid4().hex}{final.suffix}")
    try:
        yield temporary
        temporary.replace(final)
    finally:
        temporary.unlink(missing_ok=True)
