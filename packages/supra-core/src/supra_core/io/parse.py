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
    first = letters.take(starts, mode="clip")
    negative = np.flatnonzero((first == 45) & (stops > starts))
    if negative.size:
        starts = starts.copy()
        starts[negative] += 1
        first = letters.take(starts, mode="clip")
    lengths = stops - starts
    longest = int(lengths.max())
    fits = None
    if longest > _DIGITS or int(lengths.min()) < 1:
        fits = (lengths > 0) & (lengths <= _DIGITS)
        lengths = np.where(fits, lengths, 0)
        longest = int(lengths.max())
    if longest <= 16 and len(letters) >= 8:
        values, right = _by_words(letters, stops, lengths, longest)
        early = slice(0, int(np.searchsorted(stops, 16)))  # there is no whole word in front of these
        values[early], right[early] = _one_by_one(letters, starts[early], lengths[early], longest)
    else:
        values, right = _one_by_one(letters, starts, lengths, longest)
    if fits is not None:
        right &= fits
    if plain:
        zeros = np.flatnonzero(first == 48)
        right[zeros] &= lengths[zeros] == 1
        right[negative] &= first[negative] != 48
    if longest == _DIGITS:
        largest = np.full(len(values), 2**63 - 1, dtype=np.uint64)
        largest[negative] += np.uint64(1)
        right &= values <= largest
    signed = values.view(np.int64)
    signed[negative] *= -1  # 2**63 is -2**63 already, and stays it
    return signed, right


def _by_words(
    letters: NDArray[np.uint8], stops: NDArray[np.int64], lengths: NDArray[np.int64], longest: int
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """Numbers of at most 16 digits, eight digits at a time."""
    # Every eight letters as one integer, its highest byte the last letter; these overlap, nothing is copied.
    words = np.ndarray((len(letters) - 7,), "<u8", buffer=letters.data, strides=(1,))
    if longest <= 8:
        return _eight(words, stops, lengths)
    values, right = _eight(words, stops, np.minimum(lengths, 8))
    above, fine = _eight(words, stops - 8, np.maximum(lengths - 8, 0))
    values += above * np.uint64(10**8)
    right &= fine
    return values, right


_KEPT = np.array([0, *(2**64 - 2 ** (64 - 8 * length) for length in range(1, 9))], dtype=np.uint64)
"""The bytes of a word that are digits of a number so many digits long."""


def _eight(
    words: NDArray[np.uint64], stops: NDArray[np.int64], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """The numbers that end at ``stops``, of at most eight digits each; and which are digits all through."""
    word = words[np.maximum(stops - 8, 0)].astype(np.uint64, copy=False)
    word ^= np.uint64(0x3030303030303030)
    word &= _KEPT[lengths]  # each byte a digit, 0 in front of the number
    wrong = word + np.uint64(0x0606060606060606)
    wrong |= word
    wrong &= np.uint64(0xF0F0F0F0F0F0F0F0)
    # Neighbours are joined: digits to pairs, pairs to fours, fours to the number.
    for factor, shift, mask in (
        (10 * 2**8 + 1, 8, 0x00FF00FF00FF00FF),
        (100 * 2**16 + 1, 16, 0x0000FFFF0000FFFF),
        (10_000 * 2**32 + 1, 32, 0x00000000FFFFFFFF),
    ):
        word *= np.uint64(factor)
        word >>= np.uint64(shift)
        word &= np.uint64(mask)
    return word, wrong == 0


def _one_by_one(
    letters: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64], longest: int
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """Numbers of up to 19 digits, one digit at a time."""
    right = np.ones(len(starts), dtype=bool)
    values = np.zeros(len(starts), dtype=np.uint64)
    for position in range(longest):
        digits = letters.take(starts + position, mode="clip") - np.uint8(48)
        used = position < lengths
        right &= (digits <= 9) | ~used
        values = np.where(used, values * np.uint64(10) + digits, values)
    return values, right


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
    if fields.escaped is not None and fields.escaped.any():
        values, right = np.full(len(fields), np.nan), np.zeros(len(fields), dtype=bool)
    else:
        values, right = _decimals(fields.letters, fields.starts, fields.stops)
    rest = np.flatnonzero(~right)  # long ones, and those with an exponent
    escaped = None if fields.escaped is None else fields.escaped[rest]
    values[rest] = _by_python(Fields(fields.letters, fields.starts[rest], fields.stops[rest], escaped))
    return values, np.isfinite(values)


def _by_python(fields: Fields) -> NDArray[np.float64]:
    """Any decimal numbers, one by one; NaN for what is none."""
    values = np.full(len(fields), np.nan)
    plain = fields.escaped is None or not fields.escaped.any()
    if plain and int((fields.stops - fields.starts).max(initial=0)) <= _WIDEST:
        texts_of = fields.matrix()
        allowed = np.zeros(256, dtype=bool)
        allowed[[*_IN_FLOATS, 0]] = True
        if allowed[texts_of.view(np.uint8)].all():
            try:
                return np.fromiter(map(float, texts_of.tolist()), np.float64, len(texts_of))
            except ValueError:
                pass  # find out which below
    for index in range(len(fields)):
        text = fields.text(index)
        if text and _IN_FLOATS.issuperset(text):
            try:
                values[index] = float(text)
            except ValueError:
                continue
    return values


def _decimals(
    letters: NDArray[np.uint8], starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Numbers such as ``-12.25``, with few enough digits to be right at once.

    Without its point the number is an integer below 2**53, and the power of ten is below 10**23: both are
    floats without any rounding, and the division of two floats is rounded rightly.
    """
    negative = (letters.take(starts, mode="clip") == 45) & (stops > starts)
    starts = starts + negative
    lengths = stops - starts
    right = (lengths > 0) & (lengths <= _DIGITS)
    digits = np.zeros(len(starts), dtype=np.int64)
    places, point = np.zeros(len(starts), dtype=np.int64), np.zeros(len(starts), dtype=bool)
    for position in range(int(lengths.max(initial=0, where=right))):
        letter = letters.take(starts + position, mode="clip")
        used = position < lengths
        is_point = used & (letter == 46)
        is_digit = used & (letter - np.uint8(48) <= 9)
        right &= is_digit | (is_point & ~point) | ~used
        digits = np.where(is_digit, digits * 10 + (letter - np.uint8(48)), digits)
        places += is_digit & point
        point |= is_point
    right &= (digits >= 0) & (digits < 2**53) & (lengths > point)  # beyond 2**63 they have wrapped around
    values = np.where(right, digits, np.nan) / 10.0 ** np.minimum(places, 22)
    return np.where(negative, -values, values), right


def texts(fields: Fields) -> NDArray[np.bytes_]:
    """The fields as bytes strings; those that are too long for a date are cut where that shows."""
    stops = np.minimum(fields.stops, fields.starts + _WIDEST)
    return Fields(fields.letters, fields.starts, stops).matrix()
