"""Plots and the demo: files that hold what they say, and values that reach the axes."""

import subprocess
import sys

import numpy as np
import pytest

from supra_core import InvalidArgumentError, generators, read_edges

pytest.importorskip("matplotlib", reason="the extra plot is not installed")

from supra_core import plot


def test_heat_maps_show_the_values():
    layers = np.random.default_rng(0).standard_normal((4, 7, 3))
    figure = plot.heat_maps(layers, channels=[2, 0], title="two of three")
    first, second = figure.axes[:2]
    np.testing.assert_array_equal(first.images[0].get_array(), layers[:, :, 2].T)
    np.testing.assert_array_equal(second.images[0].get_array(), layers[:, :, 0].T)
    assert len(plot.heat_maps(layers).axes) == 4  # three channels and the colour bar


def test_layers_show_every_edge_where_its_ends_are():
    graph = generators.path_layers(4, 3)
    values = np.arange(12.0).reshape(3, 4)
    [axis] = plot.layers(graph, values=values).axes
    [nodes] = axis.collections
    places = nodes.get_offsets().reshape(3, 4, 2)
    np.testing.assert_array_equal(nodes.get_array().ravel(), values.ravel())
    coupled, edges = axis.lines[:4], axis.lines[4:]
    for v, line in enumerate(coupled):
        np.testing.assert_allclose(line.get_xydata(), places[:, v])
    drawn = [line.get_xydata() for line in edges]
    assert len(drawn) == graph.num_edges
    for u, v, t, line in zip(graph.source, graph.target, graph.time, drawn, strict=True):
        np.testing.assert_allclose(line, places[t, [u, v]])


def test_coupling_lines_show_agreement_with_edges_between_layers_only():
    figure = plot.coupling_lines(generators.path_layers(20, 4), coupling=3.0, k=1, seed=1)
    alone, coupled = ([line.get_ydata() for line in axis.lines[:4]] for axis in figure.axes[:2])
    agree = [
        [float(a @ b) > 0 for a, b in zip(lines[1:], lines[:-1], strict=True)] for lines in (alone, coupled)
    ]
    assert not all(agree[0])
    assert all(agree[1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot.heat_maps(np.zeros((2, 3))), r"layers.shape=\(2, 3\): must be \(num_snapshots"),
        (lambda: plot.heat_maps(np.zeros((2, 3, 1)), channels=[1]), "channels=1: must be in 0 .. 0"),
        (lambda: plot.heat_maps(np.zeros((2, 3, 1)), channels=[]), r"channels=\[\]: must be at least one"),
        (
            lambda: plot.layers(generators.path_layers(3, 2), values=np.zeros((3, 2))),
            r"values.shape=\(3, 2\): must be \(2, 3\)",
        ),
        (lambda: plot.coupling_lines(generators.path_layers(3, 2), k=0), "k=0: must be an integer >= 1"),
    ],
)
def test_refused(call, message):
    with pytest.raises(InvalidArgumentError, match=message):
        call()


def test_demo(tmp_path):
    command = [sys.executable, "-m", "supra_core.demo", "--output", str(tmp_path / "demo")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "Proposition 1 holds" in done.stdout
    graph = read_edges(tmp_path / "demo" / "edges.csv")
    with np.load(tmp_path / "demo" / "encodings.npz") as stored:
        assert stored["layers"].shape == (graph.num_snapshots, graph.num_nodes, 3)
        assert np.isfinite(stored["layers"]).all()
    for name in ("encodings.png", "sign_consistency.png"):
        assert (tmp_path / "demo" / name).read_bytes().startswith(b"\x89PNG")
