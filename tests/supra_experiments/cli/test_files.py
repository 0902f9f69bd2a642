"""A file means the same to the command and to the library: names, dates, bins and zones."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from supra_core import TemporalGraph, read_edges
from supra_experiments.datasets import load

QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
NAMES = st.one_of(st.integers(0, 30).map(str), st.sampled_from(["ann", "bob", "Lee, Ann", "007", "é"]))
DAYS = st.dates().map(str)
MOMENTS = st.datetimes().map(lambda moment: moment.isoformat(timespec="seconds") + "+02:00")
TIMES = st.sampled_from([st.integers(1990, 2020).map(str), DAYS, MOMENTS, st.floats(-9, 9).map(repr)])


@st.composite
def edge_files(draw):
    """A user's own file, with names, times of one kind, and maybe weights."""
    columns = [NAMES, NAMES, draw(TIMES)] + ([st.integers(1, 9).map(str)] if draw(st.booleans()) else [])
    rows = draw(st.lists(st.tuples(*columns).filter(lambda row: row[0] != row[1]), min_size=1, max_size=12))
    header = ["source", "target", "time", "weight"][: len(columns)]
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in [header, *rows]) + "\n"


def assert_same(facts, graph):
    """What ``supra data info --json`` says is so of a graph of the library."""
    assert facts["digest"] == graph.digest
    assert (facts["nodes"], facts["snapshots"]) == (graph.num_nodes, graph.num_snapshots)
    assert facts["temporal_edges"] == graph.num_edges
    assert facts["first_nodes"] == graph.node_labels[:5].tolist()
    assert facts["time_zone"] == graph.time_zone
    days = [str(label).removesuffix("T00:00:00") for label in graph.time_labels]
    assert [str(part["time"]).removesuffix("T00:00:00") for part in facts["per_snapshot"]] == days
    counts = np.bincount(graph.time, minlength=graph.num_snapshots).tolist()
    assert [part["edges"] for part in facts["per_snapshot"]] == counts


@QUIET
@given(edge_files())
def test_the_command_sees_the_librarys_graph_of_a_users_file(run, tmp_path, text):
    path = tmp_path / "mine.csv"
    path.write_text(text, encoding="utf-8")
    code, out, _ = run("data", "info", path, "--json")
    assert code == 0
    assert_same(json.loads(out), read_edges(path))


@QUIET
@given(st.data())
def test_the_command_sees_what_the_library_wrote(run, tmp_path, data):
    """Isolated nodes and empty layers included."""
    num_nodes, num_snapshots = data.draw(st.integers(2, 6)), data.draw(st.integers(1, 4))
    node, time = st.integers(0, num_nodes - 1), st.integers(0, num_snapshots - 1)
    edges = data.draw(
        st.lists(st.tuples(node, node, time).filter(lambda e: e[0] != e[1]), min_size=1, max_size=8)
    )
    labels = data.draw(st.sampled_from([None, [f"n{i}" for i in range(num_nodes)]]))
    source, target, stamps = zip(*edges, strict=True)
    graph = TemporalGraph.from_edges(
        source, target, stamps, num_nodes=num_nodes, num_snapshots=num_snapshots, node_labels=labels
    )
    for name in ("ours.csv", "ours.csv.gz", "ours.parquet"):
        graph.write_edges(tmp_path / name)
        code, out, _ = run("data", "info", tmp_path / name, "--json")
        assert code == 0
        assert_same(json.loads(out), graph)
        assert load(tmp_path / name).graph == graph


@pytest.mark.parametrize(
    "options", [{"every": "week"}, {"every": "quarter"}, {"num_snapshots": 3}, {"every": "day"}], ids=str
)
def test_bins_are_the_same_in_both(run, tmp_path, options):
    path = tmp_path / "mails.csv"
    path.write_text(
        "".join(f"a,b,2024-0{m}-1{m}T12:00+02:00\nb,c,2024-0{m}-2{m}T12:00+02:00\n" for m in range(1, 6))
    )
    given = [part for name, value in options.items() for part in (f"--{name.removeprefix('num_')}", value)]
    code, out, _ = run("data", "info", path, "--json", *given)
    assert code == 0
    assert_same(json.loads(out), read_edges(path, **options))


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
@pytest.mark.parametrize("zone", ["", "Z", "+02:00"])
def test_encodings_carry_names_and_dates_back(run, tmp_path, suffix, zone):
    path, output = tmp_path / "mails.csv", tmp_path / f"pe{suffix}"
    rows = [f"ann,bob,2024-0{m}-15T12:00{zone}\nbob,cy,2024-0{m}-16T12:00{zone}\n" for m in (1, 2, 4)]
    path.write_text("from,to,date\n" + "".join(rows))
    code, out, _ = run("encode", path, "--every", "month", "--k", 2, "--window", 2, "-o", output, "--json")
    assert code == 0
    graph = read_edges(path, every="month")
    table = pd.read_parquet(output) if suffix == ".parquet" else pd.read_csv(output)
    assert table["node"].tolist() == ["ann", "bob", "cy"] * 4
    assert [part["time"] for part in json.loads(out)["per_snapshot"]] == load(path, every="month").times
    stamps = pd.to_datetime(table["time"])
    assert str(stamps.dt.tz) == {"": "None", "Z": "UTC", "+02:00": "UTC+02:00"}[zone]
    assert [str(stamp)[:10] for stamp in stamps.unique()] == [f"2024-0{m}-01" for m in (1, 2, 3, 4)]
    # From its own file, a time leads back to its snapshot.
    found = graph.snapshot_at(stamps.dt.to_pydatetime().tolist() if zone else stamps)
    assert found.tolist() == np.repeat(range(4), 3).tolist()


def test_unix_times_and_mistakes(run, tmp_path):
    path = tmp_path / "events.csv"
    path.write_text("a,b,1704067200\nb,c,1706745600\na,c,1706745601\n")
    code, out, _ = run("data", "info", path, "--every", "month", "--unit", "s", "--json")
    assert code == 0
    assert [part["time"] for part in json.loads(out)["per_snapshot"]] == [
        "2024-01-01T00:00:00Z",
        "2024-02-01T00:00:00Z",
    ]
    for arguments, message in [
        (["--every", "month"], "every='month': must be left out where times are numbers, unless unit says"),
        (["--every", "fortnight", "--unit", "s"], "every='fortnight': must be one of 'hour', 'day'"),
        (["--unit", "minutes"], "unit='minutes': must be one of 's', 'ms'"),
        (["--every", "day", "--snapshots", "3"], "num_snapshots=3, every='day': must be at most one"),
    ]:
        code, _, err = run("data", "info", path, *arguments)
        assert code == 2
        assert message in err
        assert err.count("\n") == 1
