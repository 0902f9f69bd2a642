"""Decompositions kept on disk: found again by what determines them, and by nothing else."""

import os
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from supra_core import LOBPCG, Encoder, Lanczos, generators
from supra_core.encoding.cache import EigenCache, fingerprint, pack, unpack

from ..encoders import plain

VARIANTS = ["exact", "inexact", "trajectory"]
GRAPH = generators.barabasi_albert(40, 6, m=2, seed=2)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("init", ["normal", "previous"])
def test_what_comes_back_is_what_was_computed(tmp_path, variant, init):
    encoder = plain(variant=variant, k=3, max_steps=4, init=init)
    first = encoder.encode_all(GRAPH, cache=tmp_path)
    files = sorted(os.listdir(tmp_path))
    stamps = {name: (tmp_path / name).stat().st_mtime_ns for name in files}
    again = encoder.encode_all(GRAPH, cache=tmp_path)
    assert np.array_equal(first.values, again.values)
    assert stamps == {name: (tmp_path / name).stat().st_mtime_ns for name in sorted(os.listdir(tmp_path))}
    assert np.array_equal(first[3].result.converged, again[3].result.converged)
    assert first[3].result.solver == again[3].result.solver
    assert np.array_equal(encoder.encode_all(GRAPH).values, again.values)
    assert again.seconds.min() > 0
    assert np.array_equal(first.seconds, again.seconds)  # to the last digit: those of the one computation


SETTINGS = [
    {"k": 4},
    {"coupling": 2.0},
    {"normalization": "sym"},
    {"global_nodes": False},
    {"drop_isolated": False},
    {"skip_trivial": False},
    {"seed": 1},
    {"tol": 1e-9},
    {"solver": Lanczos()},
    {"solver": Lanczos(tol=1e-3)},
    {"variant": "inexact"},
    {"variant": "inexact", "max_steps": 5},
    {"variant": "inexact", "init": "uniform"},
    {"variant": "inexact", "preconditioner": "jacobi"},
    {"variant": "trajectory"},
]


def test_other_settings_and_other_graphs_are_other_files(tmp_path):
    other = generators.barabasi_albert(40, 6, m=2, seed=9)
    count = 0
    for settings in ({}, *SETTINGS):
        encoder = Encoder.paper(**{"k": 3} | settings)
        for graph in (GRAPH, other):
            encoder.encode(graph, 5, cache=tmp_path)
            count += 1
            assert len(os.listdir(tmp_path)) == count, settings


def test_another_start_is_another_file(tmp_path):
    encoder, store = plain("slpe", "inexact", k=3, max_steps=2, init="previous"), EigenCache(tmp_path)
    window = GRAPH.window(5, 3)
    starts = [None, *(encoder.decompose(GRAPH.window(t, 3)) for t in (3, 4))]
    for count, before in enumerate(starts):
        found = encoder.decompose(window, before, store)
        assert len(os.listdir(tmp_path)) == count + 1
        assert np.array_equal(found.vectors, encoder.decompose(window, before).vectors)


def test_what_only_arranges_vectors_shares_a_file(tmp_path):
    encoder = Encoder(k=3, window=3)
    encoder.encode(GRAPH, 5, cache=tmp_path)
    for other in ({"align": None}, {"absent": "zeros"}, {"scale": None}, {"with_age": True}):
        replace(encoder, **other).encode(GRAPH, 5, cache=tmp_path)
    assert len(os.listdir(tmp_path)) == 1


def test_preconditioners_are_told_apart_by_their_content(tmp_path):
    n = Encoder.paper(k=3).supra(GRAPH.window(5, 3)).num_rows
    first, second = np.ones(n), np.linspace(1, 2, n)
    for make in (np.diag, sp.diags_array, lambda entries: sp.diags_array(entries).tocsr()):
        folder = tmp_path / str(len(os.listdir(tmp_path)))
        for diagonal in (first, second, first):
            solver = LOBPCG(3, preconditioner=make(diagonal))
            found = Encoder.paper(k=3, solver=solver).encode(GRAPH, 5, cache=folder)
            assert np.array_equal(found.values, Encoder.paper(k=3, solver=solver).encode(GRAPH, 5).values)
        assert len(os.listdir(folder)) == 2


