"""Times of events, bins of them, and what the snapshots made of them are called."""

from supra_core.times.binning import EVERY, MAX_BINS, snapshots_of
from supra_core.times.reading import Times, times_of
from supra_core.times.snapshot_times import SnapshotTimes, as_array

__all__ = ["EVERY", "MAX_BINS", "SnapshotTimes", "Times", "as_array", "snapshots_of", "times_of"]
