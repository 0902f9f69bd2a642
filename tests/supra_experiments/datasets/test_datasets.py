from dataclasses import replace
from importlib import resources

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_experiments.datasets import REGISTRY, load, num_links
from supra_experiments.datasets.load import read_published, read_shipped
from supra_experiments.errors import DatasetError

from ..helpers import REAL, graphs, needs_data


@needs_data
@pytest.mark.parametrize(
    ("name", "nodes", "ever_active", "snapshots", "links", "temporal_edges"),
    [
        ("CanParl", 734, 734, 14, 45457, 71857),
        ("as733", 6628, 6628, 30, 13512, 163807),
        ("dblp", 315, 303, 10, 943, 2552),
        ("enron10", 184, 143, 11, 790, 2392),
    ],
)
def test_published_statistics(name, nodes, ever_active, snapshots, links, temporal_edges):
    dataset = load(name, root=REAL)
    graph = dataset.graph
    assert (graph.num_nodes, graph.num_snapshots, graph.num_edges) == (nodes, snapshots, temporal_edges)
    assert num_links(graph) == links
    assert len(np.union1d(graph.source, graph.target)) == ever_active
    assert set(graph.weight.tolist()) == {1}
    assert len(dataset.nodes) == nodes
    assert len(dataset.times) == snapshots
    assert list(dataset.times) == sorted(dataset.times)


@needs_data
def test_published_files_agree_with_an_independent_reading():
    """Line by line in plain Python, sets of unordered pairs."""
    for name in ("enron10", "canparl"):
        entry = REGISTRY[name]
        rows = (REAL / entry.file_name).read_text().splitlines()
        header = rows[0].split(",")
        u, i, ts = (header.index(column) for column in ("u", "i", "ts"))
        layers: dict[float, set] = {}
        for row in rows[1:]:
            cells = row.split(",")
            a, b = int(cells[u]), int(cells[i])
            layers.setdefault(float(cells[ts]), set())
            if a != b:
                layers[float(cells[ts])].add((min(a, b), max(a, b)))
        dataset = load(name, root=REAL)
        for t, stamp in enumerate(sorted(layers)):
            source, target, _ = dataset.graph.snapshot(t)
            found = set(zip(dataset.nodes[source].tolist(), dataset.nodes[target].tolist(), strict=True))
            assert found == layers[stamp]


@pytest.mark.parametrize(
    ("name", "snapshots", "links", "temporal_edges"), [("enron10", 11, 790, 2392), ("dblp", 10, 943, 2552)]
)
def test_two_datasets_come_with_the_package(monkeypatch, tmp_path, name, snapshots, links, temporal_edges):
    monkeypatch.setenv("SUPRA_DATA", str(tmp_path / "empty"))
    graph = load(name).graph
    assert (graph.num_snapshots, num_links(graph), graph.num_edges) == (snapshots, links, temporal_edges)
    assert not (tmp_path / "empty").exists(), "nothing was downloaded"


@needs_data
@pytest.mark.parametrize("name", ["enron10", "dblp"])
def test_what_ships_is_the_published_file(tmp_path, name):
    entry = REGISTRY[name]
    published = read_published(entry, REAL / entry.file_name)
    assert load(name).graph == published
    published.write_edges(tmp_path / f"{name}.csv.gz")
    shipped = resources.files("supra_experiments.datasets") / "shipped" / f"{name}.csv.gz"
    assert (tmp_path / f"{name}.csv.gz").read_bytes() == shipped.read_bytes()


def test_an_altered_file_of_the_package_is_refused():
    entry = replace(REGISTRY["enron10"], graph_digest="0" * 64)
    with pytest.raises(DatasetError, match=r"is not what came with the package; install supra-experiments"):
        read_shipped(entry)
    with pytest.raises(DatasetError, match="install supra-experiments again"):
        read_shipped(replace(entry, name="nothing"))


def test_the_demo_needs_no_file_and_is_the_same_every_time():
    demo = load("DEMO")
    assert demo.graph == load("demo").graph
    assert demo.graph.num_snapshots == 10
    assert demo.graph.num_edges > 500


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("enron11", "dataset='enron11': must be one of demo, canparl, .* did you mean 'enron"),
        ("xyz", "dataset='xyz': must be one of demo, canparl, as733, dblp, enron10, or the path of a CSV"),
        ("nowhere.csv", r"nowhere\.csv: no such file"),
    ],
)
def test_unknown_names(name, message):
    with pytest.raises(DatasetError, match=message):
        load(name)


# ── a user's own files ─────────────────────────────────────────────────────────────────────────────────────

NAMES = st.text("abcXYZé_-.", min_size=1, max_size=5).filter(lambda name: name[0] not in "-._")
EDGES = st.lists(st.tuples(NAMES, NAMES, st.integers(0, 5)), min_size=1, max_size=20)


