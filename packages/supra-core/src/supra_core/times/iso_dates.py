"""ISO dates, exactly: ``2024-05-01``, ``2024-05-01T08:30``, ``2024-05-01 08:30:00.25+02:00``."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core.times.zones import offset_at, offset_name, zone_of

# In a shape every digit is a 0, so that a column of dates written alike has one shape.
_SHAPE = re.compile(
    rb"(?P<date>0000-00(-00)?)"
    rb"(?:[T ](?P<hour>00):(?P<minute>00)(?::(?P<second>00)(?:[.,](?P<fraction>0{1,9}))?)?)?"
    rb" ?(?P<zone>[Zz]|[+-]00(?::?00(?::00)?)?)?"
)
_UNITS = ((0, "s"), (3, "ms"), (6, "us"), (9, "ns"))
_LONGEST = 40
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
ALLOWED = "an ISO date such as 2024-05-01 or 2024-05-01T08:30:00+02:00"


class BadFieldError(Exception):
    """One entry of a column is not what it must be; the caller knows what to call its place."""

    def __init__(self, index: int, allowed: str) -> None:
        super().__init__(allowed)
        self.index, self.allowed = index, allowed


def parse_dates(fields: NDArray[np.bytes_]) -> tuple[NDArray[Any], str | None]:
    """Dates out of ASCII text.

    Args:
        fields: shape (m,), each an ISO date, all with a zone or all without.

    Returns:
        instants: datetime64 in the coarsest of s, ms, us, ns that holds all digits; UTC if there is a zone.
        zone: ``UTC``, ``±hh:mm``, or None. Where offsets differ it is ``UTC``.

    Raises:
        BadFieldError: the first entry that is no date.

    Example:
        >>> parse_dates(np.array([b"2024-05-01T02:00+02:00", b"2024-06"]))
        Traceback (most recent call last):
            ...
        supra_core.times.iso_dates.BadFieldError: a date with a time zone, as the first one is
        >>> parse_dates(np.array([b"2024-05-01T02:00+02:00"]))
        (array(['2024-05-01T00:00:00'], dtype='datetime64[s]'), '+02:00')
    """
    fields = np.ascontiguousarray(fields)
    width = max(1, fields.dtype.itemsize)
    if width > _LONGEST:
        lengths = np.char.str_len(fields)
        if (lengths > _LONGEST).any():
            raise BadFieldError(int(np.argmax(lengths > _LONGEST)), ALLOWED)
        fields, width = fields.astype(f"S{_LONGEST}"), _LONGEST
    letters = fields.view(np.uint8).reshape(len(fields), width)
    is_digit = (letters >= 48) & (letters <= 57)
    shapes = np.where(is_digit, np.uint8(48), letters)
    seconds = np.zeros(len(fields), dtype=np.int64)
    nanoseconds, offsets = np.zeros_like(seconds), np.zeros_like(seconds)
    has_zone = np.zeros(len(fields), dtype=bool)
    num_digits = 0
    for shape, rows in _groups(shapes):
        found = _SHAPE.fullmatch(shape)
        if found is None:
            raise BadFieldError(int(rows[0]), ALLOWED)
        part = letters[rows]
        seconds[rows] = _instants(part, found, rows)
        if found["fraction"]:
            start, stop = found.span("fraction")
            nanoseconds[rows] = _number(part, start, stop) * 10 ** (9 - (stop - start))
            num_digits = max(num_digits, stop - start)
        if found["zone"]:
            has_zone[rows] = True
            offsets[rows] = _offsets(part, found, rows)
    if has_zone.any() and not has_zone.all():
        first = bool(has_zone[0])
        allowed = f"a date {'with a' if first else 'without'} time zone, as the first one is"
        raise BadFieldError(int(np.argmax(has_zone != first)), allowed)
    zone = None
    if has_zone.any():
        zone = offset_name(int(offsets[0])) if (offsets == offsets[0]).all() else "UTC"
    unit = next(unit for digits, unit in _UNITS if num_digits <= digits)
    return _instants_in(unit, seconds - offsets, nanoseconds), zone


def format_dates(instants: NDArray[Any], zone: str | None) -> list[str]:
    """Instants as text, in the zone's own clock with its offset; the way back from :func:`parse_dates`.

    Example:
        >>> format_dates(np.array(["2024-05-01T00:00"], dtype="datetime64[s]"), "Europe/Berlin")
        ['2024-05-01T02:00:00+02:00']
    """
    if zone is None:
        return [str(text) for text in np.datetime_as_string(instants)]
    clock, texts = zone_of(zone), []
    per_second = PER_SECOND[np.datetime_data(instants.dtype)[0]]
    for count in instants.astype(np.int64).tolist():
        offset = offset_at(count // per_second, clock)
        local = np.int64(count + offset * per_second).view(instants.dtype)
        name = offset_name(offset)
        texts.append(str(np.datetime_as_string(local)) + ("Z" if name == "UTC" else name))
    return texts


def _groups(shapes: NDArray[np.uint8]) -> list[tuple[bytes, NDArray[np.int64]]]:
    """The distinct shapes, and the rows of each, the first row's first."""
    if len(shapes) == 0:
        return []
    everything = np.arange(len(shapes))
    if (shapes == shapes[0]).all():
        return [(shapes[0].tobytes().rstrip(b"\0"), everything)]
    text = np.ascontiguousarray(shapes).view(f"S{shapes.shape[1]}").ravel()
    distinct, first, inverse = np.unique(text, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return [(bytes(distinct[group]), np.flatnonzero(inverse == group)) for group in order]


def _number(letters: NDArray[np.uint8], start: int, stop: int) -> NDArray[np.int64]:
    value = np.zeros(len(letters), dtype=np.int64)
    for position in range(start, stop):
        value = value * 10 + (letters[:, position] - np.uint8(48))
    return value


def _instants(letters: NDArray[np.uint8], found: re.Match[bytes], rows: NDArray[np.int64]) -> Any:
    """Seconds since 1970 by the clock, whatever its zone."""
    year, month = _number(letters, 0, 4), _number(letters, 5, 7)
    day = _number(letters, 8, 10) if len(found["date"]) == 10 else np.ones_like(year)
    _refuse(rows, (month < 1) | (month > 12))
    # Months count from 1970-01; the datetime64 of NumPy is the proleptic Gregorian calendar, as in ISO 8601.
    months = ((year - 1970) * 12 + month - 1).view("datetime64[M]")
    first = months.astype("datetime64[D]").astype(np.int64)
    length = (months + 1).astype("datetime64[D]").astype(np.int64) - first
    _refuse(rows, (day < 1) | (day > length))
    seconds = (first + day - 1) * 86400
    for name, size, limit in (("hour", 3600, 24), ("minute", 60, 60), ("second", 1, 60)):
        if found[name]:
            part = _number(letters, *found.span(name))
            _refuse(rows, part >= limit)
            seconds += size * part
    return seconds


def _offsets(letters: NDArray[np.uint8], found: re.Match[bytes], rows: NDArray[np.int64]) -> Any:
    start, stop = found.span("zone")
    if found["zone"] in (b"Z", b"z"):
        return 0
    hours = _number(letters, start + 1, start + 3)
    seconds = np.zeros_like(hours)
    if stop - start > 6:  # local mean time, as clocks showed it before there were zones
        stop -= 3
        seconds = _number(letters, stop + 1, stop + 3)
    minutes = _number(letters, stop - 2, stop) if stop - start > 3 else np.zeros_like(hours)
    _refuse(rows, (hours > 23) | (minutes > 59) | (seconds > 59))
    return (-1 if found["zone"][:1] == b"-" else 1) * (3600 * hours + 60 * minutes + seconds)


def _refuse(rows: NDArray[np.int64], wrong: NDArray[np.bool_]) -> None:
    if wrong.any():
        raise BadFieldError(int(rows[np.argmax(wrong)]), f"{ALLOWED}, and a day of the calendar")


def _instants_in(unit: str, seconds: NDArray[np.int64], nanoseconds: NDArray[np.int64]) -> NDArray[Any]:
    per_second = PER_SECOND[unit]
    beyond = np.abs(seconds) >= (2**63 - 1) // per_second - 1
    if beyond.any():
        raise BadFieldError(int(np.argmax(beyond)), "in the years 1678 to 2261 where there are nanoseconds")
    counts = seconds * per_second + nanoseconds // (10**9 // per_second)
    return counts.view(f"datetime64[{unit}]")
