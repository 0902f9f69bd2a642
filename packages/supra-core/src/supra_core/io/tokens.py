"""Rows of text cut into fields, a million at a time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supra_core.errors import InvalidGraphError, shorten
from supra_core.io.layout import Layout
from supra_core.io.opened import line_of

PART = 1 << 20
"""Bytes that are cut at once: few enough for a processor's cache, many enough for NumPy."""

_NEWLINE, _QUOTE, _BLANK, _TAB = 10, 34, 32, 9
_COMMENT = re.compile(rb"^ *[#%]", re.MULTILINE)
_COMMENT_OR_QUOTED = re.compile(rb'^ *[#%][^\n]*|"[^"]*"', re.MULTILINE)

Positions = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Fields:
    """One column of some rows.

    Attributes:
        letters: the text that the fields are cut from, uint8.
        starts, stops: where each field begins and ends in it, shape (m,).
        escaped: which of them have a doubled quote inside that stands for one; None where none has.
    """

    letters: NDArray[np.uint8]
    starts: Positions
    stops: Positions
    escaped: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.starts)

    def text(self, index: int) -> bytes:
        """One field."""
        found = self.letters[self.starts[index] : self.stops[index]].tobytes()
        return found.replace(b'""', b'"') if self.escaped is not None and self.escaped[index] else found

    def matrix(self) -> NDArray[np.bytes_]:
        """All fields as bytes strings of one length, shape (m,); nothing is unescaped."""
        lengths = self.stops - self.starts
        width = max(1, int(lengths.max(initial=0)))
        reach = np.arange(width)
        taken = self.letters.take(self.starts[:, None] + reach, mode="clip")
        taken[reach >= lengths[:, None]] = 0
        return taken.view(f"S{width}").ravel()


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of a file.

    Attributes:
        offset, stop: where in the file its text begins and ends.
        columns: the fields of each column that is needed, by name.
    """

    offset: int
    stop: int
    columns: dict[str, Fields]


def parts_of(path: Path, data: bytes, layout: Layout, larger: int = 1) -> Iterator[Part]:
    """Cut the rows of a file into fields, about ``larger * PART`` bytes at a time.

    Raises:
        InvalidGraphError: a row with more or fewer fields than the first, or a quote in the wrong place.
    """
    start = layout.start
    quotes = data.find(b'"', start) >= 0
    if quotes and _COMMENT.search(data, start):
        # A comment may have a quote alone; its line stays, so that lines can still be counted.
        data = data[:start] + _COMMENT_OR_QUOTED.sub(_blanked, data[start:])
    size = larger * PART
    while start < len(data):
        stop = _row_end(data, start, start + size, quotes)
        if stop is None:  # one quoted field longer than all that was looked at
            if start + size >= len(data):
                raise _unclosed(path, data, start)
            size *= 2
            continue
        yield _cut(path, data, start, stop, layout, quotes)
        start, size = stop, larger * PART


def _blanked(found: re.Match[bytes]) -> bytes:
    """Blanks for a comment; what is in quotes stays, even where it looks like one."""
    return found[0] if found[0].startswith(b'"') else b" " * len(found[0])


def _row_end(data: bytes, start: int, aim: int, quotes: bool) -> int | None:
    """The end of the last whole row before ``aim``, or of the file."""
    if not quotes:
        if aim >= len(data):
            return len(data)
        last = data.rfind(b"\n", start, aim)
        if last < 0:
            last = data.find(b"\n", aim)
        return len(data) if last < 0 else last + 1
    letters = _letters(data, start, min(aim, len(data)))
    inside = np.bitwise_xor.accumulate(letters == _QUOTE)
    if aim >= len(data) and not inside[-1]:
        return len(data)
    ends = np.flatnonzero((letters == _NEWLINE) & ~inside)
    return start + int(ends[-1]) + 1 if len(ends) else None


def _cut(path: Path, data: bytes, start: int, stop: int, layout: Layout, quotes: bool) -> Part:
    letters = _letters(data, start, stop)
    if letters[-1] != _NEWLINE:
        letters = np.append(letters, np.uint8(_NEWLINE))
    inside = np.bitwise_xor.accumulate(letters == _QUOTE) if quotes else None
    cut = _by_blanks if layout.delimiter is None else _by_delimiter
    starts, stops, bad = cut(letters, inside, layout, comments=_has(data, b"#%", start, stop))
    if bad is not None:
        begin, count = bad
        end = data.find(b"\n", start + begin)
        text = data[start + begin : len(data) if end < 0 else end].decode(errors="replace")
        where = f"{path}, line {line_of(data, start + begin)}"
        if quotes and text.count('"') % 2:
            raise InvalidGraphError(f"{where}: {shorten(text)}: must close its quotes")
        fields = f"{count} field{'s'[: count != 1]}"
        expected = f"{layout.width} as line {layout.first_line} has"
        raise InvalidGraphError(f"{where}: {shorten(text)} has {fields}: must have {expected}")
    escaped = None
    if layout.delimiter is not None and _has(data, b" \t", start, stop):
        _strip(letters, starts, stops)
    if quotes:
        escaped = _unquote(path, data, start, letters, starts, stops)
    return Part(
        start,
        stop,
        {
            name: Fields(letters, starts[column], stops[column], None if escaped is None else escaped[column])
            for name, column in layout.positions.items()
        },
    )


Cut = tuple[Positions, Positions, tuple[int, int] | None]
"""Where fields begin and end, shape (width, rows); and where a row of another width begins, and its width."""

_NOTHING = np.zeros((0, 0), dtype=np.int64)


def _by_delimiter(
    letters: NDArray[np.uint8], inside: NDArray[np.bool_] | None, layout: Layout, *, comments: bool
) -> Cut:
    newline = letters == _NEWLINE
    ends_field = letters == ord(layout.delimiter or ",")
    ends_field |= newline
    if inside is not None:
        newline &= ~inside
        ends_field &= ~inside
    stops = np.flatnonzero(ends_field)
    num_rows = int(np.count_nonzero(newline))
    last = slice(layout.width - 1, None, layout.width)
    if not comments and len(stops) == num_rows * layout.width and newline[stops[last]].all():
        return *_by_column(stops, layout.width), None
    rows = np.flatnonzero(newline[stops])
    begins = np.concatenate([[0], stops[rows[:-1]] + 1])
    widths = np.diff(rows, prepend=-1)
    starts = np.concatenate([[0], stops[:-1] + 1])
    first = _first_letters(letters, begins, tabs=layout.delimiter != "\t")
    skipped = (first == ord("#")) | (first == ord("%")) | ((first == _NEWLINE) & (widths == 1))
    kept = np.repeat(~skipped, widths)
    return _by_width(starts[kept], stops[kept], begins[~skipped], widths[~skipped], layout)


def _by_column(stops: Positions, width: int) -> tuple[Positions, Positions]:
    """Starts and stops of fields that follow one another without a gap, each column in one piece."""
    stops = np.ascontiguousarray(stops.reshape(-1, width).T)
    starts = np.empty_like(stops)
    np.add(stops[:-1], 1, out=starts[1:])
    np.add(stops[-1, :-1], 1, out=starts[0, 1:])
    starts[0, :1] = 0
    return starts, stops


def _by_width(
    starts: Positions, stops: Positions, begins: Positions, widths: Positions, layout: Layout
) -> Cut:
    """Fields as a table, if all rows have as many; ``begins`` says where each row begins."""
    wrong = widths != layout.width
    if wrong.any():
        row = int(np.argmax(wrong))
        return _NOTHING, _NOTHING, (int(begins[row]), int(widths[row]))
    starts, stops = (np.ascontiguousarray(ends.reshape(-1, layout.width).T) for ends in (starts, stops))
    return starts, stops, None


def _first_letters(letters: NDArray[np.uint8], begins: Positions, *, tabs: bool) -> NDArray[np.uint8]:
    """The first letter of each row that is no blank; rows of blanks have a newline there."""
    begins, first = begins.copy(), letters[begins]
    while (blank := np.flatnonzero((first == _BLANK) | (tabs & (first == _TAB)))).size:
        begins[blank] += 1
        first = letters[begins]
    return first


def _by_blanks(
    letters: NDArray[np.uint8], inside: NDArray[np.bool_] | None, layout: Layout, *, comments: bool
) -> Cut:
    newline = letters == _NEWLINE
    if inside is not None:
        newline &= ~inside
    blank = (letters == _BLANK) | (letters == _TAB) | newline
    if inside is not None:
        blank &= ~inside
    before = np.concatenate([[True], blank[:-1]])
    starts, stops = np.flatnonzero(~blank & before), np.flatnonzero(blank & ~before)
    row = np.searchsorted(np.flatnonzero(newline), starts)
    first = np.concatenate([[True], row[1:] != row[:-1]])[: len(row)]
    begins = starts[first]
    widths = np.diff(np.append(np.flatnonzero(first), len(starts)))
    if comments:
        comment = (letters[begins] == ord("#")) | (letters[begins] == ord("%"))
        kept = np.repeat(~comment, widths)
        starts, stops, widths, begins = starts[kept], stops[kept], widths[~comment], begins[~comment]
    return _by_width(starts, stops, begins, widths, layout)


def _strip(letters: NDArray[np.uint8], starts: Positions, stops: Positions) -> None:
    """Leave out the blanks around fields, in place."""
    for ends, step, offset in ((starts, 1, 0), (stops, -1, -1)):
        flat, low, high = ends.reshape(-1), starts.reshape(-1), stops.reshape(-1)
        beside = letters.take(flat + offset, mode="clip")
        rest = np.flatnonzero(((beside == _BLANK) | (beside == _TAB)) & (low < high))
        while rest.size:
            flat[rest] += step
            beside = letters.take(flat[rest] + offset, mode="clip")
            rest = rest[((beside == _BLANK) | (beside == _TAB)) & (low[rest] < high[rest])]


def _unquote(
    path: Path, data: bytes, offset: int, letters: NDArray[np.uint8], starts: Positions, stops: Positions
) -> NDArray[np.bool_] | None:
    """Leave out the quotes around fields, in place; which fields have doubled ones inside, if any."""
    marks = np.flatnonzero(letters == _QUOTE)
    if len(marks) == 0:
        return None
    begins = np.zeros(len(letters) + 1, dtype=bool)
    begins[starts] = True
    ends = np.zeros(len(letters) + 1, dtype=bool)
    ends[stops] = True
    opening, closing = marks[::2], marks[1::2]
    # A doubled quote closes and opens again at once.
    doubled = opening[1:] == closing[: len(opening) - 1] + 1
    right = begins[opening]
    right[1:] |= doubled
    well = ends[closing + 1]
    well[: len(doubled)] |= doubled[: len(well)]
    if not (right.all() and well.all()):
        place = min([int(p) for p in opening[~right][:1]] + [int(p) for p in opening[: len(well)][~well][:1]])
        line = line_of(data, offset + place)
        said = "must close its quotes, which are around whole fields"
        text = data[offset + place : offset + place + 40].split(b"\n")[0].decode(errors="replace")
        raise InvalidGraphError(f"{path}, line {line}: {shorten(text)}: {said}")
    quoted = (letters.take(starts, mode="clip") == _QUOTE) & (stops > starts)
    starts += quoted
    stops -= quoted
    pairs = closing[: len(doubled)][doubled]
    if len(pairs) == 0:
        return None
    has_pair = np.zeros(len(letters) + 1, dtype=np.int64)
    has_pair[pairs + 1] = 1
    counts = np.cumsum(has_pair)
    return counts[stops] > counts[starts]


def _unclosed(path: Path, data: bytes, start: int) -> InvalidGraphError:
    """The first quote after which no field ends where the next one is; else the last."""
    marks = [start + int(mark) for mark in np.flatnonzero(_letters(data, start, len(data)) == _QUOTE)]
    place = marks[-1]
    for opening, closing in zip(marks[::2], marks[1::2], strict=False):
        if data[closing + 1 : closing + 2] not in (b",", b"\t", b";", b"|", b" ", b"\n", b'"', b""):
            place = opening
            break
    return InvalidGraphError(f"{path}, line {line_of(data, place)}: must close its quotes")


def _has(data: bytes, letters: bytes, start: int, stop: int) -> bool:
    """Whether any of some letters is in a part of the text."""
    return any(data.find(letter, start, stop) >= 0 for letter in letters)


def _letters(data: bytes, start: int, stop: int) -> NDArray[np.uint8]:
    return np.frombuffer(data, np.uint8, stop - start, start)
