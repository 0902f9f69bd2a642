"""The transform for one graph, beside PyG's own and dense decompositions."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supra_core import (
    LOBPCG,
    ConvergenceWarning,
    InvalidArgumentError,
    InvalidGraphError,
    Lanczos,
    TruncationWarning,
    generators,
)

torch = pytest.importorskip("torch", reason="the extra pyg is not installed")
pytest.importorskip("torch_geometric", reason="the extra pyg is not installed")

import torch_geometric.transforms as T  # noqa: E402, N812
from torch_geometric.data import Data, HeteroData  # noqa: E402

from supra_core.pyg import AddLaplacianPE  # noqa: E402


def data_of(A):
    """Both directions of every edge, in PyG's way."""
    A = np.asarray(A)
    row, column = np.nonzero(A)
    weight = torch.from_numpy(A[row, column].astype(float))
    return Data(edge_index=torch.tensor(np.stack([row, column])), edge_weight=weight, num_nodes=len(A))


def normalised(A):
    """I − D^-1/2 A D^-1/2, dense, by its definition."""
    root = 1 / np.sqrt(A.sum(axis=1))
    return np.eye(len(A)) - root[:, None] * A * root


@st.composite
def weighted_graphs(draw, max_nodes=14):
    """Adjacency matrices without isolated nodes, of one or more components."""
    n = draw(st.integers(2, max_nodes))
    A = np.zeros((n, n))
    for u in range(n):
        v = draw(st.integers(0, n - 2))
        A[u, v + (v >= u)] = draw(st.integers(1, 8)) / 4
    return np.maximum(A, A.T)


@settings(deadline=None)
@given(A=weighted_graphs(), k=st.integers(1, 5))
def test_lowest_eigenvectors_but_the_trivial_one(A, k):
    k = min(k, len(A) - 1)
    with torch_default(torch.float64):
        pe = AddLaplacianPE(k)(data_of(A)).pe.numpy()
    L = normalised(A)
    trivial = np.sqrt(A.sum(axis=1))
    X = np.column_stack([trivial / np.linalg.norm(trivial), pe])
    np.testing.assert_allclose(X.T @ X, np.eye(k + 1), atol=1e-9)
    np.testing.assert_allclose(X.T @ L @ X, np.diag(np.linalg.eigvalsh(L)[: k + 1]), atol=1e-9)
    # The first of the largest entries is positive; entries that differ by rounding are equally large.
    first = np.argmax(np.abs(pe) >= (1 - 1e-6) * np.abs(pe).max(axis=0), axis=0)
    assert (pe[first, np.arange(k)] > 0).all()


