"""What is wrong with a file is said truly: its name, the line, the column, the value and what is allowed."""

import gzip

import pytest

from supra_core import InvalidArgumentError, InvalidGraphError, TemporalGraph, read_edges, write_edges

GRAPH = TemporalGraph.from_edges([0], [1], [0])

MALFORMED = {
    "a missing id": (
        "source,target,time\n# hello\n0,1,0\n\n5,,1\n",
        "line 5, column 2: target='': must be the name",
    ),
    "a quoted missing id": ('a,b,0\n"",b,0\n', "line 2, column 1: source='': must be the name of a node"),
    "a missing id among tabs": ("a\tb\t0\n\tb\t1\n", "line 2, column 1: source='': must be the name"),
    "no time at the end": (
        "a\tb\t0\na\tb\t\n",
        "line 2, column 3: time='': must be a finite number or an ISO date",
    ),
    "a time that is none": (
        "a,b,1\na,c,soon\n",
        "line 2, column 3: time='soon': must be a finite number or an ISO",
    ),
    "a first time that is none": (
        "0,1,today\n",
        "line 1, column 3: time='today': must be a number or an ISO date",
    ),
    "a date among numbers": (
        "a,b,1\na,c,2024-01-01\n",
        "line 2, column 3: time='2024-01-01': must be a number, as",
    ),
    "a number among dates": (
        "a,b,2024-01-01\na,c,1\n",
        "line 2, column 3: time='1': must be an ISO date, as the first one is",
    ),
    "a first edge without a time": ("a,b,\nb,c,1\n", "line 1, column 3: time='': must be a number or an ISO"),
    "a first edge whose time is not known": (
        "a,b,n/a\nb,c,1\n",
        "line 1, column 3: time='n/a': must be a num",
    ),
    "a first time in another order": (
        "a,b,05/01/2024\nb,c,2024-05-02\n",
        "line 1, column 3: time='05/01/2024': must be a number or an ISO",
    ),
    "a first edge between numbers": (
        "0,1,soon\n1,2,1\n",
        "line 1, column 3: time='soon': must be a number or",
    ),
    "a date that is none": (
        "a,b,2024-01-01\na,c,2024-02-30\n",
        "line 2, column 3: time='2024-02-30': must be an ISO",
    ),
    "dates with and without zone": (
        "a,b,2024-01-01T00:00Z\na,c,2024-02-03\n",
        "line 2, column 3: time='2024-02-03': must be a date with a time zone",
    ),
    "decimal commas": (
        "0;1;0,5;2,5\n",
        "line 1, column 3: time='0,5': must be a number or an ISO .*; numbers have a decimal point",
    ),
    "decimal commas below a header": (
        "source\ttarget\ttime\tweight\n0\t1\t5\t2,5\n",
        "line 2, column 4: weight='2,5': must be a finite number >= 0; numbers have a decimal point",
    ),
    "decimal commas between blanks": (
        "0 1 0,5 2,5\n1 2 1,5 ,5\n",
        "line 1, column 3: time='0,5': must be .* not a comma",
    ),
    "a decimal comma later on": (
        "0|1|1.5\n0|2|1,5e3\n",
        "line 2, column 3: time='1,5e3': must be a finite number .* not a comma",
    ),
    "NaN for a time": ("a,b,1.5\na,c,nan\n", "line 2, column 3: time='nan': must be a finite number"),
    "an infinite time": ("a,b,1.5\na,c,1e999\n", "line 2, column 3: time='1e999': must be a finite number"),
    "hexadecimal": ("a,b,1\na,c,0x10\n", "line 2, column 3: time='0x10': must be a finite number"),
    "underscores": ("a,b,1\na,c,1_0\n", "line 2, column 3: time='1_0': must be a finite number"),
    "integers that floats do not tell apart": (
        f"a,b,0.5\na,c,{2**53 + 1}\n",
        "line 2, column 3: time='9007199254740993': must be below 2..53",
    ),
    "text for a weight": (
        "source,target,time,weight\na,b,1,heavy\n",
        "line 2, column 4: weight='heavy': must be a fin",
    ),
    "a first weight that is not known": (
        "0,1,0,NA\n1,2,1,2\n",
        "line 1, column 4: weight='NA': must be a fin",
    ),
    "weights among words": (
        "0,1,0,low\n1,2,1,2\n",
        "line 2, column 4: note=.2.: must be text, as in the first row",
    ),
    "a negative weight": (
        "0,1,0,1\n0,2,0,-1\n",
        "line 2, column 4: weight='-1': must be a finite number >= 0",
    ),
    "a negative float": (
        "0,1,0,1\n0,2,0,-2.0\n",
        "line 2, column 4: weight='-2.0': must be a finite number >= 0",
    ),
    "NaN for a weight": (
        "0,1,0,1\n0,2,0,nan\n",
        "line 2, column 4: weight='nan': must be a finite number >= 0",
    ),
    "an infinite weight": (
        "0,1,0,1\n0,2,0,inf\n",
        "line 2, column 4: weight='inf': must be a finite number >= 0",
    ),
    "weights that add up to infinity": (
        "0,1,0,1e308\n1,0,0,1e308\n",
        "edge .0, 1. of snapshot 0: must have weights",
    ),
    "too few fields": ("0,1,0\n0,1\n", "line 2: '0,1' has 2 fields: must have 3 as line 1 has"),
    "too many fields": ("0,1,0\n0,1,0,0,0\n", "line 2: '0,1,0,0,0' has 5 fields: must have 3 as line 1 has"),
    "a short row after a header": (
        "source,target,time\n0,1,0\n0,1\n",
        "line 3: '0,1' has 2 fields: must have 3 as line 1",
    ),
    "a short row of blanks": ("0 1 0\n\n0 1\n", "line 3: '0 1' has 2 fields: must have 3 as line 1 has"),
    "too few columns": (
        "0,1\n1,2\n",
        "line 1: '0,1': must be source, target and time at least, separated by",
    ),
    "another delimiter": ("0!1!0\n", "line 1: '0!1!0': must be source, target and time"),
    "no text": ("0,1,0\n0,\0,1\n", "line 2: must be text, but has a NUL byte"),
    "a quote that is not closed": ('a,b,0,"x\na,c,1,y\na,d,2,z\n', "line 1: must close its quotes"),
    "a quote closed rows later": ('a,b,0,"x\na,c,1,y\na,d,2,"z"\n', "line 1: must close its quotes"),
    "a quote in the middle": ('a,b,0,x"y\na,c,1,y\n', "line 1: must close its quotes"),
    "quotes in the middle": (
        'a,b,0,x\na,c,1,y"z"\n',
        "line 2: .*: must close its quotes, which are around whole fields",
    ),
    "text after a quote": (
        'a,b,0,x\na,c,1,"y"z\n',
        "line 2: .*: must close its quotes, which are around whole fields",
    ),
    "an id beyond the stated size": (
        "# num_nodes=2\n0,2,0\n",
        "line 2, column 2: target='2': must be below num_nodes=2",
    ),
    "a time beyond the stated size": (
        "# num_snapshots=1\n0,1,1\n",
        "line 2, column 3: time='1': must be below num_sn",
    ),
    "a name where ids are stated": (
        "# num_nodes=2\n0,b,0\n",
        "line 2, column 2: target='b': must be an integer >= 0",
    ),
    "a negative id where ids are stated": (
        "# num_nodes=2\n0,-1,0\n",
        "line 2, column 2: target='-1': must be an integer",
    ),
    "a huge id where ids are stated": (
        "# num_snapshots=1\n0,99999999999999999999,0\n",
        "line 2, column 2: target='9999",
    ),
    "a date where times are indices": (
        "# num_nodes=2\n0,1,2024-01-01\n",
        "line 2, column 3: time='2024-01-01': must be an",
    ),
    "a stated size of nonsense": (
        "# num_nodes=many\n0,1,0\n",
        "header: num_nodes=many: must be an integer >= 1",
    ),
    "stated labels of nonsense": (
        "# num_nodes=2\n# node_labels={}\n0,1,0\n",
        "header: node_labels: must be a JSON list",
    ),
    "too few stated labels": (
        '# num_nodes=2\n# node_labels=["a"]\n0,1,0\n',
        "len.node_labels.=1: must be num_nodes=2",
    ),
    "too few stated times": (
        "# num_snapshots=3\n# snapshot_times=[4]\n0,1,0\n",
        "len.snapshot_times.=1: must be 3 times",
    ),
    "a header without target": (
        "source,time\n0,1\n",
        "line 1: columns 'source', 'time': must have target .or dst, dest",
    ),
    "a header without time": (
        "source,target,weight\na,b,1\n",
        "line 1: columns .*: must have time .or t, ts",
    ),
    "a header that says it twice": (
        "source,u,target,time\n0,0,1,1\n",
        "line 1: columns 'source' and 'u': must be one column for source; choose with source=",
    ),
    "nothing": ("", "edges.csv: has no edges"),
    "comments alone": ("# nothing\n% here\n", "edges.csv: has no edges"),
    "a header alone": ("source,target,time\n", "edges.csv: has no edges"),
}


