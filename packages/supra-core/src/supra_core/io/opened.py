"""The bytes of a text file: unpacked, of one encoding and one kind of line end."""

import codecs
import gzip
import zlib
from pathlib import Path

from supra_core.errors import InvalidGraphError, MissingFileError

_GZIP = b"\x1f\x8b"
_WIDE = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}
_PART = 1 << 22


def check_file(path: Path) -> None:
    """Refuse what is not there.

    Raises:
        MissingFileError: there is nothing of that name.
        InvalidGraphError: no file can have that name.
    """
    try:
        there = path.exists()
    except (OSError, ValueError) as error:
        raise InvalidGraphError(f"{path}: cannot be read ({error})") from None
    if not there:
        raise MissingFileError(f"{path}: no such file")


def read_bytes(path: Path) -> bytes:
    """The text of a file in UTF-8, without byte order mark, with lines that end in ``\\n``.

    Raises:
        InvalidGraphError: a file that cannot be read, is a broken gzip file, or no text in UTF-8.
    """
    check_file(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidGraphError(f"{path}: cannot be read ({error.strerror or error})") from None
    if data.startswith(_GZIP):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise InvalidGraphError(f"{path}: must be a whole gzip file ({error})") from None
    for mark, name in _WIDE.items():
        if data.startswith(mark):
            raise InvalidGraphError(f"{path}: must be text in UTF-8, not {name}")
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if (position := data.find(b"\0")) >= 0:
        raise InvalidGraphError(f"{path}, line {line_of(data, position)}: must be text, but has a NUL byte")
    if not data.isascii():
        _check_utf8(path, data)
    return data


def line_of(data: bytes, position: int) -> int:
    """The number of the line that a byte is in."""
    return data.count(b"\n", 0, position) + 1


def _check_utf8(path: Path, data: bytes) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _PART):
        part, waiting = data[start : start + _PART], len(decoder.getstate()[0])
        try:
            decoder.decode(part, final=start + _PART >= len(data))
        except UnicodeDecodeError as error:
            line = line_of(data, start - waiting + error.start)
            raise InvalidGraphError(f"{path}, line {line}: must be text in UTF-8 ({error.reason})") from None
