"""Writing a file so that no reader ever sees half of it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary name beside ``path`` to write to; it becomes ``path`` if the block ends well.

    What was written is on the disk before it gets its name: readers see the old file or the new one, never a
    part, whatever is killed or switched off meanwhile. On an error the old file stays, and nothing else. The
    suffix is kept, since some writers go by it; folders that are missing are made.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with replacing(Path(folder, "new", "a.txt")) as temporary:
        ...         _ = temporary.write_text("whole")
        ...     [entry.name for entry in Path(folder, "new").iterdir()]
        ['a.txt']
    """
    final = Path(path)
    final.parent.mkdir(parents=True, exist_ok=True)
    temporary = final.with_name(f".{final.stem}.{uuid4().hex}{final.suffix}")
    try:
        yield temporary
        with temporary.open("r+b") as file:
            os.fsync(file.fileno())
        temporary.replace(final)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file by way of :func:`replacing`; text in UTF-8, its line ends as they are.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_whole(Path(folder, "a.txt"), "ü")
        ...     Path(folder, "a.txt").read_bytes()
        b'\\xc3\\xbc'
    """
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
