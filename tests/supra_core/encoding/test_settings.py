"""Every setting of an encoder reaches the solver or is refused; what comes back is laid out as it says."""

import numpy as np
import pytest

from supra_core import (
    LOBPCG,
    Auto,
    Davidson,
    Encoder,
    InvalidArgumentError,
    Lanczos,
    TemporalGraph,
    eigenpairs,
    generators,
    laplacian,
    supra_graph,
)
from supra_core.encoding.decomposition import canonical_signs

from ..encoders import plain

GRAPH = generators.barabasi_albert(40, 6, m=2, seed=2)
LARGE = generators.barabasi_albert(700, 1, m=2, seed=1)  # beyond the dense shortcut

CASES = [
    ({"variant": "inexact", "max_steps": 3}, LOBPCG(3), 0),
    ({"variant": "inexact", "max_steps": 3, "seed": 5}, LOBPCG(3), 5),
    ({"variant": "inexact", "max_steps": 40}, LOBPCG(40), 0),
    ({"variant": "inexact", "max_steps": 3, "init": "rademacher"}, LOBPCG(3, init="rademacher"), 0),
    ({"variant": "inexact", "max_steps": 3, "init": "uniform"}, LOBPCG(3, init="uniform"), 0),
    (
        {"variant": "inexact", "max_steps": 3, "preconditioner": "jacobi"},
        LOBPCG(3, preconditioner="jacobi"),
        0,
    ),
    ({"tol": 1e-2}, Auto(tol=1e-2), 0),
    ({}, Auto(tol=1e-6), 0),
    ({"seed": 3}, Auto(tol=1e-6), 3),
    ({"solver": Davidson(1e-2)}, Davidson(1e-2), 0),
    ({"solver": Lanczos(1e-2), "seed": 4}, Lanczos(1e-2), 4),
]


@pytest.mark.parametrize(("settings", "solver", "seed"), CASES, ids=[str(case[0]) for case in CASES])
def test_the_pairs_are_those_of_the_solver_called_by_hand(settings, solver, seed):
    """Bit for bit."""
    L = laplacian(supra_graph(LARGE).adjacency)
    expected = eigenpairs(L, 4, solver, rng=seed)
    found = Encoder.paper(k=3, window=1, **settings).encode(LARGE, 0).result
    assert np.array_equal(found.eigenvectors, expected.eigenvectors)
    assert found.solver == expected.solver


def test_settings_of_the_table_differ():
    """Or the comparison above would show nothing."""
    inexact = [case for case in CASES if "variant" in case[0]]
    exact = [({"tol": tol},) for tol in (1e-1, 1e-8)]
    exact += [({"solver": Lanczos(1e-2), "seed": seed},) for seed in (0, 4)]
    for cases in (inexact, exact):
        found = [Encoder.paper(k=3, window=1, **case[0]).encode(LARGE, 0).result for case in cases]
        assert len({each.eigenvectors.tobytes() for each in found}) == len(cases)


def literal_signs(vectors: np.ndarray) -> np.ndarray:
    """Column by column: the first of the entries within 1e-6 of the largest is positive."""
    signs = []
    for column in vectors.T:
        largest = max(abs(column))
        first = next(value for value in column if abs(value) >= (1 - 1e-6) * largest)
        signs.append(-1.0 if first < 0 else 1.0)
    return np.array(signs)


@pytest.mark.parametrize("method", ["slpe", "lpe"])
def test_without_alignment_every_window_has_canonical_signs(method):
    for encoding in plain(method, k=4, window=3, align=None).encode_all(GRAPH):
        for part, turn in zip(encoding.decompositions, encoding.turns, strict=True):
            assert np.array_equal(turn, np.diag(literal_signs(part.vectors[-1])))


def test_the_largest_entry_is_positive_and_ties_go_to_the_first():
    columns = np.array([[0.5, -0.5, -0.2], [-0.5 - 1e-9, 0.5 + 1e-9, 0.9], [0.1, 0.1, -0.9 - 1e-3]])
    assert canonical_signs(columns).tolist() == [1.0, -1.0, -1.0]
    assert canonical_signs(np.zeros((0, 2))).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("variant", ["exact", "trajectory"])
def test_eigenvalue_channels_stand_beside_their_eigenvectors(variant):
    """Step by step, eigenvector by eigenvector, in the same order as the vectors' own channels."""
    encoder = plain("slpe", variant, k=3, window=2, max_steps=2, with_eigenvalues=True)
    encoding = encoder.encode(GRAPH, 5)
    steps = 2 if variant == "trajectory" else 1
    if variant == "trajectory":
        expected = encoding.result.trajectory.eigenvalues[:, 1:].ravel()
    else:
        expected = encoding.result.eigenvalues[1:]
    assert len(set(expected)) == 3 * steps
    node = int(np.flatnonzero(GRAPH.active(5))[0])
    assert encoding.values[node, 3 * steps :].tolist() == expected.tolist()


