"""Edge lists: what is written reads back equal; what others wrote means one thing however it is spelled."""

import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from supra_core import InvalidArgumentError, InvalidGraphError, TemporalGraph, read_edges, write_edges
from supra_core.files import replacing

from ..strategies import named_graphs

SUFFIXES = [".csv", ".tsv", ".txt", ".edges", ".csv.gz", ".TSV.GZ", ".parquet", ".pq"]


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=named_graphs())
def test_round_trip(tmp_path, suffix, graph):
    if suffix in (".parquet", ".pq"):
        pytest.importorskip("pyarrow")
    path = tmp_path / f"edges{suffix}"
    write_edges(graph, path)
    again = read_edges(path)
    assert again == graph  # sizes, weights and their kind, names, times and their zone included
    assert again.digest == graph.digest
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
    "bars": "0|1|0|2\n1|2|1|3\n",
    "blanks": "0 1 0 2\n1  2 1   3\n",
    "blanks around rows": "  0 1 0 2 \n\t1 2\t1 3\n",
    "blanks around commas": " 0, 1, 0, 2\n1 , 2 , 1 , 3\n",
    "no line end": "0,1,0,2\n1,2,1,3",
    "windows": "0,1,0,2\r\n1,2,1,3\r\n",
    "old Apple": "0,1,0,2\r1,2,1,3\r",
    "byte order mark": "\ufeffsource,target,time,weight\n0,1,0,2\n1,2,1,3\n",
    "header": "source,target,time,weight\n0,1,0,2\n1,2,1,3\n",
    "another order": "time,weight,target,source\n0,2,1,0\n1,3,2,1\n",
    "other names, other columns": "idx,u,i,ts,label,w\n7,0,1,0.0,5,2\n8,1,2,1.0,6,3\n",
    "text in a column of no concern": "u,v,t,note,w\n0,1,0,hello,2\n1,2,1,there,3\n",
    "capitals and quotes": '"Source","Target","Time","Weight"\n0,1,0,2\n1,2,1,3\n',
    "a quoted comma in the header": 'u,v,"note, or not",t,w\n0,1,x,0,2\n1,2,y,1,3\n',
    "a quoted comma in a field": 'u,v,t,note,w\n0,1,0,"a,b",2\n1,2,1,"c",3\n',
    "quotes in quotes": 'u,v,t,note,w\n0,1,0,"say ""no""",2\n1,2,1,"""",3\n',
    "a quoted line end": 'u,v,t,note,w\n0,1,0,"one\ntwo",2\n1,2,1,"",3\n',
    "quoted numbers": '"0","1","0","2"\n"1","2","1","3"\n',
    "quotes and blanks": '"0" 1 "0" 2\n1 "2" 1 3\n',
    "a comment with one quote": 'u,v,t,w,note\n0,1,0,2,"a"\n# 5" wide\n1,2,1,3,"b"\n',
    "whole floats as ids": "0.0,1.0,0.0,2\n1.0,2.0,1.0,3\n",
    "ids of both kinds": "0,1.0,0,2\n1.00,2,1.,3\n",
    "leading zeros in times and weights": "0,1,00,02\n1,2,01,3\n",
    "comments and empty lines": "# an edge list\n\n0,1,0,2\n# in between\n   \n\n1,2,1,3\n  # the end\n",
    "comments of another kind": "% an edge list\n0 1 0 2\n1 2 1 3\n",
    "stated sizes": "# num_nodes=3 num_snapshots=2\n0,1,0,2\n1,2,1,3\n",
    "both directions": "0,1,0,1\n1,0,0,1\n1,2,1,3\n",
    "names of no concern": "who,whom,when,strength\n0,1,0,2\n1,2,1,3\n",
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_spellings(tmp_path, text):
    path = tmp_path / "edges.csv"
    path.write_text(text, encoding="utf-8", newline="")
    assert read_edges(path) == EXPECTED
    (tmp_path / "edges.txt.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert read_edges(tmp_path / "edges.txt.gz") == EXPECTED


def test_a_packed_file_under_another_name_is_read_all_the_same(tmp_path):
    (tmp_path / "edges.csv").write_bytes(gzip.compress(b"0,1,0,2\n1,2,1,3\n"))
    assert read_edges(tmp_path / "edges.csv") == EXPECTED
    (tmp_path / "edges.csv.gz").write_bytes(b"0,1,0,2\n1,2,1,3\n")
    assert read_edges(tmp_path / "edges.csv.gz") == EXPECTED


def read(tmp_path, text, **options):
    path = tmp_path / "edges.csv"
    path.write_bytes(text.encode())
    return read_edges(path, **options)


@pytest.mark.parametrize("head", ["", "who,whom,when,remark\n"])
def test_a_fourth_column_of_words_is_no_weight(tmp_path, head):
    graph = read(tmp_path, head + '0,1,0,"a,b"\n1,2,1,c\n')
    assert graph == TemporalGraph.from_edges([0, 1], [1, 2], [0, 1])


LABELS = {
    "integers with gaps": ("10,9,0\n9,100,1\n", [9, 10, 100]),
    "negative integers": ("-5,9,0\n9,0,1\n", [-5, 0, 9]),
    "names": ("bob,ann,0\nbob,Ann,1\n", ["Ann", "ann", "bob"]),
    "leading zeros are names": ("010,9,0\n9,10,1\n", ["010", "10", "9"]),
    "names beside integers": ("a,9,0\n9,10,1\n", ["10", "9", "a"]),
    "names with blanks": ("Ann Lee,Bo,0\nBo, Cy Fay ,1\n", ["Ann Lee", "Bo", "Cy Fay"]),
    "quoted names": ('"Lee, Ann",b,0\nb,"say ""hi""",1\n', ["Lee, Ann", "b", 'say "hi"']),
    "quoted blanks stay": ('" a ",b,0\nb,c,1\n', [" a ", "b", "c"]),
    "letters of all kinds": ("é,日本,0\n日本,Ω,1\n", ["é", "Ω", "日本"]),
    "beyond 2**53": (f"{2**53 + 1},{2**53},0\n1.0,{2**53},1\n", [1, 2**53, 2**53 + 1]),
    "beyond 2**63": (f"{2**63},1,0\n1,2,1\n", ["1", "2", str(2**63)]),
    "the largest": (f"{2**63 - 1},{-(2**63)},0\n0,{2**63 - 1},1\n", [-(2**63), 0, 2**63 - 1]),
    "long names": (f"{'a' * 200},b,0\nb,{'a' * 201},1\n", ["a" * 200, "a" * 201, "b"]),
    "names that begin as comments do": ('"#ann",b,0\nb,"%",1\n', ["#ann", "%", "b"]),
}


@pytest.mark.parametrize(("text", "labels"), LABELS.values(), ids=LABELS)
def test_labels(tmp_path, text, labels):
    graph = read(tmp_path, text)
    assert sorted(graph.node_labels.tolist()) == sorted(labels)
    assert graph.num_edges == 2
    assert graph.num_nodes == 3
    np.testing.assert_array_equal(np.sort(graph.node_labels), graph.node_labels)


TIMES = {
    "years": ("2001", "2009", [2001, 2009], None),
    "floats": ("0.5", "1e3", [0.5, 1000.0], None),
    "whole floats": ("5.0", "1e3", [5, 1000], None),
    "negative": ("-7", "+3", [-7, 3], None),
    "days": ("2024-01-05", "2024-02-01", ["2024-01-05T00:00:00", "2024-02-01T00:00:00"], None),
    "months": ("2024-01", "2024-02", ["2024-01-01T00:00:00", "2024-02-01T00:00:00"], None),
    "moments": (
        "2024-01-05 10:00",
        "2024-01-05T10:00:00.5",
        ["2024-01-05T10:00:00.000", "2024-01-05T10:00:00.500"],
        None,
    ),
    "UTC": ("2024-01-05T10:00Z", "2024-01-05T10:01Z", ["2024-01-05T10:00:00", "2024-01-05T10:01:00"], "UTC"),
    "one offset": (
        "2024-01-05T10:00+02:00",
        "2024-01-05T10:01+0200",
        ["2024-01-05T08:00:00", "2024-01-05T08:01:00"],
        "+02:00",
    ),
    "two offsets": (
        "2024-01-05T10:00+02:00",
        "2024-01-05T10:01+01:00",
        ["2024-01-05T08:00:00", "2024-01-05T09:01:00"],
        "UTC",
    ),
    "large integers": (f"{2**60}", f"{2**60 + 1}", [2**60, 2**60 + 1], None),
}


@pytest.mark.parametrize(("first", "second", "times", "zone"), TIMES.values(), ids=TIMES)
def test_times(tmp_path, first, second, times, zone):
    graph = read(tmp_path, f"a,b,{second}\na,c,{first}\nb,c,{second}\n")
    found = graph.snapshot_times
    assert (found.astype(str).tolist() if found.dtype.kind == "M" else found.tolist()) == times
    assert graph.time_zone == zone
    assert graph.time.tolist() == [0, 1, 1]


def test_unweighted_duplicates_count_once_and_weights_add_up(tmp_path):
    twice = "a,b,0\nb,a,0\na,b,0\nb,c,1\n"
    assert read(tmp_path, twice).weight.tolist() == [1, 1]
    assert read(tmp_path, twice, duplicates="sum").weight.tolist() == [3, 1]
    weighted = "a,b,0,1.5\nb,a,0,2\nb,c,1,0.25\n"
    assert read(tmp_path, weighted).weight.tolist() == [3.5, 0.25]
    with pytest.raises(InvalidGraphError, match=r"edges.csv: duplicates='once': weights 1.5 and 2.0"):
        read(tmp_path, weighted, duplicates="once")


def test_columns_can_be_chosen(tmp_path):
    text = "a,b,when,year,v\nx,y,5,2001,7\ny,z,6,2002,8\n"
    graph = read(tmp_path, text, source="a", target="b", time="when", weight="v")
    assert graph.snapshot_times.tolist() == [5, 6]
    assert graph.weight.tolist() == [7, 8]


def test_times_are_put_into_bins(tmp_path):
    text = "a,b,2024-01-01\nb,c,2024-01-31\na,c,2024-02-01\nc,d,2024-04-01\n"
    monthly = read(tmp_path, text, every="month")
    assert monthly.time.tolist() == [0, 0, 1, 3]
    assert monthly.num_snapshots == 4
    assert read(tmp_path, text, num_snapshots=2).time.tolist() == [0, 0, 0, 1]
    unix = "a,b,1704067200\nb,c,1706659200\na,c,1706745600\nc,d,1711929600\n"
    assert read(tmp_path, unix, every="month", unit="s").time.tolist() == [0, 0, 1, 3]
    with pytest.raises(InvalidArgumentError, match="every='month': must be left out where times are numbers"):
        read(tmp_path, unix, every="month")


@pytest.mark.parametrize("name", ["days.csv", "days.parquet"])
@pytest.mark.parametrize(
    ("weight", "binned"), [(None, [1, 1]), (2, [62, 58]), (1.0, [31.0, 29.0])], ids=["none", "two", "float"]
)
def test_snapshots_of_our_own_files_are_put_into_bins_by_their_times(tmp_path, name, weight, binned):
    days = np.arange("2024-01-01", "2024-03-01", dtype="datetime64[D]")
    weights = None if weight is None else [weight] * 60
    graph = TemporalGraph.from_edges([0] * 60, [1] * 60, range(60), weights, num_nodes=5, snapshot_times=days)
    graph.write_edges(tmp_path / name)
    monthly = read_edges(tmp_path / name, every="month")
    assert monthly.weight.tolist() == binned
    assert monthly.num_nodes == 5
    assert monthly.snapshot_at("2024-02-10") == 1
    added = read_edges(tmp_path / name, every="month", duplicates="sum").weight
    assert added.tolist() == [31 * (weight or 1), 29 * (weight or 1)]


def test_without_weights_and_with_stated_sizes(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("# from somewhere, num_nodes=9 num_snapshots=4\n0,1,0\n")
    assert read_edges(path) == TemporalGraph.from_edges([0], [1], [0], num_nodes=9, num_snapshots=4)
    path.write_text("# num_nodes=2\n")
    assert read_edges(path) == TemporalGraph.from_edges([], [], [], num_nodes=2)


def test_large_ids_stay_exact(tmp_path):
    graph = TemporalGraph.from_edges([2**60 + 1], [3], [0], np.array([2**61 + 1]), num_nodes=2**60 + 2)
    write_edges(graph, tmp_path / "edges.csv")
    assert read_edges(tmp_path / "edges.csv") == graph


def test_the_same_graph_gives_the_same_packed_file(tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        write_edges(EXPECTED, tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


# ── writing ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "edges.csv"
    write_edges(EXPECTED, path)
    before = path.read_bytes()
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_text("half of")
        raise RuntimeError
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_labels_that_a_file_cannot_hold(tmp_path):
    graph = TemporalGraph.from_edges([0], [1], [0], node_labels=[("a", 1), ("b", 2)])
    for name in ("edges.csv", "edges.parquet"):
        with pytest.raises(InvalidGraphError, match=r"node_labels\[0\]=\('a', 1\): must be text or a number"):
            write_edges(graph, tmp_path / name)
    assert list(tmp_path.iterdir()) == []
