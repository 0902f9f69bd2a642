"""Parquet: of others, malformed, of our own but changed, and without pyarrow."""

import sys

import pytest

from supra_core import InvalidGraphError, TemporalGraph, read_edges, write_edges


def test_parquet_of_others(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "edges.parquet"
    moments = arrow.array([0, 1_704_067_200_000], arrow.timestamp("ms", tz="Europe/Berlin"))
    for sources, labels in [
        (["b", "a"], ["a", "b", "c"]),
        (arrow.array(["b", "a"]).dictionary_encode(), ["a", "b", "c"]),
    ]:
        parquet.write_table(
            arrow.table({"src": sources, "dst": ["c", "b"], "ts": moments, "note": [1, 2]}), path
        )
        graph = read_edges(path)
        assert graph.node_labels.tolist() == labels
        assert graph.time_zone == "Europe/Berlin"
        assert graph.snapshot_times.astype(str).tolist() == [
            "1970-01-01T00:00:00.000",
            "2024-01-01T00:00:00.000",
        ]
    for times in ([0.0, 1.0], arrow.array([0, 1], arrow.uint8()), [0, 1]):
        columns = {"u": arrow.array([1.0, 0.0]), "v": [2, 1], "t": times, "w": arrow.array([3.0, 2.0])}
        parquet.write_table(arrow.table(columns), path)
        assert read_edges(path) == TemporalGraph.from_edges([0, 1], [1, 2], [1, 0], [2.0, 3.0])
    for times in (["2024-01-01", "2024-01-02"], arrow.array([19723, 19724], arrow.date32())):
        parquet.write_table(arrow.table({"u": [0, 1], "v": [1, 2], "t": times}), path)
        assert read_edges(path, every="month").num_snapshots == 1


def test_malformed_parquet(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "edges.parquet"
    path.write_bytes(b"no such thing")
    with pytest.raises(InvalidGraphError, match=r"edges.parquet: must be a Parquet file"):
        read_edges(path)
    good = {"source": [0, 1], "target": [1, 2], "time": [0, 0], "weight": [1, 1]}
    for change, message in [
        ({"source": [0, None]}, "row 2, column source: null: must be there"),
        ({"source": [[0], [1]]}, "column source: is of type list.*: must hold text or numbers"),
        ({"source": [0.5, 1.0]}, "row 1, column source: 0.5: must be a name or an integer"),
        ({"source": ["", "a"]}, "row 1, column source: '': must be a name or an integer"),
        ({"source": [True, False]}, "column source: is of type bool: must hold text or numbers"),
        ({"time": ["soon", "2024"]}, r"time\[0\]='soon': must be an ISO date"),
        ({"time": [True, False]}, "time=.*dtype is bool"),
        ({"time": [0.0, float("nan")]}, r"time\[1\]=nan: must be finite"),
        ({"weight": [True, False]}, "column weight: is of type bool: must hold numbers"),
        ({"weight": ["a", "b"]}, "column weight: is of type object: must hold numbers"),
        ({"weight": [1.0, -2.0]}, "row 2, column weight: -2.0: must be a finite number >= 0"),
    ]:
        parquet.write_table(arrow.table({**good, **change}), path)
        with pytest.raises(InvalidGraphError, match=message):
            read_edges(path)
    parquet.write_table(arrow.table({"source": [0], "target": [1]}), path)
    with pytest.raises(InvalidGraphError, match=r"columns 'source', 'target': must have time \(or t, ts"):
        read_edges(path)
    parquet.write_table(arrow.table({name: arrow.array([], arrow.int64()) for name in good}), path)
    with pytest.raises(InvalidGraphError, match="has no edges"):
        read_edges(path)


def test_parquet_of_our_own_that_was_changed(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "edges.parquet"
    good = {"source": [0, 1], "target": [1, 2], "time": [0, 0]}
    stated = {"num_nodes": "3", "num_snapshots": "1"}
    for change, more, message in [
        ({"source": [0, 3]}, {}, "row 2, column source: 3: must be an integer >= 0 and below 3"),
        ({"source": ["a", "b"]}, {}, "column source: is of type object: must hold integers"),
        ({"time": [0, 1]}, {}, "row 2, column time: 1: must be an integer >= 0 and below 1"),
        ({}, {"num_nodes": "many"}, "num_nodes=many: must be an integer >= 1"),
        ({}, {"node_labels": "[1, 2"}, "node_labels: must be a JSON list"),
        ({}, {"node_labels": "[1, 2]"}, r"len\(node_labels\)=2: must be num_nodes=3"),
        ({}, {"snapshot_times": '["soon"]'}, r"snapshot_times\[0\]='soon': must be an ISO date"),
        ({}, {"snapshot_times": '["2024-01-01"]', "time_zone": "Mars"}, "time_zone='Mars': must be"),
    ]:
        table = arrow.table({**good, **change}).replace_schema_metadata({**stated, **more})
        parquet.write_table(table, path)
        with pytest.raises(InvalidGraphError, match=message):
            read_edges(path)


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    hint = r"needs pyarrow, of the extra supra-core\[parquet\]: pip install pyarrow$"
    with pytest.raises(ImportError, match=hint):
        write_edges(TemporalGraph.from_edges([0], [1], [0]), tmp_path / "edges.parquet")
    assert list(tmp_path.iterdir()) == []
