"""What the snapshots of a graph are called, and which of them a time belongs to."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supra_core.errors import InvalidArgumentError, InvalidGraphError
from supra_core.times.iso_dates import PER_SECOND
from supra_core.times.reading import Times, refuse_first, times_of
from supra_core.times.zones import to_utc, zone_of


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
        refuse_first("snapshot_times", values[1:], wrong, "later than the one before")
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
