"""A file of JSON lines that only grows, and that survives being killed in the middle of a line."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Generic, TypeVar

from supra_experiments.errors import ExperimentError, SweepError, told_as

Value = TypeVar("Value")


class JournalError(SweepError):
    """A file of records or a sweep's folder that cannot be used, written or understood."""


class JsonLines(Generic[Value]):
    """One file. A line is there or it is not: a torn one at the end is put aside when the file is opened.

    Args:
        path: of the file; it comes into being with the first line.
        read: from a line to what it says.
        write: the way back.

    Raises:
        JournalError: a file that cannot be read, or a bad line that is not the last.

    Attributes:
        values: what all lines say.
        repaired: what was done to the file, a line for people, or None.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "a.jsonl"
        >>> JsonLines(path, json.loads, json.dumps).append({"a": 1})
        >>> _ = path.write_text(path.read_text() + '{"a": ')
        >>> JsonLines(path, json.loads, json.dumps).values
        [{'a': 1}]
    """

    def __init__(self, path: Path, read: Callable[[str], Value], write: Callable[[Value], str]) -> None:
        self.path, self._write = path, write
        self.repaired: str | None = None
        self.values: list[Value] = []
        with told_as(JournalError, f"{path}: cannot be read or repaired"):
            lines = self._lines(path.read_bytes() if path.exists() else b"")
        for number, line in enumerate(lines, start=1):
            try:
                self.values.append(read(line))
            except (ExperimentError, KeyError, TypeError) as error:
                raise JournalError(f"{path}: line {number}: {error}") from None

    @property
    def is_behind(self) -> bool:
        """Whether the file has become longer by somebody else's lines."""
        return self.path.exists() and self.path.stat().st_size > self._size

    def append(self, value: Value) -> None:
        """Add a line, in one write that has reached the disk on return.

        Raises:
            JournalError: a disk that is full, or whatever else; the file is then as it was before.
        """
        content = self._write(value).encode() + b"\n"
        try:
            self.path.touch()
            with self.path.open("r+b", buffering=0) as file:
                # What a failed write may have left behind the last whole line.
                file.truncate(self._size)
                file.seek(self._size)
                try:
                    _write(file, content)
                except BaseException:
                    file.truncate(self._size)
                    raise
        except OSError as error:
            raise JournalError(
                f"{self.path}: cannot be written ({error.strerror or error}); all lines before are kept"
            ) from None
        self._size += len(content)
        self.values.append(value)

    def _lines(self, content: bytes) -> list[str]:
        """All good lines; a torn last one is moved to a file beside."""
        *whole, rest = content.split(b"\n")
        lines: list[str] = []
        size = 0
        for number, raw in enumerate(whole, start=1):
            if (line := _json(raw)) is not None:
                lines.append(line)
            elif raw.strip() and any(later.strip() for later in [*whole[number:], rest]):
                raise JournalError(f"{self.path}: line {number} is not JSON; repair or remove it by hand")
            elif raw.strip():
                break
            size += len(raw) + 1
        self._size = size
        torn = content[size:]
        if rest and _json(torn) is not None:
            # Everything but the end of the line was written.
            self._finish_last(torn)
            lines.append(torn.decode())
            self.repaired = f"{self.path.name}: the end of the last line was missing and was added"
        elif torn:
            self._put_aside(torn)
            name = self.path.name
            self.repaired = f"{name}: the last line was torn ({len(torn)} bytes); moved to {name}.torn"
        return lines

    def _finish_last(self, last: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._size += len(last) + 1

    def _put_aside(self, torn: bytes) -> None:
        with self.path.with_name(self.path.name + ".torn").open("ab") as file:
            file.write(torn.rstrip(b"\n") + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.truncate(self.path, self._size)


def _write(file: IO[bytes], content: bytes) -> None:
    written = 0
    while written < len(content):  # a disk that fills up takes a part, and refuses the next
        written += file.write(content[written:])
    os.fsync(file.fileno())


def _json(raw: bytes) -> str | None:
    """The text of a line that is a JSON object, None for any other."""
    try:
        line = raw.decode()
        return line if isinstance(json.loads(line), dict) else None
    except ValueError:  # neither UTF-8 nor JSON
        return None
