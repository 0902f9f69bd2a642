"""The reader on whatever comes: an error of the package or a right graph, never another exception."""

import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from supra_core import SupraError, TemporalGraph, read_edges
from supra_core.io import tokens

QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

# Letters that mean something to a reader, far more often than chance would have them.
LETTERS = st.sampled_from(list('0123456789,,,;\t|  \n\n\r"".+-eExab#%é:TZ_\x00\ufeff'))
TEXTS = st.lists(LETTERS, max_size=80).map("".join)
HEADS = st.sampled_from(
    ["", "source,target,time\n", "u v t w\n", "# num_nodes=3 num_snapshots=2\n", "a,b,0\n"]
)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Files are cut into small parts, so that their seams are met."""
    monkeypatch.setattr(tokens, "PART", 32)


def tried(path):
    try:
        graph = read_edges(path)
    except SupraError as error:
        return str(error)
    assert isinstance(graph, TemporalGraph)
    assert len(graph.node_labels) == graph.num_nodes or graph.num_nodes > 10**6
    assert graph.num_edges == 0 or graph.target.max() < graph.num_nodes
    return graph


@pytest.mark.parametrize("suffix", [".csv", ".txt.gz", ".parquet"])
@QUIET
@given(st.one_of(st.binary(max_size=200), st.tuples(HEADS, TEXTS).map("".join).map(str.encode)))
def test_bytes(tmp_path, suffix, content):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"edges{suffix}"
    path.write_bytes(gzip.compress(content) if suffix == ".txt.gz" else content)
    tried(path)


@QUIET
@given(st.data())
def test_a_parquet_file_with_some_bytes_changed(tmp_path, data):
    pytest.importorskip("pyarrow")
    path = tmp_path / "edges.parquet"
    TemporalGraph.from_edges([0, 1], [1, 2], [0, 1], node_labels=["a", "b", "c"]).write_edges(path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    tried(path)


# ── rows, and a reading of them with Python's own csv module ───────────────────────────────────────────────

WORDS = st.one_of(
    st.sampled_from(
        [
            "ann",
            "bob",
            "a b",
            "x,y",
            'say "hi"',
            "007",
            "7",
            "1.0",
            "é",
            "#a",
            "two\nlines",
            "two\n # lines",
            " c ",
        ]
    ),
    st.integers(-3, 12).map(str),
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=4),
)
IDS = st.sampled_from([st.integers(0, 9).map(str), st.integers(-(2**63), 2**63 - 1).map(str), WORDS])
STAMPS = st.sampled_from(
    [
        st.integers(-5, 5).map(str),
        st.floats(-1e6, 1e6).map(repr),
        st.dates().map(str),
        st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
    ]
)
WEIGHTS = st.sampled_from([None, st.integers(0, 9).map(str), st.floats(0, 1e6).map(repr)])


@st.composite
def tables(draw):
    ids, stamps, weights = draw(IDS), draw(STAMPS), draw(WEIGHTS)
    columns = [ids, ids, stamps] + ([] if weights is None else [weights])
    rows = draw(st.lists(st.tuples(*columns), min_size=1, max_size=12))
    names = ["source", "target", "time", "weight"][: len(columns)]
    if draw(st.booleans()):  # another column, somewhere
        position = draw(st.integers(0, len(columns)))
        notes = draw(st.lists(st.one_of(WORDS, st.just("")), min_size=len(rows), max_size=len(rows)))
        names.insert(position, "note")
        rows = [(*row[:position], note, *row[position:]) for row, note in zip(rows, notes, strict=True)]
    return names, rows


def written(names, rows, delimiter, quoting, end):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue()


def label(words):
    """What names mean: integers where all are plain ones, else text."""
    plain = all(word.removesuffix(".0") == str(_int(word.removesuffix(".0"))) for word in words)
    return {word: int(word.removesuffix(".0")) if plain else word for word in words}


def _int(word):
    try:
        value = int(word) if word.isascii() and word.strip("-").isdigit() else None
    except ValueError:
        return None
    return value if value is not None and -(2**63) <= value < 2**63 else None


@QUIET
@given(
    tables(),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_rows_mean_what_they_say(tmp_path, table, delimiter, quoting, end):
    names, rows = table
    words = [word for row in rows for word in row]
    if any("#" in word or "%" in word or word != word.strip(" \t") for word in words):
        quoting = csv.QUOTE_ALL  # Python quotes these only if told to
    text = written(names, rows, delimiter, quoting, end)
    path = tmp_path / "edges.csv"
    path.write_bytes(text.encode())
    columns = {name: [row[position] for row in rows] for position, name in enumerate(names)}
    graph = read_edges(path)
    called = label({*columns["source"], *columns["target"]})
    assert graph.node_labels.tolist() == sorted(set(called.values()))
    moments = [stamp.removesuffix("Z") for stamp in columns["time"]]
    dated = graph.snapshot_times.dtype.kind == "M"
    order = sorted({np.datetime64(moment) if dated else float(moment) for moment in moments})
    assert graph.num_snapshots == len(order)
    expected: dict = {}
    weights = columns.get("weight", ["1"] * len(rows))
    for u, v, moment, w in zip(columns["source"], columns["target"], moments, weights, strict=True):
        if called[u] != called[v] and float(w) > 0:
            at = order.index(np.datetime64(moment) if dated else float(moment))
            key = (at, *sorted((called[u], called[v])))
            expected[key] = 1 if "weight" not in columns else expected.get(key, 0) + float(w)
    ends = [graph.node_labels[column].tolist() for column in (graph.source, graph.target)]
    found = dict(zip(zip(graph.time.tolist(), *ends, strict=True), graph.weight.tolist(), strict=True))
    assert found == pytest.approx(expected)


# ── fields of all kinds, in parts of all sizes ─────────────────────────────────────────────────────────────

FIELDS = st.sampled_from(
    ["0", "1", "2", "007", "-0", "-1", "+1", "1.0", "1.5", "1e3", "0x10", "0X1", " 2", "2 ", "", "a", "x",
     "nan", "inf", "null", "NA", "true", "2024-01-01", "2024-01-01T00:00Z", "2024-01-02 10:00", "1e400", "é",
     "9007199254740993", ".5", "5.", "-", "99999999999999999999", "9223372036854775807", "00", "1_0", "- 1",
     "\t3"]
)  # fmt: skip


@QUIET
@given(
    st.lists(st.lists(FIELDS, min_size=3, max_size=4), min_size=1, max_size=6),
    st.sampled_from([",", "\t", ";"]),
    st.sampled_from(["", "source{0}target{0}time\n", "source{0}target{0}time{0}weight\n", "# num_nodes=3\n"]),
    st.sampled_from(["\n", "\r\n", "\n\n", "\n  \n"]),
)
def test_the_size_of_parts_does_not_matter(tmp_path, rows, delimiter, head, end):
    path = tmp_path / "edges.csv"
    body = end.join(delimiter.join(row) for row in rows)
    path.write_bytes((head.format(delimiter) + body + "\n").encode())
    outcomes = []
    for size in (1 << 22, 16, 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tokens, "PART", size)
            outcomes.append(tried(path))
    # Of two mistakes, which one is found first may depend on it; whether there is one does not.
    kinds = [outcome if isinstance(outcome, TemporalGraph) else "refused" for outcome in outcomes]
    assert kinds[0] == kinds[1] == kinds[2]


DECIMALS = st.one_of(
    st.floats(0, allow_infinity=False).map(repr),
    st.from_regex(r"\A[0-9]{1,18}(\.[0-9]{0,24})?(e-?[0-9]{1,2})?\Z"),
    st.from_regex(r"\A\.[0-9]{1,9}\Z"),
)


@given(st.lists(DECIMALS, min_size=1))
def test_weights_are_pythons_floats(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("weights") / "edges.csv"
    texts = [*texts, "0.5"]
    rows = [f"0,{i + 1},0,{text}\n" for i, text in enumerate(texts)]
    path.write_text("source,target,time,weight\n" + "".join(rows))
    assert read_edges(path).weight.tolist() == [float(text) for text in texts if float(text) > 0]
