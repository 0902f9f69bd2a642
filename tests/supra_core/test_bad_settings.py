"""Bad settings of solvers and encoders: the error names the argument, its value and what is allowed."""

import numpy as np
import pytest
import scipy.sparse as sp

from supra_core import (
    LOBPCG,
    Auto,
    Encoder,
    InvalidArgumentError,
    InvalidGraphError,
    Lanczos,
    TemporalGraph,
    eigenpairs,
    laplacian,
    supra_graph,
)

GRAPH = TemporalGraph.from_edges([0, 1], [1, 2], [0, 1])
L = laplacian(GRAPH.adjacency(0))

ARGUMENTS = [
    (lambda: Encoder(method="slpes"), "method='slpes'", "'slpe', 'lpe'"),
    (lambda: Encoder(variant="approximate"), "variant='approximate'", "'exact', 'inexact', 'trajectory'"),
    (lambda: Encoder(k=0), "k=0", "integer >= 1"),
    (lambda: Encoder(k=-3), "k=-3", "integer >= 1"),
    (lambda: Encoder(k=2.5), "k=2.5", "integer >= 1"),
    (lambda: Encoder(k=True), "k=True", "integer >= 1"),
    (lambda: Encoder(window=0), "window=0", "integer >= 1"),
    (lambda: Encoder(window=-1), "window=-1", "integer >= 1"),
    (lambda: Encoder(max_steps=0), "max_steps=0", "integer >= 1"),
    (lambda: Encoder(coupling=-1.0), "coupling=-1.0", "finite number >= 0"),
    (lambda: Encoder(coupling=float("nan")), "coupling=nan", "finite number >= 0"),
    (lambda: Encoder(normalization="symmetric"), "normalization='symmetric'", "'sym'"),
    (lambda: Encoder(init="zeros"), "init='zeros'", "'rademacher'"),
    (lambda: Encoder(preconditioner="amg"), "preconditioner='amg'", "'jacobi'"),
    (lambda: Encoder(skip_trivial="no"), "skip_trivial='no'", "True, False"),
    (lambda: Encoder(solver="lanczos"), "solver='lanczos'", "Lanczos()"),
    (lambda: Encoder(tol=0), "tol=0", "number > 0"),
    (lambda: Encoder(seed=-1), "seed=-1", "integer >= 0"),
    (lambda: Encoder().encode(GRAPH, 2), "t=2", "0 .. 1"),
    (lambda: Encoder().encode(GRAPH, -1), "t=-1", "0 .. 1"),
    (lambda: Encoder().encode(GRAPH, 0.5), "t=0.5", "integer"),
    (lambda: eigenpairs(L, 0), "k=0", "integer >= 1"),
    (lambda: eigenpairs(L, "2"), "k='2'", "integer >= 1"),
    (lambda: eigenpairs(L, 1, x0=np.ones(7)), "x0.shape=(7,)", "(3,) or (3, columns)"),
    (lambda: eigenpairs(L, 1, x0=np.full((3, 1), np.nan)), "x0", "finite"),
    (lambda: Lanczos(tol=-1e-3), "tol=-0.001", "number > 0"),
    (lambda: Lanczos(max_steps=0), "max_steps=0", "integer >= 1"),
    (lambda: Auto(tol=float("inf")), "tol=inf", "number > 0"),
    (lambda: LOBPCG(max_steps=-5), "max_steps=-5", "integer >= 1"),
    (lambda: LOBPCG(tol=0.0), "tol=0.0", "number > 0"),
    (lambda: LOBPCG(init="ones"), "init='ones'", "'normal'"),
    (lambda: LOBPCG(preconditioner="ilu"), "preconditioner='ilu'", "'jacobi'"),
    (lambda: supra_graph(GRAPH, coupling=-2), "coupling=-2", "finite number >= 0"),
    (lambda: GRAPH.window(1, 0), "size=0", "integer >= 1"),
    (lambda: laplacian(GRAPH.adjacency(0), "signed"), "normalization='signed'", "'rw'"),
]

MATRICES = [
    (lambda: eigenpairs([[0, 1], [0, 0]], 1), "matrix", "symmetric"),
    (
        lambda: eigenpairs(sp.csr_array(np.array([[1.0, 2.0], [2.1, 1.0]])), 1),
        "matrix",
        r"\[0, 1\] is 2.0 and \[1, 0\] is 2.1",
    ),
    (lambda: eigenpairs(np.ones((2, 3)), 1), r"matrix.shape=\(2, 3\)", "square"),
    (lambda: eigenpairs(np.array([[np.nan]]), 1), "matrix", "finite"),
    (lambda: eigenpairs(np.ones(3), 1), "matrix", "two-dimensional"),
    (lambda: eigenpairs(np.array([["a"]]), 1), "matrix", "real numbers"),
    (lambda: laplacian([[0, -1], [-1, 0]]), "adjacency", "negative"),
    (lambda: laplacian([[0, 1], [2, 0]]), "adjacency", "symmetric"),
]


@pytest.mark.parametrize(
    ("call", "stated", "allowed"), ARGUMENTS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_arguments(call, stated, allowed):
    with pytest.raises(InvalidArgumentError) as caught:
        call()
    assert stated in str(caught.value)
    assert allowed in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("call", "stated", "allowed"), MATRICES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_matrices(call, stated, allowed):
    with pytest.raises(InvalidGraphError, match=f"(?s){stated}.*{allowed}"):
        call()
