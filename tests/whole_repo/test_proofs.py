"""The proofs hold, rest on no axiom, and speak of what the packages compute.

Coq takes half a minute to check them all: tests that ask it something are long.
"""

import ast
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from supra_core import TemporalGraph, laplacian, smoothness, supra_graph, trace_energy
from wl_tests import gallery, layer_wl, supra_wl

from .packages import ROOT

PROOFS = ROOT / "proofs"
SOURCES = sorted(PROOFS.glob("*.v"))
COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
OPTIONS = [{"global_nodes": hubs, "drop_isolated": drop} for hubs in (False, True) for drop in (False, True)]


def make(folder: Path, *targets: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "-s", *targets], cwd=folder, capture_output=True, text=True)


class Built(NamedTuple):
    folder: Path
    output: str


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Built:
    """All files checked in a folder of their own; skipped where the tools are missing."""
    if (tools := make(PROOFS, "tools")).returncode:
        pytest.skip(tools.stdout.strip())
    folder = tmp_path_factory.mktemp("proofs")
    for path in [*SOURCES, PROOFS / "Makefile"]:
        shutil.copy(path, folder)
    done = make(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return Built(folder, done.stdout)


def coqc(folder: Path, name: str, source: str) -> str:
    """What Coq prints for a file beside the proofs."""
    (folder / f"{name}.v").write_text(source, encoding="utf-8")
    command = ["coqc", "-q", "-w", "none", "-Q", ".", "Supra", f"{name}.v"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def theorems() -> list[str]:
    texts = [COMMENT.sub("", path.read_text(encoding="utf-8")) for path in SOURCES]
    return re.findall(r"^Theorem (\w+)", "\n".join(texts), re.MULTILINE)


# ── the proofs ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.long
def test_every_theorem_is_closed(built):
    asked = re.findall(r"^Print Assumptions (\w+)\.", (PROOFS / "assumptions.v").read_text(), re.MULTILINE)
    assert sorted(asked) == sorted(theorems())
    assert built.output.count("Closed under the global context") == len(asked) >= 12
    assert "Axioms:" not in built.output


@pytest.mark.long
def test_an_open_proof_is_found(built, tmp_path):
    """What a proof left open looks like to `make`: it fails, so a success means something."""
    for path in built.folder.iterdir():
        shutil.copy2(path, tmp_path)
    with (tmp_path / "assumptions.v").open("a") as file:
        file.write("Lemma left_open : 0 = 1. Admitted.\nPrint Assumptions left_open.\n")
    done = make(tmp_path)
    assert done.returncode != 0
    assert f"{len(theorems())} of {len(theorems()) + 1} theorems" in done.stdout


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_nothing_is_assumed(path):
    text = COMMENT.sub("", path.read_text(encoding="utf-8"))
    assert not re.search(r"\b(Admitted|admit|give_up|Axioms?|Conjectures?|Parameters?|Abort|Guard)\b", text)
    assert len(path.read_text(encoding="utf-8").splitlines()) < 400


def test_the_readme_names_every_theorem():
    text = (PROOFS / "README.md").read_text(encoding="utf-8")
    assert [name for name in theorems() if f"`{name}`" not in text] == []
    for target in re.findall(r"\]\(([^)#\s]+)\)", text):
        assert "://" in target or (PROOFS / target).exists(), target


def test_missing_tools_are_named(tmp_path):
    """With nothing but make and a shell to be found, `make proofs` says what to install."""
    for name in ("make", "sh"):
        (tmp_path / name).symlink_to(shutil.which(name))
    done = subprocess.run(
        ["make", "-s", "proofs"], cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "apt-get install coq libcoq-mathcomp-algebra" in done.stdout


@pytest.mark.long
def test_the_readmes_example(built):
    text = (PROOFS / "README.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"^```coq\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (printed,) = re.findall(r"^= (.*)$", text, re.MULTILINE)
    assert coqc(built.folder, "example", source).split() == f"= {printed} : seq (seq Z)".split()


# ── the bridge to the code ─────────────────────────────────────────────────────────────────────────────────


def evaluate(folder: Path, name: str, terms: list[str]) -> list[Any]:
    """What Coq computes for each term, as Python values: lists, tuples, integers and booleans."""
    lines = [
        "From Coq Require Import ZArith.",
        "From mathcomp Require Import all_ssreflect ssrint.",
        "From Supra Require Import evaluate.",
        "Set Printing Width 1000000. Set Printing Depth 1000000.",
        *(f"Eval vm_compute in {term}." for term in terms),
    ]
    output = coqc(folder, name, "\n".join(lines))
    values = re.findall(r"^ +=(.*?)^ +:", output, re.MULTILINE | re.DOTALL)
    assert len(values) == len(terms)
    return [_value(text) for text in values]


def _value(text: str) -> Any:
    text = re.sub(r"%\w+", "", text).replace("[::", "[").replace(";", ",")
    return ast.literal_eval(text.replace("true", "True").replace("false", "False").strip())


def _list(items: Any) -> str:
    return "[:: " + "; ".join(map(str, items)) + "]"


def _int(value: int) -> str:
    return f"Posz {value}" if value >= 0 else f"Negz {-value - 1}"


def draw_graph(rng: np.random.Generator, num_nodes: int, num_snapshots: int) -> TemporalGraph:
    """Each pair joined or not, in each snapshot; few edges or many; weights 1 to 4."""
    u, v, t = np.meshgrid(np.arange(num_nodes), np.arange(num_nodes), np.arange(num_snapshots))
    chosen = (u < v) & (rng.random(u.shape) < rng.choice([0.0, 0.2, 0.5, 0.9]))
    weight = rng.integers(1, 5, size=chosen.sum())
    sizes = {"num_nodes": num_nodes, "num_snapshots": num_snapshots}
    return TemporalGraph.from_edges(u[chosen], v[chosen], t[chosen], weight, **sizes)


def edges_of(graph: TemporalGraph, last: list[str]) -> str:
    columns = (graph.source.tolist(), graph.target.tolist(), graph.time.tolist(), last)
    return _list(f"({u}, {v}, {t}, {x})" for u, v, t, x in zip(*columns, strict=True))


@pytest.mark.long
@pytest.mark.property
def test_supra_laplacian_entry_by_entry(built):
    rng = np.random.default_rng(0)
    cases = []
    for size in [(1, 1), (2, 1), (1, 3), *rng.integers(2, 5, size=(16, 2)).tolist()]:
        graph, coupling = draw_graph(rng, *size), int(rng.integers(0, 4))
        for named in OPTIONS:
            supra = supra_graph(graph, coupling=coupling, **named)
            cases.append((graph, coupling, named, supra, rng.integers(-5, 6, size=supra.num_rows)))
    terms = []
    for graph, coupling, named, _, X in cases:
        sizes, edges = f"{graph.num_snapshots} {graph.num_nodes}", edges_of(graph, [*map(_int, graph.weight)])
        options = " ".join(str(option).lower() for option in named.values())
        terms.append(f"supra_values {sizes} {edges} ({_int(coupling)}) {options} {_list(map(_int, X))}")
    values = evaluate(built.folder, "laplacians", terms)
    for (graph, coupling, named, supra, X), (rows, L, sides) in zip(cases, values, strict=True):
        node = np.where(supra.node < 0, graph.num_nodes, supra.node)  # the proofs' name for a global node
        assert rows == list(zip(supra.time.tolist(), node.tolist(), strict=True))
        ours = smoothness(graph, X, coupling, **named)
        assert sides == [ours.total, ours.intra, ours.inter]
        if rows:
            assert laplacian(supra.adjacency).toarray().tolist() == L
            assert sides[0] == trace_energy(laplacian(supra.adjacency), X)
    assert sum(supra.num_rows < graph.num_nodes * graph.num_snapshots for graph, *_, supra, _ in cases) >= 10


def draw_pairs() -> list[tuple[tuple[TemporalGraph, TemporalGraph], list[Any], list[Any]]]:
    """Pairs of temporal graphs with features and edge labels; alike in half of them."""
    rng = np.random.default_rng(1)
    pairs = []
    for alike in [False, True] * 12:
        num_snapshots = int(rng.integers(1, 4))
        first = draw_graph(rng, int(rng.integers(1, 5)), num_snapshots)
        second = first if alike else draw_graph(rng, int(rng.integers(1, 5)), num_snapshots)
        graphs = (first, second)
        features = [rng.integers(0, 2, size=(g.num_snapshots, g.num_nodes)) for g in graphs]
        labels = [rng.integers(0, 2, size=g.num_edges) for g in graphs]
        if rng.random() < 0.5:
            features, labels = [0 * array for array in features], [0 * array for array in labels]
        pairs.append((graphs, features, labels))
    known = [gallery.moved_edge(), gallery.turned_matching(), gallery.distant_edge(4), gallery.cycles(3, 2)]
    for pair in known:
        graphs = (pair.first, pair.second)
        features = [np.zeros((g.num_snapshots, g.num_nodes), dtype=int) for g in graphs]
        pairs.append((graphs, features, [np.zeros(g.num_edges, dtype=int) for g in graphs]))
    return pairs


@pytest.mark.long
def test_the_separated_pair_is_that_of_the_gallery(built):
    """The graphs of `supra_is_strictly_finer`, edge by edge."""
    pair = gallery.moved_edge()
    term = (
        "let G := proposition2.moved_edge {g} in let n := proposition2.num_nodes G in "
        "[seq [seq [seq isSome (proposition2.edge G t u v) | v <- iota 0 n] | u <- iota 0 n] "
        "| t <- iota 0 (proposition2.num_snapshots G)]"
    )
    proved = evaluate(built.folder, "pair", [term.format(g=g) for g in (0, 1)])
    for layers, graph in zip(proved, (pair.first, pair.second), strict=True):
        expected = [(graph.adjacency(t).toarray() != 0).tolist() for t in range(graph.num_snapshots)]
        assert layers == expected


def first_places(colours: list[int]) -> list[int]:
    """A name of the partition: for each entry, where its colour is first met."""
    return [colours.index(colour) for colour in colours]


@pytest.mark.long
@pytest.mark.property
def test_colours_as_partitions(built):
    pairs = draw_pairs()
    ours = [
        [test(*graphs, node_features=features, edge_labels=labels) for test in (supra_wl, layer_wl)]
        for graphs, features, labels in pairs
    ]
    last = [max(colouring.num_rounds for colouring in both) + 1 for both in ours]
    terms = []
    for (graphs, features, labels), rounds in zip(pairs, last, strict=True):
        listed = [
            f"labelled {g.num_snapshots} {g.num_nodes} {edges_of(g, e.tolist())} "
            f"{_list(map(_list, f.tolist()))}"
            for g, f, e in zip(graphs, features, labels, strict=True)
        ]
        terms.append(f"colour_values {_list(listed)} {rounds}")
    values = evaluate(built.folder, "colours", terms)
    parted = set()
    for both, by_test in zip(ours, values, strict=True):
        for colouring, rounds in zip(both, by_test, strict=True):
            for r, (numbers, distinguishes) in enumerate(rounds):
                colours = np.concatenate([layers.ravel() for layers in colouring.at(r)]).tolist()
                assert numbers == first_places(colours)
                assert distinguishes == (colouring.histogram(0, r) != colouring.histogram(1, r))
        parted.add(tuple(rounds[-1][1] for rounds in by_test))
    assert parted == {(True, True), (True, False), (False, False)}