def test_a_solver_whose_content_cannot_be_told_is_not_kept(tmp_path):
    encoder = Encoder.paper(k=3, solver=LOBPCG(3, preconditioner=lambda block: block))
    encoder.encode(GRAPH, 5, cache=tmp_path)
    assert os.listdir(tmp_path) == []


def test_without_a_folder_there_is_no_key(monkeypatch):
    assert EigenCache(None).key(GRAPH, (1,), None) is None
    monkeypatch.setattr(type(GRAPH), "digest", property(lambda self: pytest.fail("hashed for nothing")))
    Encoder(k=3).encode(GRAPH, 5)


def test_another_version_finds_nothing(tmp_path, monkeypatch):
    store = EigenCache(tmp_path)
    keys = {store.key(GRAPH, (1,), None)}
    monkeypatch.setattr("supra_core.encoding.cache.__version__", "99.0")
    keys.add(store.key(GRAPH, (1,), None))
    monkeypatch.setattr("supra_core.encoding.cache.FORMAT", 99)
    keys.add(store.key(GRAPH, (1,), None))
    assert len(keys) == 3


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)


@given(VALUES, VALUES)
def test_fingerprints_are_equal_for_equal_values_only(one, other):
    same = repr(one) == repr(other)
    assert (fingerprint(one) == fingerprint(other)) == same


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 not a zip", None])
def test_a_damaged_file_is_computed_again(tmp_path, damage):
    encoder = Encoder(k=3)
    expected = encoder.encode(GRAPH, 5, cache=tmp_path).values
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-200] if damage is None else damage)
    assert np.array_equal(encoder.encode(GRAPH, 5, cache=tmp_path).values, expected)
    assert np.array_equal(encoder.encode(GRAPH, 5, cache=tmp_path).values, expected)
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]


def test_a_write_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez", fail)
    with pytest.raises(OSError, match="disk full"):
        Encoder(k=3).encode(GRAPH, 5, cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


FILE = {}


def one_file(folder) -> bytes:
    """A cache of one file, and the bytes of it."""
    if not FILE:
        encoder = plain("slpe", "trajectory", k=2, window=1, max_steps=2)
        FILE["expected"] = encoder.encode(GRAPH, 5, cache=folder).values
        (path,) = folder.iterdir()
        FILE["name"], FILE["content"], FILE["encoder"] = path.name, path.read_bytes(), encoder
        FILE["result"] = encoder.encode(GRAPH, 5).result
    return FILE["content"]


@given(data=st.data())
def test_any_damage_is_a_miss(tmp_path_factory, data):
    """Bytes changed, cut off, put in or replaced: the same encoding, and a whole file again."""
    folder = tmp_path_factory.mktemp("cache")
    content = bytearray(one_file(folder))
    kind = data.draw(st.sampled_from(["flip", "cut", "insert", "replace"]))
    place = data.draw(st.integers(0, len(content) - 1))
    if kind == "flip":
        content[place] ^= data.draw(st.integers(1, 255))
    elif kind == "cut":
        del content[place:]
    elif kind == "insert":
        content[place:place] = data.draw(st.binary(min_size=1, max_size=8))
    else:
        content = bytearray(data.draw(st.binary(max_size=60)))
    path = folder / FILE["name"]
    path.write_bytes(content)
    assert EigenCache(folder).load(path.stem) is None
    assert not path.exists()
    path.write_bytes(content)
    assert np.array_equal(FILE["encoder"].encode(GRAPH, 5, cache=folder).values, FILE["expected"])
    (again, _), original = EigenCache(folder).load(path.stem), FILE["result"]
    for name, array in pack(again).items():
        assert np.array_equal(array, pack(original)[name]), name


def test_a_whole_file_under_another_name_is_a_miss(tmp_path):
    content = one_file(tmp_path)
    (tmp_path / "other.npz").write_bytes(content)
    assert EigenCache(tmp_path).load("other") is None


def test_results_come_back_from_arrays():
    result = plain("slpe", "trajectory", k=2, max_steps=2).encode(GRAPH, 5).result
    again = unpack(pack(result))
    assert repr(again) == repr(result)
    assert np.array_equal(again.trajectory.eigenvectors, result.trajectory.eigenvectors)
