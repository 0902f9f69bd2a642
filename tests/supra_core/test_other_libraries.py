"""NetworkX and pandas: their graphs and tables come in with names and times, and go out again."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supra_core import InvalidArgumentError, InvalidGraphError, TemporalGraph, read_edges

from .strategies import named_graphs, temporal_graphs

NAMES = st.one_of(st.text(max_size=3), st.integers(), st.tuples(st.text(max_size=1), st.integers(0, 3)))

# ── NetworkX ───────────────────────────────────────────────────────────────────────────────────────────────


@given(st.sampled_from(["integer", "float"]).flatmap(lambda kind: temporal_graphs(kind=kind)))
def test_networkx_round_trip(graph):
    networkx = pytest.importorskip("networkx")
    snapshots = graph.to_networkx()
    assert TemporalGraph.from_networkx(snapshots) == graph or graph.num_edges == 0
    for t, snapshot in enumerate(snapshots):
        expected = networkx.to_numpy_array(snapshot, nodelist=range(graph.num_nodes))
        np.testing.assert_array_equal(graph.adjacency(t).toarray(), expected)


@given(named_graphs(names=NAMES))
def test_networkx_keeps_names(graph):
    pytest.importorskip("networkx")
    names = graph.node_labels.tolist()
    again = TemporalGraph.from_networkx(graph.to_networkx(), nodes=names)
    assert again.node_labels.tolist() == names
    assert again.digest == graph.digest or graph.num_edges == 0
    # Without a list of them, names are in their own order, or as they come where they have none.
    free = TemporalGraph.from_networkx(graph.to_networkx())
    assert set(free.node_labels.tolist()) == set(names)
    for t in range(graph.num_snapshots):
        order = [free.node_labels.tolist().index(name) for name in names]
        found = free.adjacency(t).toarray()[np.ix_(order, order)]
        np.testing.assert_array_equal(found, graph.adjacency(t).toarray())


def test_networkx_labels_and_multigraphs():
    networkx = pytest.importorskip("networkx")
    snapshot = networkx.MultiGraph([("b", "a"), ("a", "b"), ("c", "c")])
    graphs = [snapshot, networkx.DiGraph([("a", "c")])]
    for nodes in (["a", "b", "c"], None):
        graph = TemporalGraph.from_networkx(graphs, nodes=nodes)
        assert graph.node_labels.tolist() == ["a", "b", "c"]
        assert graph.adjacency(0).toarray().tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 0]]
        assert graph.adjacency(1).toarray().tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    assert TemporalGraph.from_networkx(iter(graphs)) == graph
    assert TemporalGraph.from_networkx(graphs, duplicates="once").weight.tolist() == [1, 1]
    of = TemporalGraph.from_networkx
    for call, kind, message in [
        (lambda: of(graphs, nodes=["a"]), InvalidGraphError, r"node='b': must be one of nodes"),
        (lambda: of(graphs, nodes="aab"), InvalidArgumentError, "nodes='aab': must be free"),
        (lambda: of(graphs, every="day"), InvalidArgumentError, "must be left out where each"),
        (lambda: of(graphs, step="day"), InvalidArgumentError, "step='day': must be one of"),
        (lambda: of(snapshot), InvalidGraphError, r"edge=.*with the attribute 'time'"),
        (lambda: of(networkx.Graph()), InvalidGraphError, "must be a graph with edges"),
    ]:
        with pytest.raises(kind, match=message):
            call()


def test_one_multigraph_whose_edges_carry_a_time():
    networkx = pytest.importorskip("networkx")
    graph = networkx.MultiDiGraph()
    graph.add_node("zoe")
    for u, v, day, weight in [("bob", "ann", 5, 2), ("ann", "bob", 5, None), ("cy", "bob", 29, 0.5)]:
        graph.add_edge(u, v, when=dt.date(2024, 2, day), **({} if weight is None else {"weight": weight}))
    found = TemporalGraph.from_networkx(graph, time="when")
    assert found.node_labels.tolist() == ["ann", "bob", "cy", "zoe"]
    assert found.time_labels == ["2024-02-05T00:00:00", "2024-02-29T00:00:00"]
    assert found.weight.tolist() == [3.0, 0.5]
    assert TemporalGraph.from_networkx(graph, time="when", every="month").num_snapshots == 1
    assert TemporalGraph.from_networkx(
        graph, time="when", nodes=["zoe", "cy", "bob", "ann"]
    ).source.tolist() == [2, 1]


# ── pandas ─────────────────────────────────────────────────────────────────────────────────────────────────

ROWS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.integers(1990, 1995), st.integers(0, 5)),
    min_size=1,
    max_size=12,
)


@given(ROWS, st.booleans())
def test_a_table_is_read_as_the_file_of_it_is(tmp_path_factory, rows, weighted):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=["source", "target", "time", "weight"])
    if not weighted:
        frame = frame.drop(columns="weight")
    path = tmp_path_factory.mktemp("tables") / "edges.csv"
    frame.to_csv(path, index=False)
    assert TemporalGraph.from_pandas(frame, weight="weight" if weighted else None) == read_edges(path)


def test_dates_zones_and_kinds_of_columns():
    pandas = pytest.importorskip("pandas")
    moments = pandas.to_datetime(["2024-03-31T22:30Z", "2024-04-15T00:00Z"]).tz_convert("Europe/Berlin")
    frame = pandas.DataFrame(
        {"who": pandas.Categorical(["b", "a"]), "whom": ["a", "c"], "at": moments, "n": [1.5, 2]}
    )
    graph = TemporalGraph.from_pandas(frame, "who", "whom", "at", "n", every="month")
    assert graph.node_labels.tolist() == ["a", "b", "c"]
    assert graph.time_labels == ["2024-04-01T00:00:00+02:00"]
    assert graph.time_zone == "Europe/Berlin"
    assert graph.weight.tolist() == [1.5, 2.0]
    for kind in ("int8", "Int64", "float32", "object"):
        numbers = pandas.DataFrame({"source": [5, 7], "target": [7, 9], "time": [0, 1]}).astype(
            {"source": kind}
        )
        assert TemporalGraph.from_pandas(numbers).node_labels.tolist() == [5, 7, 9]
    mixed = pandas.DataFrame(
        {"source": [5, "x"], "target": ["x", (1, 2)], "time": ["2024-01-01", "2024-01-02"]}
    )
    assert TemporalGraph.from_pandas(mixed).node_labels.tolist() == [5, "x", (1, 2)]


def test_tables_that_are_no_edge_lists():
    pandas = pytest.importorskip("pandas")
    good = {"source": ["a", "b"], "target": ["b", "c"], "time": [1, 2]}
    for change, options, kind, message in [
        ({"source": ["a", None]}, {}, InvalidGraphError, "frame, row 2, column source: .*: must be a name"),
        ({"source": [1.0, float("nan")]}, {}, InvalidGraphError, "row 2, column source: nan: must be a name"),
        ({"target": ["b", ""]}, {}, InvalidGraphError, "row 2, column target: '': must be a name"),
        ({"time": [1.0, float("nan")]}, {}, InvalidGraphError, r"frame: time\[1\]=nan: must be finite"),
        (
            {"time": pandas.to_datetime(["2024-01-01", None])},
            {},
            InvalidGraphError,
            r"time\[1\]=NaT: must be",
        ),
        ({"w": [1, -1]}, {"weight": "w"}, InvalidGraphError, "row 2, column weight: -1: must be a finite"),
        (
            {"w": ["x", "y"]},
            {"weight": "w"},
            InvalidGraphError,
            "column weight: is of type object: must hold numbers",
        ),
        (
            {},
            {"source": "src"},
            InvalidArgumentError,
            "source='src': must be a column of frame, one of 'source'",
        ),
        ({}, {"steps": 3}, InvalidArgumentError, "steps=3: must be one of num_snapshots, width"),
        ({"source": [], "target": [], "time": []}, {}, InvalidGraphError, "frame: has no edges"),
    ]:
        with pytest.raises(kind, match=message):
            TemporalGraph.from_pandas(pandas.DataFrame({**good, **change}), **options)
