"""Delimited text by pyarrow where it is installed: faster, and only where it cannot mean anything else.

pyarrow reads more as a number than we do (``007``, ``0x10``), knows no comments, and takes quotes anywhere.
So it gets files without quotes and comments alone, and its integers are used for names only if no field can
have been written in another way. Whatever it refuses or finds strange is left to :mod:`supra_core.io.text`.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core.errors import SupraError
from supra_core.io.layout import Layout
from supra_core.io.name_table import NameTable
from supra_core.io.raw_edges import RawEdges
from supra_core.io.table_columns import whole_numbers
from supra_core.iso_dates import BadFieldError, parse_dates
from supra_core.labels import ids_of
from supra_core.times import LATEST, Times

SMALLEST = 1 << 20
"""Bytes below which importing pyarrow takes longer than reading."""

_PART = 1 << 20
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_FLOAT = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)


def read(data: bytes, layout: Layout) -> RawEdges | None:
    """The edges of a file, or None where pyarrow is not installed or not to be trusted with it.

    Args:
        data: the whole file, in UTF-8, with lines that end in ``\\n``.
        layout: how it is laid out.
    """
    if layout.delimiter is None or layout.sample is None or len(data) - layout.start < SMALLEST:
        return None
    if any(data.find(mark, layout.start) >= 0 for mark in (b'"', b"#", b"%")):
        return None
    try:
        import pyarrow
        import pyarrow.csv
    except ImportError:
        return None
    plain = _is_plain(data, layout)
    for kinds in _attempts(layout, plain):
        try:
            columns = _columns(pyarrow, data, layout, kinds)
        except (pyarrow.ArrowException, ValueError):
            continue
        try:
            return _edges(columns, layout, kinds)
        except (SupraError, BadFieldError, _StrangeError):
            return None
    return None


class _StrangeError(Exception):
    """Something that the other reader has to look at."""


def _is_plain(data: bytes, layout: Layout) -> bool:
    """Whether every field that pyarrow takes for an integer is written in the one plain way."""
    mark = (layout.delimiter or ",").encode()
    # Hexadecimal numbers, and -0.
    if any(data.find(found, layout.start) >= 0 for found in (b"x", b"X", mark + b"-", b" -", b"\n-")):
        return False
    begins = np.zeros(256, dtype=bool)
    begins[[ord(mark), 10, 32, 9]] = True
    for start in range(max(0, layout.start - 1), len(data), _PART):
        letters = np.frombuffer(data, np.uint8, min(_PART + 2, len(data) - start), start)
        zeros = np.flatnonzero(letters[1:-1] == 48)
        before, after = letters[zeros], letters[zeros + 2]
        if (begins[before] & (after - np.uint8(48) <= 9)).any():
            return False
    # The very first field of a file has nothing before it.
    return layout.start > 0 or not re.match(rb"-|0[0-9]", data)


def _attempts(layout: Layout, plain: bool) -> list[dict[str, str]]:
    """What kinds of columns to ask for, the likeliest first."""
    sample = {name: (layout.sample or [])[position] for name, position in layout.positions.items()}
    known = all(_INTEGER.fullmatch(sample[name]) for name in ("source", "target"))
    ids = ["integer"] if plain and known else []
    if layout.stated is None:
        ids.append("name")
    numbers = ["integer", "float"] if plain else []
    times = numbers if _FLOAT.fullmatch(sample["time"]) else []
    if layout.stated is not None:
        times = times[:1]
    elif not times:
        times = ["text"]
    weights = numbers if "weight" in sample else [""]
    if layout.stated is not None and layout.stated.weights == "float" and "weight" in sample:
        weights = ["float"] if plain else []
    # A column is asked for as floats only where it is not all integers.
    return [{"ids": i, "time": t, "weight": w} for i in ids for t in times for w in weights]


def _columns(pyarrow: Any, data: bytes, layout: Layout, kinds: dict[str, str]) -> dict[str, Any]:
    csv = pyarrow.csv
    types = {
        "integer": pyarrow.int64(),
        "float": pyarrow.float64(),
        "text": pyarrow.string(),
        "name": pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
    }
    names = [f"{position}" for position in range(layout.width)]
    asked = {
        f"{position}": types[kinds["ids" if name in ("source", "target") else name]]
        for name, position in layout.positions.items()
    }
    table = csv.read_csv(
        pyarrow.BufferReader(pyarrow.py_buffer(memoryview(data)[layout.start :])),
        read_options=csv.ReadOptions(column_names=names),
        parse_options=csv.ParseOptions(
            delimiter=layout.delimiter, quote_char=False, double_quote=False, ignore_empty_lines=True
        ),
        convert_options=csv.ConvertOptions(
            column_types=asked, include_columns=list(asked), null_values=[], strings_can_be_null=False
        ),
    )
    return {name: table.column(f"{position}") for name, position in layout.positions.items()}


def _edges(columns: dict[str, Any], layout: Layout, kinds: dict[str, str]) -> RawEdges:
    if any(column.null_count for column in columns.values()):
        raise _StrangeError
    # What is converted is let go at once, so that nothing is there twice.
    ends, labels = _ends([columns.pop("source"), columns.pop("target")], kinds["ids"], layout)
    weight = columns.pop("weight").to_numpy() if "weight" in columns else None
    if weight is not None:
        _check(np.isfinite(weight) & (weight >= 0))
    times = _times(columns.pop("time"), kinds["time"])
    if layout.stated is not None:
        count = layout.stated.num_snapshots or 2**62
        _check((times.values >= 0) & (times.values < count))
    return RawEdges(ends[0], ends[1], times, weight, labels, layout.stated)


def _ends(
    columns: list[Any], kind: str, layout: Layout
) -> tuple[list[NDArray[np.int64]], NDArray[Any] | None]:
    if kind == "integer":
        values = [columns.pop(0).to_numpy() for _ in range(len(columns))]
        if layout.stated is None:
            return ids_of(values)
        for column in values:
            _check((column >= 0) & (column < (layout.stated.num_nodes or 2**62)))
        return values, None
    table = NameTable()
    numbers = []
    for column in columns:
        parts = []
        for chunk in column.chunks:
            names = [name.strip(" \t") for name in chunk.dictionary.to_pylist()]
            if not all(names):
                raise _StrangeError
            parts.append(table.add_names(names)[chunk.indices.to_numpy()])
        numbers.append(np.concatenate(parts))
    return table.ids(numbers)


def _times(column: Any, kind: str) -> Times:
    if kind == "text":
        texts = [text.strip(" \t") for text in column.unique().to_pylist()]
        if not all(text.isascii() for text in texts):
            raise _StrangeError
        found, zone = parse_dates(np.array([text.encode() for text in texts], dtype=bytes))
        return Times(found[column.dictionary_encode().unify_dictionaries().combine_chunks().indices], zone)
    values = column.to_numpy()
    if kind == "float":
        # What a float cannot tell apart may have been written as two integers.
        _check(np.abs(values) < 2**53)
        return Times(whole_numbers(values))
    _check((values < LATEST) & (values > -LATEST))
    return Times(values)


def _check(right: NDArray[np.bool_]) -> None:
    if not right.all():
        raise _StrangeError
