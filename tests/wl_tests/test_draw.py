"""The picture of two temporal graphs."""

import subprocess
import sys

import pytest

from supra_core import InvalidArgumentError
from wl_tests import gallery, layer_wl, supra_wl

from .oracles import make

pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
draw = pytest.importorskip("wl_tests.draw")

PAIR = gallery.moved_edge()


def test_layers_in_columns_temporal_edges_dashed_colours_of_the_last_round():
    figure = draw.draw_pair(PAIR.first, PAIR.second)
    colours = supra_wl(PAIR.first, PAIR.second).rounds[-1]
    assert len(figure.axes) == 2
    fills = {}
    for axes, graph, expected in zip(figure.axes, (PAIR.first, PAIR.second), colours, strict=True):
        assert [tick.get_text() for tick in axes.get_xticklabels()] == ["t = 0", "t = 1"]
        assert [line.get_linestyle() for line in axes.lines] == ["--"] * graph.num_nodes
        assert len(axes.patches) == graph.num_edges
        (dots,) = axes.collections
        places = dots.get_offsets().tolist()
        assert places == [[t, v] for t in range(2) for v in range(3)]
        for (t, v), fill in zip(places, dots.get_facecolors().tolist(), strict=True):
            fills.setdefault(expected[int(t), int(v)], set()).add(tuple(fill))
        assert sorted(text.get_text() for text in axes.texts) == sorted(map(str, expected.ravel().tolist()))
    assert all(len(used) == 1 for used in fills.values())
    assert len(set.union(*fills.values())) == len(fills)


def test_it_is_written_where_asked(tmp_path):
    path = tmp_path / "pair.svg"
    draw.draw_pair(PAIR.first, PAIR.second, test=layer_wl, numbers=False).savefig(path)
    assert path.stat().st_size > 1000


def test_the_title_is_the_verdict():
    figure = draw.draw_pair(PAIR.first, PAIR.second, test=layer_wl)
    assert figure.get_suptitle().startswith("layer_wl: inconclusive")


def test_too_much_to_draw_is_refused():
    with pytest.raises(InvalidArgumentError, match="g supra-nodes=3000"):
        draw.draw_pair(make([], 1500, 2), make([], 2, 2))


@pytest.mark.parametrize(
    ("package", "use", "extra"),
    [
        ("matplotlib", "from wl_tests.draw import draw_pair; draw_pair(graph, graph)", "plot"),
        ("hypothesis", "import wl_tests.strategies", "hypothesis"),
    ],
)
def test_a_missing_extra_is_named(package, use, extra):
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from supra_core import TemporalGraph\n"
        f"graph = TemporalGraph.from_edges([0], [1], [0])\n{use}"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    hint = f"ImportError: this needs {package}, of the extra wl-tests[{extra}]: pip install {package}"
    assert done.stderr.splitlines()[-1] == hint
