"""From times to snapshots: one for each distinct time, or bins that are counted exactly."""

from datetime import timedelta
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core import checks
from supra_core.errors import InvalidArgumentError
from supra_core.times.iso_dates import PER_SECOND
from supra_core.times.reading import LATEST, Times
from supra_core.times.snapshot_times import SnapshotTimes
from supra_core.times.zones import offset_at, to_utc, zone_of

EVERY = ("hour", "day", "week", "month", "quarter", "year")

MAX_BINS = 10_000_000
"""More bins than this are a width in the wrong unit."""

_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_SECONDS: dict[Any, Fraction] = {
    "W": Fraction(604800), "D": Fraction(86400), "h": Fraction(3600), "m": Fraction(60), "s": Fraction(1),
    "ms": Fraction(1, 10**3), "us": Fraction(1, 10**6), "ns": Fraction(1, 10**9), "ps": Fraction(1, 10**12),
    "fs": Fraction(1, 10**15), "as": Fraction(1, 10**18),
}  # fmt: skip


def snapshots_of(
    times: Times, *, num_snapshots: int | None = None, width: Any = None, every: str | None = None
) -> tuple[NDArray[np.int64], SnapshotTimes | None, int]:
    """The snapshot of each event, what the snapshots are called, and how many there are.

    Bins are found by comparing times with the bins' ends, which are kept: nothing is divided or rounded for
    an event, and :meth:`SnapshotTimes.find` gives the same answer.

    Args:
        times: when each event was, shape (m,), m >= 1.
        num_snapshots: that many bins of equal width from the first event to the last.
        width: the width of a bin, counted from the first event; for dates a timedelta.
        every: a step of the calendar, for dates: one of ``EVERY``; weeks begin on Monday. In the clock of
            the times' zone if they have one.

    Raises:
        InvalidArgumentError: more than one of the three, or one that these times do not allow.

    Example:
        >>> dates = Times(np.array(["2024-01-31", "2024-03-01"], dtype="datetime64[s]"))
        >>> index, names, count = snapshots_of(dates, every="month")
        >>> index.tolist(), names.values.astype("datetime64[D]").tolist()[-1].isoformat(), count
        ([0, 2], '2024-04-01', 3)
    """
    given = {"num_snapshots": num_snapshots, "width": width, "every": every}
    if sum(value is not None for value in given.values()) > 1:
        raise InvalidArgumentError(f"{_said(given)}: must be at most one of the three")
    if num_snapshots is None and width is None and every is None:
        return _distinct(times)
    if every is not None:
        # All ends are whole seconds, so that nothing is lost by looking at whole seconds alone.
        times, ends = _calendar(times, checks.check_choice("every", every, EVERY))
    elif num_snapshots is not None:
        ends = _equal_bins(times, checks.check_count("num_snapshots", num_snapshots))
    else:
        ends = _wide_bins(times, width)
    count = len(ends) - 1
    index = np.searchsorted(ends, times.values, side="right") - 1
    return index.astype(np.int64), SnapshotTimes.of(Times(ends, times.zone), count), count


def _said(given: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)


def _distinct(times: Times) -> tuple[NDArray[np.int64], SnapshotTimes | None, int]:
    values = times.values
    if len(values) > 1 and (values[1:] >= values[:-1]).all():  # as files often are: no need to sort
        first = np.concatenate([[True], values[1:] != values[:-1]])
        distinct, index = values[first], np.cumsum(first) - 1
    else:
        distinct, index = np.unique(values, return_inverse=True)
    return index.astype(np.int64), SnapshotTimes.of(Times(distinct, times.zone), len(distinct)), len(distinct)


def _equal_bins(times: Times, count: int) -> NDArray[Any]:
    values = times.values
    start, stop = values.min(), values.max()
    if count > MAX_BINS:
        raise InvalidArgumentError.of("num_snapshots", count, f"at most {MAX_BINS}")
    steps = np.arange(count + 1)
    ends: NDArray[Any]
    if values.dtype.kind == "f":
        span = float(stop) - float(start)
        # i·span/count and not i·(span/count): where the true end is a whole number, this one is, too.
        ends = float(start) + steps * span / count if np.isfinite(span * count) else _far(start, stop, count)
        ends[1:] = np.maximum(np.maximum.accumulate(ends[1:]), np.nextafter(start, np.inf))
        ends[-1 if span else slice(1, None)] = np.nextafter(stop, np.inf)
        return ends
    first, last = int(start.astype(np.int64)), int(stop.astype(np.int64))
    # Bin i begins with the first integer that is not below first + i·span/count.
    ends = _ceilings(steps, last - first, count, first)
    ends[-1 if last > first else slice(1, None)] = last + 1
    return ends.view(values.dtype)


def _far(start: float, stop: float, count: int) -> NDArray[np.float64]:
    """The same where the span is beyond a float."""
    low, span = Fraction(float(start)), Fraction(float(stop)) - Fraction(float(start))
    return np.array([float(low + span * i / count) for i in range(count + 1)])


