"""Events in bins: integers and dates exactly, calendars against Python's own."""

import datetime as dt
from fractions import Fraction
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import InvalidArgumentError, TemporalGraph

LARGE = st.integers(-(2**63) + 2, 2**63 - 2)
INTEGERS = st.one_of(st.integers(-1000, 1000), LARGE)


def bins_of(stamps, **binning):
    """The bin of each event, and the graph: event i is the edge (0, i + 1)."""
    count = len(stamps)
    graph = TemporalGraph.from_events(np.zeros(count, dtype=int), np.arange(1, count + 1), stamps, **binning)
    order = np.argsort(graph.target)
    return graph.time[order].tolist(), graph


@given(st.lists(INTEGERS, min_size=1, max_size=12), st.integers(1, 40))
def test_integers_are_counted_exactly_into_equal_bins(stamps, count):
    found, graph = bins_of(stamps, num_snapshots=count)
    low, span = min(stamps), max(stamps) - min(stamps)
    # In integers of any size: bin i holds s with i ≤ (s − low)·count/span < i + 1; the last is in the last.
    assert found == [min((s - low) * count // span, count - 1) if span else 0 for s in stamps]
    assert graph.num_snapshots == count
    assert [graph.snapshot_at(s) for s in stamps] == found


@pytest.mark.parametrize("count", range(1, 101))
@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_one_stamp_more_than_bins(count, kind):
    found, _ = bins_of(np.arange(count + 1, dtype=kind), num_snapshots=count)
    assert found == [*range(count), count - 1]


@given(st.lists(INTEGERS, min_size=1, max_size=12), st.integers(1, 2**62) | st.fractions(1, 10**6).map(float))
def test_integers_are_counted_exactly_into_wide_bins(stamps, width):
    low = min(stamps)
    expected = [(s - low) // Fraction(width) for s in stamps]
    if max(expected) >= 10_000:
        return
    found, graph = bins_of(stamps, width=width)
    assert found == expected
    assert graph.num_snapshots == max(expected) + 1
    assert graph.snapshot_at(np.array(stamps)).tolist() == found


def test_a_width_beyond_floats():
    assert bins_of([0, 10**18 - 1, 10**18], width=10**18)[0] == [0, 0, 1]


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.uint64])
def test_small_integer_types_do_not_overflow(kind):
    limits = np.iinfo(kind)
    stamps = np.array([limits.min, min(limits.max, 2**62)], dtype=kind)
    for binning in ({"num_snapshots": 2}, {"width": (int(stamps[1]) - int(stamps[0])) // 2 + 1}):
        assert bins_of(stamps, **binning)[0] == [0, 1]


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=12), st.integers(1, 20))
def test_floats_are_in_the_bins_whose_ends_are_kept(stamps, count):
    for binning in ({"num_snapshots": count}, {"width": max(1.0, (max(stamps) - min(stamps)) / count)}):
        found, graph = bins_of(stamps, **binning)
        ends = graph.snapshot_times
        assert len(ends) == graph.num_snapshots + 1
        assert ends[0] == min(stamps)
        for stamp, index in zip(stamps, found, strict=True):
            assert ends[index] <= stamp < ends[index + 1]
        assert graph.snapshot_at(stamps).tolist() == found
        width = binning.get("width", (max(stamps) - min(stamps)) / count)
        np.testing.assert_allclose(ends[:-1], min(stamps) + width * np.arange(graph.num_snapshots), atol=1e-6)


def test_floats_of_any_size():
    assert bins_of([-1.7e308, 1.7e308, 0.0], num_snapshots=2)[0] == [0, 1, 1]
    assert bins_of([-1.7e308, 1.7e308], width=1.7e308)[1].num_snapshots in (2, 3)
    assert bins_of([5e-324, 0.0], num_snapshots=3)[0] == [2, 0]
    assert bins_of([1.0, 1.0], width=1e-30)[0] == [0, 0]


# ── the calendar ───────────────────────────────────────────────────────────────────────────────────────────

ZONES = [None, "UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kolkata", "Pacific/Apia", "Asia/Beirut"]
MOMENTS = st.datetimes(dt.datetime(1985, 1, 1), dt.datetime(2035, 1, 1))


def period(local, every):
    """The number of the period that a local date is in, on a scale of its own."""
    if every == "week":
        return (local.date().toordinal() - 1) // 7  # 0001-01-01 was a Monday
    return {
        "day": local.date().toordinal(),
        "month": local.year * 12 + local.month,
        "quarter": local.year * 4 + (local.month - 1) // 3,
        "year": local.year,
    }[every]


@given(
    st.lists(MOMENTS, min_size=1, max_size=8),
    st.sampled_from(["day", "week", "month", "quarter", "year"]),
    st.data(),
)
def test_calendars(moments, every, data):
    zone = data.draw(st.sampled_from(ZONES))
    if zone is None:
        stamps, locals_ = np.array(moments, dtype="datetime64[us]"), moments
    else:
        stamps = [moment.replace(tzinfo=dt.UTC).astimezone(ZoneInfo(zone)) for moment in moments]
        locals_ = stamps
    found, graph = bins_of(stamps, every=every)
    numbers = [period(local, every) for local in locals_]
    assert found == [number - min(numbers) for number in numbers]
    assert graph.num_snapshots == max(numbers) - min(numbers) + 1
    assert graph.time_zone == zone
    assert graph.snapshot_at(stamps).tolist() == found


@given(st.lists(MOMENTS, min_size=1, max_size=6).filter(lambda m: max(m) - min(m) < dt.timedelta(days=900)))
def test_hours(moments):
    found, graph = bins_of([moment.replace(tzinfo=dt.UTC) for moment in moments], every="hour")
    hours = [int((moment - dt.datetime(1970, 1, 1)) / dt.timedelta(hours=1) // 1) for moment in moments]
    assert found == [hour - min(hours) for hour in hours]
    assert graph.time_zone == "UTC"


def test_hours_of_a_zone_begin_with_its_own():
    stamps = ["2024-01-01T10:15+05:30", "2024-01-01T11:00+05:30"]
    found, graph = bins_of(stamps, every="hour")
    assert found == [0, 1]
    assert graph.snapshot_times[0] == np.datetime64("2024-01-01T04:30")


def test_a_day_of_23_hours_is_a_day():
    zone = ZoneInfo("Europe/Berlin")
    stamps = [dt.datetime(2024, 3, day, 12, tzinfo=zone) for day in (30, 31)] + [
        dt.datetime(2024, 4, 1, tzinfo=zone)
    ]
    found, graph = bins_of(stamps, every="day")
    assert found == [0, 1, 2]
    assert np.diff(graph.snapshot_times).astype("timedelta64[h]").astype(int).tolist() == [24, 23, 24]


@pytest.mark.parametrize(
    "width",
    [
        dt.timedelta(days=1),
        np.timedelta64(1, "D"),
        np.timedelta64(24, "h"),
        np.timedelta64(86_400 * 10**9, "ns"),
    ],
)
def test_widths_of_dates(width):
    stamps = np.array(["2024-01-01T12:00", "2024-01-02T11:59:59", "2024-01-02T12:00"], dtype="datetime64[s]")
    for kind in ("s", "ms", "us", "ns"):
        assert bins_of(stamps.astype(f"datetime64[{kind}]"), width=width)[0] == [0, 0, 1]


def test_unix_times():
    found, graph = bins_of([1_714_550_399, 1_714_521_600, 1_714_608_000], unit="s", every="day")
    assert found == [0, 0, 1]
    assert graph.snapshot_times[0] == np.datetime64("2024-05-01")
    assert graph.time_zone == "UTC"


def test_nanoseconds_at_the_end_of_their_range():
    stamps = np.array(["2262-04-11T00:00:00"], dtype="datetime64[ns]")
    assert bins_of(stamps, every="year")[1].snapshot_times.tolist()[1] == dt.datetime(2263, 1, 1)


def test_pandas_dates():
    pandas = pytest.importorskip("pandas")
    column = pandas.Series(pandas.to_datetime(["2024-03-31 23:30", "2024-04-01 00:30"])).dt.tz_localize(
        "Europe/Berlin"
    )
    found, graph = bins_of(column, every="month")
    assert found == [0, 1]
    assert graph.time_zone == "Europe/Berlin"
    assert graph.snapshot_times[1] == np.datetime64("2024-03-31T22:00")
    assert bins_of(column.dt.tz_localize(None), every="month")[1].time_zone is None
    assert bins_of(list(column), every="month")[0] == [0, 1]
    assert bins_of(column, width=pandas.Timedelta(minutes=30))[0] == [0, 2]


# ── what a snapshot is called ──────────────────────────────────────────────────────────────────────────────


def test_snapshot_at():
    days = ["2024-01-01T00:00+01:00", "2024-01-03T00:00+01:00"]
    graph = TemporalGraph.from_edges([0, 0], [1, 1], [0, 1], snapshot_times=days)
    assert graph.time_zone == "+01:00"
    assert graph.snapshot_at("2024-01-03T00:00") == 1  # by the graph's own clock
    assert graph.snapshot_at("2024-01-02T23:00Z") == 1
    assert graph.snapshot_at(dt.datetime(2024, 1, 2, 23, tzinfo=dt.UTC)) == 1
    for wrong, message in [
        ("2024-01-02", "timestamp=2024-01-02T00:00:00.*own times.*nearest is 2024-01-01T00:00:00.01:00"),
        (5, "timestamp=.*: must be a date, as the snapshots' times are"),
        ("soon", r"timestamp\[0\]='soon': must be an ISO date"),
    ]:
        with pytest.raises(InvalidArgumentError, match=message):
            graph.snapshot_at(wrong)
    with pytest.raises(InvalidArgumentError, match="must be without a time zone"):
        TemporalGraph.from_edges([0], [1], [0], snapshot_times=["2024-01-01"]).snapshot_at(
            "2024-01-01T00:00Z"
        )


def test_snapshot_at_without_times_is_the_index():
    graph = TemporalGraph.from_edges([0, 0], [1, 1], [0, 3])
    assert graph.snapshot_times.tolist() == [0, 1, 2, 3]
    assert graph.snapshot_at(2) == 2
    with pytest.raises(InvalidArgumentError, match="timestamp=4: must be one of the snapshots' own times"):
        graph.snapshot_at(4)


def test_the_end_of_the_last_bin_is_outside():
    _, graph = bins_of(["2024-01-01", "2024-01-02"], every="day")
    assert graph.snapshot_at("2024-01-02T23:59:59.999999999") == 1
    with pytest.raises(InvalidArgumentError, match=r"and before 2024-01-03T00:00:00"):
        graph.snapshot_at("2024-01-03")


def test_windows_keep_names_and_times():
    graph = TemporalGraph.from_events(
        [0, 0, 1],
        [1, 1, 2],
        ["2024-01-01", "2024-02-02", "2024-04-01"],
        every="month",
        node_labels=["x", "y", "z"],
    )
    window = graph.window(2, 2)
    assert window.node_labels.tolist() == ["x", "y", "z"]
    assert window.snapshot_times.astype("datetime64[M]").astype(str).tolist() == [
        "2024-02",
        "2024-03",
        "2024-04",
    ]
    assert window.snapshot_at("2024-03-05") == 1
    assert graph.unweighted() == graph
