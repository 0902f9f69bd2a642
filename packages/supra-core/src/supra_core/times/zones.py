"""Time zones by name or offset, and instants between them."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from supra_core.errors import InvalidArgumentError

_EPOCH = datetime(1970, 1, 1)


def zone_of(name: str) -> tzinfo:
    """The zone called ``UTC``, ``+02:00`` or ``Europe/Berlin``.

    Raises:
        InvalidArgumentError: no such zone.

    Example:
        >>> zone_of("+02:00").utcoffset(None)
        datetime.timedelta(seconds=7200)
    """
    if name == "UTC":
        return UTC
    if found := re.fullmatch(r"([+-])(\d\d):([0-5]\d)(?::([0-5]\d))?", name):
        offset = timedelta(hours=int(found[2]), minutes=int(found[3]), seconds=int(found[4] or 0))
        if offset < timedelta(days=1):
            return timezone(-offset if found[1] == "-" else offset)
    else:
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass
    raise InvalidArgumentError.of("time_zone", name, "'UTC', an offset such as '+02:00', or a zone's name")


def name_of(zone: Any) -> str:
    """What a zone is called here; the way back from :func:`zone_of`.

    Example:
        >>> name_of(timezone(timedelta(hours=-3, minutes=-30))), name_of(ZoneInfo("Europe/Berlin"))
        ('-03:30', 'Europe/Berlin')
    """
    if key := getattr(zone, "key", None) or getattr(zone, "zone", None):
        return str(key)
    offset = zone.utcoffset(None)
    return str(zone) if offset is None else offset_name(round(offset.total_seconds()))


def offset_name(seconds: int) -> str:
    """``UTC`` for no offset, else ``±hh:mm``.

    Example:
        >>> offset_name(0), offset_name(-12600)
        ('UTC', '-03:30')
    """
    if seconds == 0:
        return "UTC"
    minutes, rest = divmod(abs(seconds), 60)
    text = f"{'-' if seconds < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"
    return f"{text}:{rest:02}" if rest else text


def offset_at(seconds: int, zone: tzinfo) -> int:
    """The zone's distance from UTC, in seconds, at an instant given in seconds since 1970 (UTC).

    Beyond the years of Python's calendar it is that of the nearest year in it.
    """
    seconds = min(max(seconds, -62_000_000_000), 253_000_000_000)
    offset = (_EPOCH.replace(tzinfo=UTC) + timedelta(seconds=seconds)).astimezone(zone).utcoffset()
    return 0 if offset is None else round(offset.total_seconds())


def to_utc(local: NDArray[np.int64], zone: tzinfo) -> NDArray[np.int64]:
    """Seconds of the local clock since 1970 as seconds in UTC.

    A time that the clock shows twice is its first; one that it skips is as far after the gap's beginning as
    it says, so that a skipped midnight is the instant at which the day begins.
    """
    instants = np.empty(len(local), dtype=np.int64)
    for position, seconds in enumerate(local.tolist()):
        clamped = min(max(seconds, -62_000_000_000), 253_000_000_000)
        offset = (_EPOCH + timedelta(seconds=clamped)).replace(tzinfo=zone).utcoffset()
        instants[position] = seconds - (0 if offset is None else round(offset.total_seconds()))
    return instants
