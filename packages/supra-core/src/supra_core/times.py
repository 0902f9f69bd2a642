"""Times of events, and what the snapshots made of them are called."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supra_core import checks
from supra_core.errors import InvalidArgumentError, InvalidGraphError, shorten
from supra_core.iso_dates import PER_SECOND, BadFieldError, format_dates, parse_dates
from supra_core.zones import name_of, to_utc, zone_of

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
        _refuse(name, array, ~np.isfinite(np.nextafter(np.abs(array), np.inf)), "finite")
        return Times(array.astype(np.float64))
    if array.dtype.kind in "iu":
        _refuse(name, array, (array >= LATEST) | (array <= -LATEST), "below 2**63 - 1 in size")
        return Times(array.astype(np.int64))
    if array.dtype.kind != "M":
        raise InvalidGraphError.of(name, array, f"an array of times, its dtype is {array.dtype}")
    _refuse(name, array, np.isnat(array), _ALLOWED)
    unit = np.datetime_data(array.dtype)[0]
    kind = f"datetime64[{unit if unit in PER_SECOND else 'ns' if unit in ('ps', 'fs', 'as') else 's'}]"
    exact = array.astype(kind)
    _refuse(name, array, (exact != array) | (exact.astype(np.int64) == LATEST), f"a whole number of {kind}")
    return Times(exact, zone)


def _unix(name: str, times: Times, unit: str) -> Times:
    if times.is_date:
        raise InvalidArgumentError.of("unit", unit, f"left out where {name} has dates")
    values = times.values
    if values.dtype.kind == "f":
        whole = np.floor(values)
        _refuse(name, values, (whole != values) | (np.abs(values) >= 2**62), f"a whole number of {unit}")
        values = whole.astype(np.int64)
    return Times(values.view(f"datetime64[{unit}]"), "UTC")


def _refuse(name: str, array: NDArray[Any], wrong: NDArray[np.bool_], allowed: str) -> None:
    if wrong.any():
        index = int(np.argmax(wrong))
        raise InvalidGraphError(f"{name}[{index}]={_text(array[index])}: must be {allowed}")


def _text(value: Any) -> str:
    return str(value) if isinstance(value, np.datetime64) else shorten(value)


@dataclass(frozen=True, eq=False)
class SnapshotTimes(Times):
    """What the snapshots of a graph are called.

    Attributes:
        values: one time a snapshot, ascending; or, where ``binned``, the ends of the bins, one more: snapshot
            t holds what is at or after ``values[t]`` and before ``values[t + 1]``.
        zone: as in :class:`Times`.
        binned: whether these are bins.
    """

    binned: bool = False

    @classmethod
    def of(cls, times: Times, num_snapshots: int) -> "SnapshotTimes | None":
        """Check and wrap times; None for 0, 1, 2, …, which say no more than the index does.

        Raises:
            InvalidGraphError: not as many as there are snapshots, or bins and one; or out of order.
        """
        # A time of −0 is 0: adding 0 makes it so.
        values = times.values + 0.0 if times.values.dtype.kind == "f" else times.values
        binned = len(values) == num_snapshots + 1
        if not binned and len(values) != num_snapshots:
            allowed = f"{num_snapshots} times, or {num_snapshots + 1} ends of bins"
            raise InvalidGraphError.of("len(snapshot_times)", len(values), allowed)
        # Bins between two neighbouring integers may be empty; two snapshots cannot have one time.
        wrong = values[1:] < values[:-1] if binned else values[1:] <= values[:-1]
        _refuse("snapshot_times", values[1:], wrong, "later than the one before")
        if not binned and values.dtype.kind == "i" and values[0] == 0 and values[-1] == len(values) - 1:
            return None
        values = values.copy()
        return cls(values, times.zone, binned)

    def part(self, start: int, stop: int) -> "SnapshotTimes | None":
        """The times of snapshots ``start`` … ``stop - 1``."""
        values = self.values[start : stop + self.binned]
        return SnapshotTimes.of(Times(values, self.zone), stop - start)

    def find(self, timestamp: Any) -> NDArray[np.int64]:
        """The snapshot of each timestamp, shape of ``timestamp``.

        Raises:
            InvalidArgumentError: a time that belongs to no snapshot; the message says what is near.
        """
        sought = self._sought(timestamp)
        found = np.searchsorted(self.values, sought, side="right") - 1
        if self.binned:
            wrong = (found < 0) | (found >= len(self.values) - 1)
        else:
            wrong = (found < 0) | (self.values[np.maximum(found, 0)] != sought)
        if wrong.any():
            index = int(np.argmax(wrong))
            texts = replace(self, values=self.values[[0, -1]]).texts()
            if self.binned:
                allowed = f"at or after {texts[0]} and before {texts[1]}"
            else:
                near = replace(self, values=self.values[[max(0, int(found[index]))]]).texts()[0]
                allowed = f"one of the snapshots' own times, {texts[0]} … {texts[1]}; the nearest is {near}"
            text = Times(sought[[index]], self.zone).texts()[0]
            raise InvalidArgumentError(f"timestamp={text}: must be {allowed}")
        return np.asarray(found, dtype=np.int64)

    def _sought(self, timestamp: Any) -> NDArray[Any]:
        try:
            times = times_of("timestamp", timestamp)
        except InvalidGraphError as error:
            raise InvalidArgumentError(str(error)) from None
        values = times.values
        if times.is_date != self.is_date:
            allowed = "a date" if self.is_date else "a number"
            raise InvalidArgumentError.of("timestamp", timestamp, f"{allowed}, as the snapshots' times are")
        if not times.is_date or times.zone == self.zone:
            return values
        if self.zone is None:
            raise InvalidArgumentError.of("timestamp", timestamp, "without a time zone, as the snapshots'")
        if times.zone is not None:
            return values
        # Without a zone of its own it is what the clock of the graph's zone shows.
        per_second = PER_SECOND[np.datetime_data(values.dtype)[0]]
        counts = values.astype(np.int64)
        seconds = to_utc(counts // per_second, zone_of(self.zone))
        return (seconds * per_second + counts % per_second).view(values.dtype)

    def same_as(self, other: "SnapshotTimes | None") -> bool:
        """Whether both say the same."""
        return (
            other is not None
            and (self.binned, self.zone, self.values.dtype.kind)
            == (other.binned, other.zone, other.values.dtype.kind)
            and bool(np.array_equal(self.values, other.values))
        )


def as_array(timestamp: ArrayLike) -> tuple[Any, bool]:
    """A timestamp as a sequence of one, or the sequence that it is; and whether it is one alone."""
    alone = isinstance(timestamp, (str, bytes, datetime, date)) or np.ndim(timestamp) == 0
    return ([timestamp] if alone else timestamp), alone
