"""How a text file is laid out: delimiter, header, columns, and where its rows begin."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from supra_core.errors import InvalidGraphError, shorten
from supra_core.io.names import choose_columns, column_called, knows
from supra_core.io.opened import line_of
from supra_core.io.own_header import Stated, stated_in_comments

DELIMITERS: tuple[str | None, ...] = (",", "\t", ";", "|", None)
"""None stands for runs of blanks."""

_LOOKED_AT, _LONGEST = 50, 1 << 16
_IN_ORDER = {"source": 0, "target": 1, "time": 2}
_MISSING = frozenset({"na", "n/a", "nat", "null", "none", "missing"})
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
"""A number as much of the world writes it, and this reader does not take it."""
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


@dataclass(frozen=True)
class Layout:
    """What is known of a file before its rows are read.

    Attributes:
        delimiter: what separates fields; None for runs of blanks.
        positions: the field in which each column stands, by name; ``note`` is one that must hold no weights.
        width: how many fields each row has.
        first_line: the number of the line that said so.
        start: where in the file the rows begin.
        stated: what our own header says, or None.
        sample: the fields of the first row, or None.
    """

    delimiter: str | None
    positions: dict[str, int]
    width: int
    first_line: int
    start: int
    stated: Stated | None
    sample: list[str] | None


def layout_of(path: Path, data: bytes, asked: Mapping[str, str | None]) -> Layout:
    """Look at the beginning of a file.

    Args:
        path: named in complaints.
        data: the whole file; see :func:`~supra_core.io.opened.read_bytes`.
        asked: the names of columns where the caller gave them.

    Raises:
        InvalidGraphError: no rows at all, no three columns, or a header that does not name them.
    """
    comments, lines = _head(data)
    stated = stated_in_comments(comments, f"{path}, header")
    if not lines:
        if stated is None or stated.num_nodes is None:
            raise InvalidGraphError(f"{path}: has no edges")
        return Layout(",", dict(_IN_ORDER), 3, 1, len(data), stated, None)
    delimiter = _delimiter([line for _, line in lines])
    rows = [split_row(line, delimiter) for _, line in lines[:2]]
    number = line_of(data, lines[0][0])
    where = f"{path}, line {number}"
    if any(value is not None for value in asked.values()) or _is_header(rows):
        positions = choose_columns(rows[0], asked, where)
        start = lines[0][0] + len(lines[0][1].encode()) + 1
        sample = rows[1] if len(rows) > 1 else None
    else:
        if len(rows[0]) < 3:
            raise InvalidGraphError(
                f"{where}: {shorten(lines[0][1])}: must be source, target and time at least, separated by "
                "commas, tabs, semicolons, bars or blanks"
            )
        positions = dict(_IN_ORDER)
        if len(rows[0]) == 4:
            positions["weight"] = 3
        start, sample = lines[0][0], rows[0]
    if sample is None and (stated is None or stated.num_nodes is None):
        raise InvalidGraphError(f"{path}: has no edges")
    width = len(rows[0])
    if sample is not None and len(sample) < width:  # a short row, which will be refused
        sample = [*sample, *[""] * (width - len(sample))]
    if "weight" in positions and asked.get("weight") is None and sample is not None:
        position = positions["weight"]
        if column_called(rows[0][position]) != "weight" and is_word(sample[position]):
            # Nobody says that it is a weight, and a word is none; no row must have a number there.
            positions["note"] = positions.pop("weight")
    return Layout(delimiter, positions, width, number, min(start, len(data)), stated, sample)


def _head(data: bytes) -> tuple[list[str], list[tuple[int, str]]]:
    """The comments at the very top, and the first lines that are rows with where they begin."""
    comments: list[str] = []
    lines: list[tuple[int, str]] = []
    at_top = True
    for start, line in _lines(data):
        text = line.decode()
        if text.lstrip(" ")[:1] in ("#", "%"):
            if at_top:
                comments.append(text)
        elif text.strip(" \t"):
            at_top = False
            lines.append((start, text))
            if len(lines) == _LOOKED_AT:
                break
        else:
            at_top = False
    return comments, lines


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Where each row begins, and its text; a line end in quotes ends no row."""
    start = 0
    while start < len(data):
        stop = first = _line_end(data, start)
        if not data[start:stop].lstrip(b" ").startswith((b"#", b"%")):
            while data.count(b'"', start, stop) % 2 and stop < len(data) and stop - start < _LONGEST:
                stop = _line_end(data, stop + 1)
            if data.count(b'"', start, stop) % 2:  # never closed: whoever reads the rows will say so
                stop = first
        yield start, data[start:stop]
        start = stop + 1


def _line_end(data: bytes, start: int) -> int:
    stop = data.find(b"\n", start)
    return len(data) if stop < 0 else stop


def _delimiter(lines: list[str]) -> str | None:
    """The first that gives all lines the same number of fields; else the first that gives the first three.

    A comma is none where it can be the decimal comma of numbers that another one separates.
    """
    counts = {mark: [len(split_row(line, mark)) for line in lines] for mark in DELIMITERS}
    enough = [mark for mark in DELIMITERS if counts[mark][0] >= 3]
    found = [mark for mark in enough if len(set(counts[mark])) == 1] or enough or [","]
    others = found[1:] if found[0] == "," else []
    return next((mark for mark in others if _has_decimal_commas(lines, mark)), found[0])


def _has_decimal_commas(lines: list[str], delimiter: str | None) -> bool:
    """Whether a comma is in no field but numbers: ``0;1;0,5`` with semicolons."""
    fields = [field for line in lines for field in split_row(line, delimiter) if "," in field]
    return all(map(DECIMAL_COMMA.fullmatch, fields))


def split_row(line: str, delimiter: str | None) -> list[str]:
    """The fields of one line, without quotes and the blanks around them.

    Example:
        >>> split_row('"Lee, Ann";  Bob ;3', ";"), split_row('"Lee, Ann"  Bob 3', None)
        (['Lee, Ann', 'Bob', '3'], ['Lee, Ann', 'Bob', '3'])
    """
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0][1:-1].replace('""', '"'))
        return f"\0{len(kept) - 1}\0"  # files have no NUL

    marked = _QUOTED.sub(keep, line)
    if delimiter is None:
        fields = re.split(r"[ \t]+", marked.strip(" \t"))
    else:
        fields = marked.split(delimiter)
    return [re.sub(r"\0(\d+)\0", lambda found: kept[int(found[1])], field.strip(" \t")) for field in fields]


def _is_header(rows: list[list[str]]) -> bool:
    """A row that names columns, or whose third cell is a word although the next row's is a time."""
    if knows(rows[0], all_three=len(rows[0]) >= 3):
        return True
    if min(map(len, rows)) < 3 or len(rows) < 2 or not _is_time(rows[1][2]):
        return False
    # An edge whose time is missing or mistyped is no header: it must be refused, not left out.
    return all(map(is_word, rows[0][:3]))


def is_word(cell: str) -> bool:
    """Whether a cell begins with a letter and stands for no missing value: ``when``, not ``3`` or ``n/a``."""
    return cell[:1].isalpha() and not _is_time(cell) and cell.lower() not in _MISSING


def _is_time(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return re.match(r"\d{4}-\d\d", cell) is not None
    return True