def test_a_trajectory_that_ends_early_stays_where_it_ended():
    """A graph so small that LOBPCG is done before its steps are: the rest repeats its last vectors."""
    graph = generators.path_layers(8, 1)
    num_ended = 0
    # Which starts come down to the rounding of their residuals differs from processor to processor; many do.
    for seed in range(12):
        encoder = plain("lpe", "trajectory", k=1, max_steps=60, global_nodes=False, seed=seed)
        encoding = encoder.encode(graph, 0)
        run = encoding.result.trajectory.eigenvectors
        part = encoding.decompositions[0].vectors[:, :, 0]
        assert np.array_equal(part[: len(run)], run[:, :, 1])
        assert all(np.array_equal(step, run[-1, :, 1]) for step in part[len(run) :])
        assert not np.array_equal(part[0], part[-1])
        num_ended += 1 < len(run) < 60
    assert num_ended > 0


def test_the_trivial_vector_of_sym_is_the_root_of_degrees():
    """On several components of unlike degrees, where the constant vector is not in the null space."""
    graph = TemporalGraph.from_edges([0, 0, 0, 4, 6, 6], [1, 2, 3, 5, 7, 8], [0] * 6)
    encoder = plain("lpe", k=4, global_nodes=False, normalization="sym")
    part = encoder.encode(graph, 0).decompositions[0]
    roots = np.sqrt([3, 1, 1, 1, 1, 1, 2, 1, 1])
    np.testing.assert_allclose(roots @ part.vectors[0], 0, atol=1e-10)
    np.testing.assert_allclose(part.vectors[0].T @ part.vectors[0], np.eye(4), atol=1e-10)


@pytest.mark.parametrize("align", [None, "signs", "rotation"])
@pytest.mark.parametrize("variant", ["exact", "inexact", "trajectory"])
@pytest.mark.parametrize("method", ["slpe", "lpe"])
@pytest.mark.parametrize("normalization", [None, "sym", "rw"])
@pytest.mark.parametrize("global_nodes", [True, False])
@pytest.mark.parametrize("coupling", [0.0, 1.0])
def test_windows_without_edges_have_finite_encodings(
    method, variant, normalization, align, global_nodes, coupling
):
    """Also where nodes without edges keep their rows, and every vector is in the null space."""
    graph = TemporalGraph.from_edges([0], [1], [1], num_nodes=5, num_snapshots=4)
    settings = {"drop_isolated": False, "global_nodes": global_nodes, "coupling": coupling, "align": align}
    encoder = plain(method, variant, k=2, window=2, max_steps=2, normalization=normalization, **settings)
    for encoding in encoder.encode_all(graph):
        assert np.isfinite(encoding.layers).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"align": "sign"}, "align='sign': must be one of 'rotation', 'signs', None"),
        ({"align": True}, "align=True: must be one of"),
        ({"absent": "first"}, "absent='first': must be one of 'last', 'zeros'"),
        ({"scale": "columns"}, "scale='columns': must be one of 'rows', None"),
        ({"with_age": 1}, "with_age=1: must be one of True, False"),
        ({"max_steps": 5}, "max_steps=5: must be left out: it belongs to variant='inexact' and 'trajectory'"),
        (
            {"preconditioner": "jacobi"},
            "preconditioner='jacobi': must be left out: it belongs to variant='in",
        ),
        ({"init": "uniform"}, "init='uniform': must be 'normal' or 'previous', or left out: it belongs to"),
        ({"restart_every": 4}, "restart_every=4: must be left out: it belongs to init='previous'"),
        ({"variant": "inexact", "tol": 1e-3}, "tol=0.001: must be left out: it belongs to variant='exact'"),
        (
            {"variant": "trajectory", "tol": 1e-3},
            "tol=0.001: must be left out: it belongs to variant='exact'",
        ),
        (
            {"solver": Lanczos(), "tol": 1e-3},
            "tol=0.001: must be left out: it belongs to variant='exact' with",
        ),
    ],
)
def test_bad_and_idle_settings_are_refused(settings, message):
    with pytest.raises(InvalidArgumentError) as caught:
        Encoder(**settings)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("variant", ["inexact", "trajectory"])
def test_a_solver_is_refused_where_there_is_no_choice(variant):
    with pytest.raises(
        InvalidArgumentError, match=r"^solver=Lanczos\(.*: must be left out: it belongs to var"
    ):
        Encoder(variant=variant, solver=Lanczos())