class torch_default:  # noqa: N801 - used as a function
    """PyTorch's default type for a while."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __enter__(self):
        self.before = torch.get_default_dtype()
        torch.set_default_dtype(self.dtype)

    def __exit__(self, *args):
        torch.set_default_dtype(self.before)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("num_nodes", [60, 700])
@pytest.mark.parametrize("is_undirected", [False, True])
def test_beside_pyg(num_nodes, is_undirected, weighted):
    """The same layout and, up to signs, the same vectors, where the eigenvalues are apart."""
    A = generators.barabasi_albert(num_nodes, 1, m=2, seed=1).adjacency(0).toarray()
    data = data_of(np.triu(A * np.random.default_rng(0).uniform(1, 2, A.shape)) if weighted else np.triu(A))
    data = T.ToUndirected()(data)
    if not weighted:
        del data.edge_weight
    theirs = T.AddLaplacianEigenvectorPE(4, "pe", is_undirected=True)(data).pe.double()
    with torch_default(torch.float64):
        ours = AddLaplacianPE(4, "pe", is_undirected=is_undirected)(data).pe
    assert ours.shape == theirs.shape
    np.testing.assert_allclose((ours * theirs).sum(dim=0).abs().numpy(), 1, atol=1e-5)


def test_nodes_without_edges_get_zeros():
    path = Data(edge_index=torch.tensor([[1, 3, 3, 4], [3, 1, 4, 3]]), num_nodes=6)
    dense = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    pe = AddLaplacianPE(2)(path).pe
    torch.testing.assert_close(pe[[1, 3, 4]], AddLaplacianPE(2)(dense).pe)
    assert not pe[[0, 2, 5]].any()


def test_directions_loops_and_duplicates():
    one_way = Data(edge_index=torch.tensor([[0, 1, 2, 2], [1, 2, 3, 2]]), num_nodes=4)
    both = T.ToUndirected()(Data(edge_index=one_way.edge_index[:, :3], num_nodes=4))
    assert torch.equal(AddLaplacianPE(3)(one_way).pe, AddLaplacianPE(3, is_undirected=True)(both).pe)
    with pytest.raises(InvalidGraphError, match="data: adjacency: must be symmetric"):
        AddLaplacianPE(3, is_undirected=True)(one_way)


def test_it_is_repeatable_and_leaves_its_input_alone():
    data = data_of(generators.barabasi_albert(500, 1, m=3, seed=2).adjacency(0).toarray())
    keys = set(data.keys())
    first, second = AddLaplacianPE(5)(data), AddLaplacianPE(5)(data)
    assert torch.equal(first.pe, second.pe)
    assert set(data.keys()) == keys
    appended = AddLaplacianPE(5, None)(Data(x=torch.arange(500), edge_index=data.edge_index)).x
    assert appended.shape == (500, 6)
    assert appended.dtype == torch.get_default_dtype()


def test_too_few_eigenvectors():
    triangle = Data(edge_index=torch.tensor([[0, 1, 2], [1, 2, 0]]), num_nodes=5)
    with pytest.warns(TruncationWarning, match="k=4: a graph of 3 nodes with edges has fewer"):
        pe = AddLaplacianPE(4)(triangle).pe
    assert pe.shape == (5, 4)
    assert pe[:3, :2].any(dim=0).all()
    assert not pe[:, 2:].any()
    with pytest.warns(TruncationWarning):
        assert not AddLaplacianPE(2)(Data(edge_index=torch.zeros(2, 0).long(), num_nodes=3)).pe.any()


def test_what_did_not_converge_is_said():
    data = data_of(generators.barabasi_albert(600, 1, m=2, seed=0).adjacency(0).toarray())
    transform = AddLaplacianPE(6, solver=LOBPCG(max_steps=2))
    with pytest.warns(ConvergenceWarning, match=r"(?s)AddLaplacianPE\(k=6.*of 7 pairs converged") as caught:
        transform(data)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AddLaplacianPE(6)(data)


def test_its_repr_says_all():
    text = repr(AddLaplacianPE(4, None, True, tol=1e-3, solver=Lanczos(), seed=7))
    assert (
        text
        == f"AddLaplacianPE(k=4, attr_name=None, is_undirected=True, tol=0.001, solver={Lanczos()!r}, seed=7)"
    )


ONE = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=3)
REFUSED = {
    "k": (lambda: AddLaplacianPE(0), "k=0: must be an integer >= 1"),
    "name": (lambda: AddLaplacianPE(1, 3), "attr_name=3: must be a name or None"),
    "undirected": (lambda: AddLaplacianPE(1, "pe", "yes"), "is_undirected='yes': must be one of True, False"),
    "tol": (lambda: AddLaplacianPE(1, tol=0), "tol=0: must be a finite number > 0"),
    "solver": (lambda: AddLaplacianPE(1, solver="arpack"), "solver='arpack': must be None or a solver"),
    "seed": (lambda: AddLaplacianPE(1, seed=-1), "seed=-1: must be an integer >= 0"),
    "list": (lambda: AddLaplacianPE(1)([ONE]), "must be one Data, or a Batch of several"),
    "hetero": (lambda: AddLaplacianPE(1)(HeteroData()), "must be one Data"),
    "no edges": (lambda: AddLaplacianPE(1)(Data(num_nodes=3)), "must be a Data with an edge_index"),
    "an id": (
        lambda: AddLaplacianPE(1)(Data(edge_index=torch.tensor([[0], [7]]), num_nodes=3)),
        r"data.edge_index\[1\]\[0\]=7: must be below num_nodes=3",
    ),
}


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(call, message):
    with pytest.raises((InvalidArgumentError, InvalidGraphError), match=message):
        call()