@given(EDGES, st.sampled_from([",", "\t", ";", "|", " "]), st.booleans(), st.booleans())
def test_any_delimiter_with_or_without_header_gives_the_same_graph(
    tmp_path_factory, edges, mark, head, parquet
):
    folder = tmp_path_factory.mktemp("edges")
    expected = {(frozenset((a, b)), t) for a, b, t in edges if a != b}
    if parquet:
        path = folder / "edges.parquet"
        pd.DataFrame(edges, columns=["source", "target", "time"]).to_parquet(path)
    else:
        path = folder / "edges.csv"
        rows = [mark.join(["source", "target", "time"])] if head else []
        path.write_text("\n".join([*rows, *(mark.join(map(str, edge)) for edge in edges)]) + "\n")
    if not expected:
        with pytest.raises(DatasetError, match="no edges between two different nodes"):
            load(path)
        return
    dataset = load(path)
    graph = dataset.graph
    found = {
        (frozenset((dataset.nodes[a], dataset.nodes[b])), int(dataset.times[t]))
        for a, b, t in zip(graph.source, graph.target, graph.time, strict=True)
    }
    assert found == expected
    assert set(dataset.nodes) == {name for a, b, _ in edges for name in (a, b)}
    assert dataset.node_ids(dataset.nodes).tolist() == list(range(graph.num_nodes))


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("# a comment\nu,i,ts,label,idx\n1,2,0.0,1,1\n2,3,5.0,1,2\n", [0, 5]),
        ("target;time;source;w\nb;2020-01-01;a;2\nc;2021-06-01;a;1\n", ["2020-01-01", "2021-06-01"]),
        ("a b 1.5\nb c 2.5\n", [1.5, 2.5]),
        ("% konect style\n1\t2\t1600000000\n2\t3\t1600000001\n", [1600000000, 1600000001]),
        ("\ufefffrom,to,year\nx,y,1999\ny,z,2001\n", [1999, 2001]),
        ('"a","b",3\n"b","c",4\n', [3, 4]),
        ("who,whom,when\na,b,3\nb,c,4\n", [3, 4]),
    ],
)
def test_headers_dates_comments_and_quotes(tmp_path, text, times):
    path = tmp_path / "edges.csv"
    path.write_text(text)
    dataset = load(path)
    assert dataset.graph.num_nodes == 3
    assert dataset.graph.num_edges == 2
    assert [str(time)[:10] for time in dataset.times] == [str(time) for time in times]


def test_weights_are_kept_and_repeated_edges_without_weights_do_not_add_up(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target,time,weight\na,b,0,1.5\nb,a,0,2\nb,c,1,0.25\n")
    assert load(path).graph.weight.tolist() == [3.5, 0.25]
    path.write_text("source,target,time\na,b,0\nb,a,0\nb,c,1\n")
    assert load(path).graph.weight.tolist() == [1, 1]


def test_labels_like_numbers(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("10,9,0\n9,100,1\n")
    assert load(path).nodes.tolist() == [9, 10, 100]
    path.write_text("010,9,0\n9,10,1\n")  # "010" and "10" are two names
    assert sorted(load(path).nodes.tolist()) == ["010", "10", "9"]


def test_times_are_put_into_bins_on_request(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("a,b,0.0\nb,c,4.9\na,c,5.0\nc,d,10.0\n")
    dataset = load(path, num_snapshots=2)
    assert dataset.graph.time.tolist() == [0, 0, 1, 1]
    assert dataset.times == [0.0, 5.0]
    assert dataset.graph.snapshot_at(7.5) == 1
    path.write_text("".join(f"a,b,{t}\n" for t in range(1500)))
    with pytest.raises(DatasetError, match="has 1500 distinct times: must be at most 1000, or put into bins"):
        load(path)
    with pytest.raises(DatasetError, match="num_snapshots=3: must be left out for demo"):
        load("demo", num_snapshots=3)


def test_dates_are_put_into_bins_of_the_calendar(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("a,b,2024-01-31T23:30+01:00\nb,c,2024-02-01T00:30+01:00\n")
    dataset = load(path, every="month")
    assert dataset.times == ["2024-01-01T00:00:00+01:00", "2024-02-01T00:00:00+01:00"]
    path.write_text("a,b,1706740200\nb,c,1706743800\n")  # the same in Unix seconds
    assert load(path, every="month", unit="s").times == ["2024-01-01T00:00:00Z"]
    for setting in ({"every": "day"}, {"unit": "s"}):
        with pytest.raises(DatasetError, match="must be left out for demo, whose snapshots are given"):
            load("demo", **setting)


@given(graphs())
def test_a_file_of_the_library_is_the_librarys_graph(tmp_path_factory, graph):
    if graph.num_edges == 0:
        return
    path = tmp_path_factory.mktemp("edges") / "edges.csv"
    graph.write_edges(path)
    assert load(path).graph == graph


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no edges"),
        ("a,b,1\na,c,soon\n", "line 2, column 3: time='soon': must be a finite number or an ISO date"),
        ("a,b,1,2\na,b\n", "line 2: 'a,b' has 2 fields: must have 4 as line 1 has"),
        ("a,a,1\n", "has no edges between two different nodes"),
    ],
)
def test_files_that_are_no_edge_lists(tmp_path, text, message):
    path = tmp_path / "edges.csv"
    path.write_text(text)
    with pytest.raises(DatasetError, match=message) as caught:
        load(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert path.exists(), "a user's own file is never removed"


def test_a_label_that_is_no_nodes(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("a,b,0\nb,c,1\n")
    with pytest.raises(DatasetError, match="node 'z': is not in"):
        load(path).node_ids(["a", "z"])
