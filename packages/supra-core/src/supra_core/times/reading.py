"""Times out of whatever holds them: numbers, dates, text, columns of pandas."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core import checks
from supra_core.errors import InvalidArgumentError, InvalidGraphError, shorten
from supra_core.times.iso_dates import PER_SECOND, BadFieldError, format_dates, parse_dates
from supra_core.times.zones import name_of, zone_of

LATEST = 2**63 - 1
"""Integer times stay below this, so that the end of the last bin is an integer, too."""

_ALLOWED = "a number, a datetime or an ISO date"


@dataclass(frozen=True, eq=False)
class Times:
    """A column of times.

    Attributes:
        values: int64, float64 or datetime64 in s, ms, us or ns, shape (m,); finite.
        zone: where ``values`` are instants in UTC, the zone whose clock and calendar count; else None.
    """

    values: NDArray[Any]
    zone: str | None = None

    @property
    def is_date(self) -> bool:
        """Whether these are dates and not numbers."""
        return self.values.dtype.kind == "M"

    def texts(self) -> list[Any]:
        """Plain values that :func:`times_of` reads back: numbers, or ISO dates with their offsets."""
        return format_dates(self.values, self.zone) if self.is_date else self.values.tolist()


def times_of(name: str, values: Any, *, unit: str | None = None, zone: str | None = None) -> Times:
    """Times out of whatever holds them.

    Args:
        name: what to call them in complaints.
        values: numbers, datetime64, datetimes, ISO dates or a pandas column of these, shape (m,).
        unit: numbers are Unix times in ``"s"``, ``"ms"``, ``"us"`` or ``"ns"``.
        zone: dates without a zone of their own are instants in UTC, and this is the zone that counts.

    Raises:
        InvalidGraphError: what is no time; the message names the first one.
        InvalidArgumentError: a unit or zone that does not exist.

    Example:
        >>> times_of("time", [1_714_550_400], unit="s").texts()
        ['2024-05-01T08:00:00Z']
    """
    times = _read(name, values)
    if unit is not None:
        if unit not in PER_SECOND:
            raise InvalidArgumentError.of("unit", unit, "one of 's', 'ms', 'us', 'ns'")
        times = _unix(name, times, unit)
    if zone is not None:
        zone_of(zone)
        if not times.is_date:
            raise InvalidArgumentError.of("time_zone", zone, f"left out where {name} has numbers")
        times = replace(times, zone=zone)
    return times


def _read(name: str, values: Any) -> Times:
    zone = getattr(getattr(values, "dtype", None), "tz", None)
    if zone is not None:  # a pandas column; NumPy has no zones
        kind = f"datetime64[{getattr(values.dtype, 'unit', 'ns')}]"
        return _numbers_or_dates(name, values.to_numpy(dtype=kind), name_of(zone))
    array = checks.check_array(name, values)
    if array.ndim != 1:
        raise InvalidGraphError.of(name, values, f"a one-dimensional array, each entry {_ALLOWED}")
    if array.dtype.kind not in "OUST":
        return _numbers_or_dates(name, array, None)
    texts = []
    for index, value in enumerate(array.tolist()):
        if isinstance(value, (datetime, date)) and value == value:  # pandas' NaT is not equal to itself
            value, zone = value.isoformat(), getattr(value, "tzinfo", None)
        if isinstance(value, bytes):
            value = value.decode("latin-1")
        if not isinstance(value, str) or not value.isascii():
            return _mixed(name, array, index)
        texts.append(value.encode())
    try:
        found, offset = parse_dates(np.array(texts, dtype=bytes))
    except BadFieldError as error:
        raise InvalidGraphError.of(f"{name}[{error.index}]", array[error.index], error.allowed) from None
    # Datetimes of one named zone have different offsets in summer and winter, and still one zone.
    named = None if zone is None or offset is None else name_of(zone)
    return Times(found, named or offset)


def _mixed(name: str, array: NDArray[Any], index: int) -> Times:
    """Objects that are numbers after all, such as a pandas column of Python integers."""
    try:
        numbers = np.asarray(array.tolist())
    except (ValueError, OverflowError):
        numbers = array
    if index == 0 and numbers.ndim == 1 and numbers.dtype.kind in "iufM":
        return _numbers_or_dates(name, numbers, None)
    raise InvalidGraphError.of(f"{name}[{index}]", array[index], _ALLOWED)


def _numbers_or_dates(name: str, array: NDArray[Any], zone: str | None) -> Times:
    if array.size == 0 and array.dtype.kind != "M":
        return Times(np.zeros(0, dtype=np.int64 if array.dtype.kind != "f" else np.float64), zone)
    if array.dtype.kind == "f":
        # There is a float after the last one, so that the last bin can end.
        refuse_first(name, array, ~np.isfinite(np.nextafter(np.abs(array), np.inf)), "finite")
        return Times(array.astype(np.float64))
    if array.dtype.kind in "iu":
        refuse_first(name, array, (array >= LATEST) | (array <= -LATEST), "below 2**63 - 1 in size")
        return Times(array.astype(np.int64))
    if array.dtype.kind != "M":
        raise InvalidGraphError.of(name, array, f"an array of times, its dtype is {array.dtype}")
    refuse_first(name, array, np.isnat(array), _ALLOWED)
    unit = np.datetime_data(array.dtype)[0]
    kind = f"datetime64[{unit if unit in PER_SECOND else 'ns' if unit in ('ps', 'fs', 'as') else 's'}]"
    exact = array.astype(kind)
    refuse_first(
        name, array, (exact != array) | (exact.astype(np.int64) == LATEST), f"a whole number of {kind}"
    )
    return Times(exact, zone)


def _unix(name: str, times: Times, unit: str) -> Times:
    if times.is_date:
        raise InvalidArgumentError.of("unit", unit, f"left out where {name} has dates")
    values = times.values
    if values.dtype.kind == "f":
        whole = np.floor(values)
        refuse_first(name, values, (whole != values) | (np.abs(values) >= 2**62), f"a whole number of {unit}")
        values = whole.astype(np.int64)
    return Times(values.view(f"datetime64[{unit}]"), "UTC")


def refuse_first(name: str, array: NDArray[Any], wrong: NDArray[np.bool_], allowed: str) -> None:
    """Raise InvalidGraphError for the first entry that is wrong, if there is one."""
    if wrong.any():
        index = int(np.argmax(wrong))
        raise InvalidGraphError(f"{name}[{index}]={_text(array[index])}: must be {allowed}")


def _text(value: Any) -> str:
    return str(value) if isinstance(value, np.datetime64) else shorten(value)
