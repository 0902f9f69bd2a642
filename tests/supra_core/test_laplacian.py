"""Laplacians against NetworkX and their definitions."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from supra_core import laplacian, supra_graph

from .strategies import raw_edges, temporal_graphs


@given(raw_edges(kind="float", max_snapshots=1))
def test_against_networkx(raw):
    networkx = pytest.importorskip("networkx")
    A = raw.graph().adjacency(0)
    snapshot = networkx.from_numpy_array(raw.dense(0).astype(float))
    np.testing.assert_allclose(laplacian(A).toarray(), networkx.laplacian_matrix(snapshot).toarray())
    expected = networkx.normalized_laplacian_matrix(snapshot).toarray()
    np.testing.assert_allclose(laplacian(A, "sym").toarray(), expected, atol=1e-14)


@given(raw_edges(kind="float", max_snapshots=1))
def test_random_walk_is_the_identity_minus_the_walk(raw):
    A = raw.dense(0).astype(float)
    degree = A.sum(axis=1)
    walk = np.divide(A, degree[:, None], out=np.zeros_like(A), where=degree[:, None] > 0)
    expected = np.diag((degree > 0).astype(float)) - walk
    np.testing.assert_allclose(laplacian(A, "rw").toarray(), expected, atol=1e-14)


@given(temporal_graphs(), st.sampled_from([None, "sym", "rw"]))
def test_rows_of_isolated_nodes_are_zero(graph, normalization):
    supra = supra_graph(graph, coupling=0, global_nodes=False, drop_isolated=False)
    L = laplacian(supra.adjacency, normalization).toarray()
    isolated = supra.adjacency.toarray().sum(axis=1) == 0
    assert not L[isolated].any()
    assert not L[:, isolated].any()
    assert (L.diagonal()[~isolated] > 0).all()


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int32, np.uint64, np.float32, np.float64])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.coo_matrix], ids=lambda make: make.__name__)
def test_every_kind_of_number_and_matrix(dtype, make):
    n = 300  # degrees beyond what eight bits hold
    L = laplacian(make((1 - np.eye(n)).astype(dtype)))
    np.testing.assert_array_equal(L.toarray(), n * np.eye(n) - 1)
    assert (L.dtype.kind == "i") == (np.dtype(dtype).kind in "biu")
