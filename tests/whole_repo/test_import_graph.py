"""No module needs itself by way of others, imports inside functions included; nor does a room."""

import xml.etree.ElementTree as ET

import networkx as nx
import pytest

from tools.import_graph import PICTURE, arrows, cycles, import_graph, modules, room_graph

MODULES = modules()
GRAPH = import_graph(MODULES)


def test_modules_do_not_import_each_other_in_a_circle():
    assert cycles(GRAPH) == []


def test_rooms_do_not_import_each_other_in_a_circle():
    assert cycles(room_graph(GRAPH, MODULES)) == []


def test_the_picture_shows_the_imports_of_today():
    [shown] = ET.parse(PICTURE).iter("{http://purl.org/dc/elements/1.1/}description")
    assert shown.text == arrows(room_graph(GRAPH, MODULES)), "run `make imports`"


# ── the graph itself, on sources written for it ────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a.sub.two", "a.sub.two"),
        ("from a.sub import two", "a.sub.two"),
        ("from a.sub import something", "a.sub"),
        ("from . import sub", "a.sub"),
        ("from .sub.two import something", "a.sub.two"),
        ("def later():\n    from a.sub import two", "a.sub.two"),
        ("try:\n    import a.sub.two\nexcept ImportError:\n    pass", "a.sub.two"),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a.sub.two", None),
        ("import numpy", None),
    ],
)
def test_every_way_to_import_is_one_arrow(tmp_path, text, expected):
    files = {"__init__.py": "", "sub/__init__.py": "", "sub/two.py": "", "one.py": text}
    for name, content in files.items():
        path = tmp_path / "packages" / "some" / "src" / "a" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    graph = import_graph(modules(tmp_path))
    assert set(graph.edges) == ({("a.one", expected)} if expected else set())


def test_a_circle_is_found_whole():
    graph = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    assert cycles(graph) == [["a", "b", "c"]]
    graph.remove_edge("c", "a")
    assert cycles(graph) == []
