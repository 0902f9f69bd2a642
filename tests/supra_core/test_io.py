"""Edge lists: what is written reads back equal; what is malformed is named by line."""

import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from supra_core import InvalidArgumentError, InvalidGraphError, TemporalGraph, read_edges, write_edges
from supra_core.files import replacing

from .strategies import temporal_graphs

SUFFIXES = [".csv", ".tsv", ".txt", ".edges", ".parquet", ".pq"]
GRAPHS = st.sampled_from(["integer", "float"]).flatmap(lambda kind: temporal_graphs(kind=kind))


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=GRAPHS)
def test_round_trip(tmp_path, suffix, graph):
    if suffix in (".parquet", ".pq"):
        pytest.importorskip("pyarrow")
    path = tmp_path / f"edges{suffix}"
    write_edges(graph, path)
    assert read_edges(path) == graph  # sizes, weights and their kind included
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@given(weight=st.floats(min_value=0, allow_infinity=False, exclude_min=True))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_float_comes_back_to_the_bit(tmp_path, weight):
    graph = TemporalGraph.from_edges([0], [1], [0], [weight])
    graph.write_edges(str(tmp_path / "edges.csv"))
    assert TemporalGraph.read_edges(tmp_path / "edges.csv").weight[0] == weight


EXPECTED = TemporalGraph.from_edges([0, 1], [1, 2], [0, 1], [2, 3])
SPELLINGS = {
    "commas": "0,1,0,2\n1,2,1,3\n",
    "semicolons": "0;1;0;2\n1;2;1;3\n",
    "tabs": "0\t1\t0\t2\n1\t2\t1\t3\n",
    "blanks": "0 1 0 2\n1  2 1   3\n",
    "blanks around commas": " 0, 1, 0, 2\n1 , 2 , 1 , 3\n",
    "no line end": "0,1,0,2\n1,2,1,3",
    "windows": "0,1,0,2\r\n1,2,1,3\r\n",
    "byte order mark": "\ufeffsource,target,time,weight\n0,1,0,2\n1,2,1,3\n",
    "header": "source,target,time,weight\n0,1,0,2\n1,2,1,3\n",
    "another order": "time,weight,target,source\n0,2,1,0\n1,3,2,1\n",
    "other names, other columns": "idx,u,i,ts,label,w\n7,0,1,0.0,5,2\n8,1,2,1.0,6,3\n",
    "text in a column of no concern": "u,v,t,note,w\n0,1,0,hello,2\n1,2,1,there,3\n",
    "capitals and quotes": '"Source","Target","Time","Weight"\n0,1,0,2\n1,2,1,3\n',
    "whole floats as ids": "0.0,1.0,0.0,2\n1.0,2.0,1.0,3\n",
    "comments and empty lines": "# an edge list\n\n0,1,0,2\n# in between\n\n1,2,1,3\n",
    "stated sizes": "# num_nodes=3 num_snapshots=2\n0,1,0,2\n1,2,1,3\n",
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_spellings(tmp_path, text):
    path = tmp_path / "edges.csv"
    path.write_text(text, encoding="utf-8", newline="")
    assert read_edges(path) == EXPECTED


def test_without_weights_and_with_stated_sizes(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("# from somewhere, num_nodes=9 num_snapshots=4\n0,1,0\n")
    assert read_edges(path) == TemporalGraph.from_edges([0], [1], [0], num_nodes=9, num_snapshots=4)
    path.write_text("# num_nodes=2\n")
    assert read_edges(path) == TemporalGraph.from_edges([], [], [], num_nodes=2)


MALFORMED = {
    "text for an id": ("0,1,0\n1,x,0\n", "line 2: target='x': must be an integer >= 0"),
    "in the first line": ("0,x,0\n1,2,0\n", "line 1: target='x': must be an integer >= 0"),
    "after a header and a comment": ("# hello\nsource,target,time\n0,1,0\n\n5,,1\n", "line 5: target=''"),
    "a negative id": ("0,1,0\n0,1,0\n-3,1,0\n", "line 3: source='-3': must be an integer >= 0"),
    "a broken id": ("0,1,0\n0,1.5,0\n", "line 2: target='1.5': must be an integer >= 0"),
    "a huge id": ("0,1,0\n0,99999999999999999999,0\n", "line 2: target='99999999999999999999'"),
    "a time that is no number": ("0,1,today\n", "line 1: time='today': must be an integer >= 0"),
    "a negative weight": ("0,1,0,1\n0,2,0,-1\n", "line 2: weight='-1': must be a finite number >= 0"),
    "NaN for a weight": ("0,1,0,1\n0,2,0,nan\n", "line 2: weight='nan': must be a finite number >= 0"),
    "an infinite weight": ("0,1,0,1\n0,2,0,inf\n", "line 2: weight='inf': must be a finite number >= 0"),
    "too few fields": ("0,1,0\n0,1\n", "line 2: '0,1' has 2 fields: must have 3"),
    "too many fields": ("0,1,0\n0,1,0,0,0\n", "line 2: '0,1,0,0,0' has 5 fields: must have 3"),
    "too few columns": ("0,1\n1,2\n", "line 1: '0,1' has 2 fields: must be source, target, time"),
    "another delimiter": ("0|1|0\n", "line 1: "),
    "an id beyond the stated size": (
        "# num_nodes=2\n0,2,0\n",
        "line 2: target='2': must be below num_no",
    ),
    "a time beyond the stated size": ("# num_snapshots=1\n0,1,1\n", "line 2: time='1': must be below num_sn"),
    "a stated size of nonsense": ("# num_nodes=many\n0,1,0\n", "line 1: num_nodes=many: must be an integer"),
    "a header without target": ("source,time\n0,1\n", "line 1: .*must name a column for target"),
    "a header that says it twice": ("source,u,target,time\n0,0,1,1\n", "line 1: 'u'.*only column for source"),
    "nothing": ("", "must have an edge, or a first line"),
    "a header alone": ("source,target,time\n", "must have an edge, or a first line"),
}


@pytest.mark.parametrize(("text", "message"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_text_names_the_path_the_line_and_the_value(tmp_path, text, message):
    path = tmp_path / "edges.csv"
    path.write_text(text)
    with pytest.raises(InvalidGraphError, match=message) as caught:
        read_edges(path)
    assert str(path) in str(caught.value)


def test_other_files(tmp_path):
    (tmp_path / "edges.csv").write_bytes(b"0,1,0\n\xff\xfe,1,0\n")
    with pytest.raises(InvalidGraphError, match=r"edges.csv: must be UTF-8"):
        read_edges(tmp_path / "edges.csv")
    for act in (read_edges, lambda path: write_edges(EXPECTED, path)):
        with pytest.raises(InvalidArgumentError, match=r"edges.json.*must be a name that ends in"):
            act(tmp_path / "edges.json")
    with pytest.raises(FileNotFoundError):
        read_edges(tmp_path / "missing.csv")


def test_malformed_parquet(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "edges.parquet"
    path.write_bytes(b"no such thing")
    with pytest.raises(InvalidGraphError, match=r"edges.parquet: must be a Parquet file"):
        read_edges(path)
    for columns, message in [
        ({"source": [0], "target": [1]}, "must name a column for time"),
        ({"source": [0, None], "target": [1, 2], "time": [0, 0]}, "source=null in 1 rows: must hold numbers"),
        ({"source": ["a"], "target": [1], "time": [0]}, "source=(large_)?string: must hold numbers"),
    ]:
        parquet.write_table(arrow.table(columns), path)
        with pytest.raises(InvalidGraphError, match=message):
            read_edges(path)


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"needs pyarrow: pip install 'supra-core\[parquet\]'"):
        write_edges(EXPECTED, tmp_path / "edges.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "edges.csv"
    write_edges(EXPECTED, path)
    before = path.read_bytes()
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_text("half of")
        raise RuntimeError
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_large_ids_stay_exact(tmp_path):
    graph = TemporalGraph.from_edges([2**60 + 1], [3], [0], np.array([2**61 + 1]), num_nodes=2**60 + 2)
    write_edges(graph, tmp_path / "edges.csv")
    assert read_edges(tmp_path / "edges.csv") == graph