@pytest.mark.parametrize(("text", "message"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_text(tmp_path, text, message):
    path = tmp_path / "edges.csv"
    path.write_text(text)
    with pytest.raises(InvalidGraphError, match=message) as caught:
        read_edges(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_lines_are_counted_through_many_parts(tmp_path, monkeypatch):
    from supra_core.io import tokens

    monkeypatch.setattr(tokens, "PART", 64)
    rows = [f"{i},{i + 1},0" for i in range(100)]
    for at in (5, 37, 99):
        path = tmp_path / "edges.csv"
        path.write_text("# a comment\n" + "\n".join([*rows[:at], "a,b", *rows[at:]]))
        with pytest.raises(InvalidGraphError, match=f"line {at + 2}: 'a,b'"):
            read_edges(path)
        path.write_text("# a comment\n" + "\n".join([*rows[:at], 'a,"x\ny",soon', *rows[at:]]))
        with pytest.raises(InvalidGraphError, match=f"line {at + 3}, column 3"):
            read_edges(path)


def test_columns_that_are_asked_for_and_not_there(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("a,b,time\n0,1,2\n")
    with pytest.raises(InvalidGraphError, match="line 1: columns 'a', 'b', 'time': must have 'x'"):
        read_edges(path, source="x", target="b")
    with pytest.raises(InvalidGraphError, match="'a': must not be both source and target"):
        read_edges(path, source="a", target="a")


def test_what_is_no_text_file(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_bytes(b"0,1,0\n\xff\xfe,1,0\n")
    with pytest.raises(InvalidGraphError, match=r"edges.csv, line 2: must be text in UTF-8"):
        read_edges(path)
    path.write_text("0,1,0\n", encoding="utf-16")
    with pytest.raises(InvalidGraphError, match=r"edges.csv: must be text in UTF-8, not UTF-16"):
        read_edges(path)
    path.write_bytes(gzip.compress(b"0,1,0\n" * 100)[:-9])
    with pytest.raises(InvalidGraphError, match=r"edges.csv: must be a whole gzip file"):
        read_edges(path)


@pytest.mark.parametrize("name", ["edges.csv", "edges.csv.gz", "edges.parquet"])
def test_what_is_no_file(tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    with pytest.raises(FileNotFoundError, match=rf"{name}: no such file"):
        read_edges(tmp_path / name)
    with pytest.raises(InvalidGraphError, match="no such file"):
        read_edges(tmp_path / name)
    (tmp_path / name).mkdir()
    with pytest.raises(InvalidGraphError, match=rf"{name}: is a folder: must be a file"):
        read_edges(tmp_path / name)
    with pytest.raises(InvalidArgumentError, match=r"must be the name of a file, not of a folder"):
        write_edges(GRAPH, tmp_path / name)
    with pytest.raises(InvalidArgumentError, match=rf"path='.*none.{name}': must be in a folder that exists"):
        write_edges(GRAPH, tmp_path / "none" / name)
    with pytest.raises(InvalidGraphError, match="is a folder: must be a file"):
        read_edges(tmp_path)


def test_other_names():
    for act in (read_edges, lambda path: write_edges(GRAPH, path)):
        with pytest.raises(InvalidArgumentError, match=r"edges.json.*must end in one of .csv, .tsv"):
            act("edges.json")