def _ceilings(steps: NDArray[np.int64], numerator: int, denominator: int, first: int) -> NDArray[np.int64]:
    """first + ⌈steps · numerator / denominator⌉, in integers of any size."""
    if (len(steps) + 1) * numerator + denominator < 2**63:
        return first - (-steps * numerator) // denominator
    return np.array([first - (-i * numerator) // denominator for i in steps.tolist()], dtype=np.int64)


def _wide_bins(times: Times, width: Any) -> NDArray[Any]:
    values, size = times.values, _width(times, width)
    start, stop = values.min(), values.max()
    if values.dtype.kind == "f":
        count = _count((Fraction(float(stop)) - Fraction(float(start))) / size, width)
        with np.errstate(over="ignore"):
            ends = float(start) + np.arange(count + 2) * float(size)
        ends[1:] = np.clip(ends[1:], np.nextafter(start, np.inf), np.finfo(np.float64).max)
        # Rounding may have put an end at or below the last event, or one too many above it.
        last = int(np.searchsorted(ends, stop, side="right"))
        if last == len(ends):
            return np.append(ends, np.nextafter(stop, np.inf))
        return ends[: last + 1]
    first, last = int(start.astype(np.int64)), int(stop.astype(np.int64))
    count = _count((last - first) / size, width)
    ratio = Fraction(size)
    steps = np.arange(count + 1)
    beyond = min(first - (-count * ratio.numerator) // ratio.denominator, LATEST)
    ends = np.append(_ceilings(steps[:-1], ratio.numerator, ratio.denominator, first), beyond)
    return ends.view(values.dtype)


def _width(times: Times, width: Any) -> Fraction:
    """The width as a number of the times' own units."""
    if not times.is_date:
        return Fraction(checks.check_nonnegative("width", width, positive=True))
    allowed = "a timedelta > 0 where times are dates, such as datetime.timedelta(days=1)"
    if hasattr(width, "to_timedelta64"):  # pandas' own
        width = width.to_timedelta64()
    per_second = PER_SECOND[np.datetime_data(times.values.dtype)[0]]
    if isinstance(width, np.timedelta64) and not np.isnat(width):
        unit = np.datetime_data(width.dtype)[0]
        if unit in _SECONDS:
            size = Fraction(int(width.astype(np.int64))) * np.datetime_data(width.dtype)[1]
            if size > 0:
                return size * _SECONDS[unit] * per_second
    elif isinstance(width, timedelta) and width > timedelta(0):
        return Fraction(round(width / timedelta(microseconds=1)), 10**6) * per_second
    raise InvalidArgumentError.of("width", width, allowed)


def _count(widths: Fraction, width: Any) -> int:
    count = int(widths // 1) + 1
    if count > MAX_BINS:
        raise InvalidArgumentError.of("width", width, f"wide enough: it makes {count} bins, over {MAX_BINS}")
    return count


# ── the calendar ───────────────────────────────────────────────────────────────────────────────────────────


def _calendar(times: Times, every: str) -> tuple[Times, NDArray[Any]]:
    """The times in whole seconds, and the ends of the bins."""
    if not times.is_date:
        allowed = "left out where times are numbers, unless unit says that they are Unix times"
        raise InvalidArgumentError.of("every", every, allowed)
    unit = np.datetime_data(times.values.dtype)[0]
    seconds = times.values.astype(np.int64) // PER_SECOND[unit]
    zone = None if times.zone is None else zone_of(times.zone)
    first, last = int(seconds.min()), int(seconds.max())
    local = (first, last) if zone is None else (first + offset_at(first, zone), last + offset_at(last, zone))
    if every == "hour":
        # Counted in seconds that pass from the first event's hour, not by the clock, which may be set.
        start = local[0] // 3600 * 3600 - (local[0] - first)
        ends = start + 3600 * np.arange(_bins(every, (last - start) // 3600) + 1)
    else:
        ends = _days(every, *local)
        if zone is not None:
            ends = to_utc(ends, zone)
    return Times(seconds.view("datetime64[s]"), times.zone), ends.view("datetime64[s]")


def _days(every: str, first: int, last: int) -> NDArray[np.int64]:
    """The local midnights at which bins begin, in seconds, and the one after the last."""
    days = np.array([first // 86400, last // 86400])
    if every in ("day", "week"):
        size = 7 if every == "week" else 1
        # 1970-01-01 was a Thursday, three days after a Monday.
        start, stop = (days + 3) // size * size - 3 if every == "week" else days
        begins: NDArray[np.int64] = start + size * np.arange(_bins(every, (stop - start) // size) + 1)
        return begins * 86400
    size = _MONTHS[every]
    start, stop = days.view("datetime64[D]").astype("datetime64[M]").astype(np.int64) // size
    months = (start + np.arange(_bins(every, stop - start) + 1)) * size
    seconds: NDArray[np.int64] = months.view("datetime64[M]").astype("datetime64[s]").astype(np.int64)
    return seconds


def _bins(every: str, distance: Any) -> int:
    if distance >= MAX_BINS:
        count = int(distance) + 1
        raise InvalidArgumentError.of("every", every, f"coarser: it makes {count} bins, over {MAX_BINS}")
    return int(distance) + 1
