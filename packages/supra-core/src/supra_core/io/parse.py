"""Fields of text as integers, floats and dates; exact, or not at all."""

import numpy as np
from numpy.typing import NDArray

from supra_core.io.tokens import Fields

_WIDEST = 64
"""Longer fields are no numbers in any file that people have; they are looked at one by one."""

_DIGITS = 19
_IN_FLOATS = frozenset(b"0123456789+-.eE")


def integers(
    fields: Fields, *, plain: bool = False, fractions: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The fields that are whole numbers: ``12``, ``-3``, and ``12.0``, which is the same.

    Args:
        fields: what to read.
        plain: refuse leading zeros and ``-0``, for ``007`` and ``7`` are two names.
        fractions: take ``12.0``.

    Returns:
        values: shape (m,); what stands where a field is no integer means nothing.
        right: which fields are integers that fit into 64 bits.
    """
    if fields.escaped is not None and fields.escaped.any():
        return np.zeros(len(fields), dtype=np.int64), ~fields.escaped
    if len(fields) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)
    values, right = _digits(fields.letters, fields.starts, fields.stops, plain)
    if fractions and not right.all():
        wrong = np.flatnonzero(~right)
        starts = fields.starts[wrong]
        stops = _without_fraction(fields.letters, starts, fields.stops[wrong])
        values[wrong], right[wrong] = _digits(fields.letters, starts, stops, plain)
    return values, right


def _digits(
    letters: NDArray[np.uint8], starts: NDArray[np.int64], stops: NDArray[np.int64], plain: bool
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    negative = (letters.take(starts, mode="clip") == 45) & (stops > starts)
    starts = starts + negative
    lengths = stops - starts
    right = (lengths > 0) & (lengths <= _DIGITS)
    values = np.zeros(len(starts), dtype=np.uint64)
    longest = int(lengths.max(initial=0, where=right))
    shortest = int(lengths.min(initial=_DIGITS, where=right))
    for position in range(longest):
        digits = letters.take(starts + position, mode="clip") - np.uint8(48)
        if position < shortest:
            right &= digits <= 9
            values = values * np.uint64(10) + digits
        else:
            used = position < lengths
            right &= (digits <= 9) | ~used
            values = np.where(used, values * np.uint64(10) + digits, values)
    if plain:
        first = letters.take(starts, mode="clip")
        right &= (first != 48) | ((lengths == 1) & ~negative)
    right &= values <= np.where(negative, np.uint64(2**63), np.uint64(2**63 - 1))
    with np.errstate(over="ignore"):
        signed = values.view(np.int64)
        return np.where(negative, -signed, signed), right


def _without_fraction(
    letters: NDArray[np.uint8], starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The ends of fields without a fraction of zeros: ``12.0`` ends as ``12`` does."""
    ends = stops.copy()
    rest = np.arange(len(ends))
    while rest.size:
        rest = rest[(ends[rest] > starts[rest]) & (letters.take(ends[rest] - 1, mode="clip") == 48)]
        ends[rest] -= 1
    whole = (ends > starts) & (letters.take(ends - 1, mode="clip") == 46)
    return np.where(whole, ends - 1, stops)


def floats(fields: Fields) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The fields that are decimal numbers, each the nearest float.

    Returns:
        values: shape (m,); NaN where a field is no number.
        right: which fields are finite numbers.
    """
    lengths = fields.stops - fields.starts
    if not (fields.escaped is not None and fields.escaped.any()) and int(lengths.max(initial=0)) <= _WIDEST:
        text = fields.matrix()
        try:
            letters = text.view(np.uint8)
            allowed = np.zeros(256, dtype=bool)
            allowed[[*_IN_FLOATS, 0]] = True
            if allowed[letters].all():
                # float() rounds rightly, and is many times faster than NumPy's own way from bytes to floats.
                values = np.fromiter(map(float, text.tolist()), np.float64, len(text))
                return values, np.isfinite(values) & (lengths > 0)
        except ValueError:
            pass  # find out which below
    values = np.full(len(fields), np.nan)
    for index in range(len(fields)):
        text_of = fields.text(index)
        if text_of and _IN_FLOATS.issuperset(text_of):
            try:
                values[index] = float(text_of)
            except ValueError:
                continue
    return values, np.isfinite(values)


def texts(fields: Fields) -> NDArray[np.bytes_]:
    """The fields as bytes strings; those that are too long for a date are cut where that shows."""
    stops = np.minimum(fields.stops, fields.starts + _WIDEST)
    return Fields(fields.letters, fields.starts, stops).matrix()
