"""ISO dates against Python's own reading of them."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core.times.iso_dates import BadFieldError, format_dates, parse_dates
from supra_core.times.zones import name_of, zone_of

MOMENTS = st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30))
FORMATS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f"]
OFFSETS = ["", "Z", "+02:00", "-0330", "+14", "-00:00"]


def parse(*texts):
    return parse_dates(np.array([text.encode() for text in texts]))


@given(
    st.lists(st.tuples(MOMENTS, st.sampled_from(FORMATS), st.sampled_from(OFFSETS[1:])), min_size=1),
    st.booleans(),
)
def test_against_python(drawn, zoned):
    texts = [
        moment.strftime(form).rjust(len(moment.strftime(form)) + 4 - len(str(moment.year)), "0")
        if len(moment.strftime("%Y")) < 4
        else moment.strftime(form)
        for moment, form, _ in drawn
    ]
    if zoned:
        texts = [
            text + offset if len(text) > 10 else text + "T00:00" + offset
            for text, (_, _, offset) in zip(texts, drawn, strict=True)
        ]
    found, zone = parse(*texts)
    for text, instant in zip(texts, found.astype("datetime64[us]").tolist(), strict=True):
        expected = dt.datetime.fromisoformat(text)
        if zoned:
            expected = (expected - expected.utcoffset()).replace(tzinfo=None)
        assert instant == expected
    assert (zone is None) == (not zoned)


@given(
    st.lists(st.integers(-(2**60), 2**60), min_size=1),
    st.sampled_from(["s", "ms", "us", "ns"]),
    st.sampled_from([None, "UTC", "+02:00", "-11:30", "Europe/Berlin", "America/St_Johns"]),
)
def test_what_is_written_reads_back(counts, unit, zone):
    limit = {"s": 60_000_000_000, "ms": 60_000_000_000_000, "us": 2**55, "ns": 2**60}[unit]
    instants = np.array([count % limit for count in counts]).view(f"datetime64[{unit}]")
    found, offset = parse(*format_dates(instants, zone))
    np.testing.assert_array_equal(found, instants)
    assert found.dtype == instants.dtype
    if zone in (None, "UTC", "+02:00", "-11:30"):
        assert offset == zone


@pytest.mark.parametrize(
    "text",
    ["", "2024", "2024-13-01", "2024-00-01", "2024-02-30", "2023-02-29", "1900-02-29", "2024-1-1", "now",
     "2024-01-01T24:00", "2024-01-01T10:60", "2024-01-01T10:00:60", "2024-01-01T10:00:00.", "20240101",
     "2024-01-01X10:00", "2024-01-01T10:00+25:00", "2024-01-01T10:00+01:60", "24-01-01", "2024-01-01T10",
     "2024-01-01T10:00:00.0123456789", "2024-01-01T10:00:00" + "0" * 50, "1500-01-01T00:00:00.000000001"],
)  # fmt: skip
def test_what_is_no_date(text):
    with pytest.raises(BadFieldError) as caught:
        parse("2024-01-01", text)
    assert caught.value.index == 1


def test_fractions_decide_the_unit():
    for text, unit in [("", "s"), (".5", "ms"), (".123", "ms"), (".1234", "us"), (",123456789", "ns")]:
        found, _ = parse("2024-01-01T00:00:00" + text)
        assert found.dtype == f"datetime64[{unit}]"


@pytest.mark.parametrize("name", ["UTC", "+02:00", "-03:30", "Europe/Berlin", "+00:19:32"])
def test_zones_by_name(name):
    assert name_of(zone_of(name)) == name
