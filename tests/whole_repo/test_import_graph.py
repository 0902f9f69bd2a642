"""No module needs itself by way of others, imports inside functions included; nor does a room."""

import xml.etree.ElementTree as ET

import networkx as nx
import pytest

from tools.import_graph import PICTURE, arrows, cycles, import_graph, modules, room_graph

# Arrows that still close a circle. Take one out when its circle is gone; add none.
KNOWN = {
    ("supra_core.encoding.cache", "supra_core"),
    ("supra_core.encoding.stream", "supra_core.encoding.encoder"),
    ("supra_core.encoding.windows", "supra_core.encoding.encoder"),
    ("supra_core.temporal_graph", "supra_core.doors"),
    ("wl_tests.verdict", "wl_tests.layer_wl"),
    ("wl_tests.verdict", "wl_tests.supra_wl"),
}
KNOWN_OF_ROOMS: set[tuple[str, str]] = set()

MODULES = modules()
GRAPH = import_graph(MODULES)


def without(graph: nx.DiGraph, known: set[tuple[str, str]]) -> nx.DiGraph:
    rest = graph.copy()
    rest.remove_edges_from(known)
    return rest


def test_modules_do_not_import_each_other_in_a_circle():
    assert cycles(without(GRAPH, KNOWN)) == []


def test_rooms_do_not_import_each_other_in_a_circle():
    rooms = room_graph(without(GRAPH, KNOWN), MODULES)
    assert cycles(without(rooms, KNOWN_OF_ROOMS)) == []


def test_what_is_excused_is_still_needed():
    """An arrow that closes no circle any more leaves the list, so that it cannot come back."""
    for one, other in KNOWN:
        assert GRAPH.has_edge(one, other), f"{one} → {other} is gone: take it out of KNOWN"
        assert nx.has_path(GRAPH, other, one), f"{one} → {other} closes no circle: take it out of KNOWN"
    rooms = room_graph(without(GRAPH, KNOWN), MODULES)
    for one, other in KNOWN_OF_ROOMS:
        assert rooms.has_edge(one, other), f"{one} → {other} is gone: take it out of KNOWN_OF_ROOMS"
        assert nx.has_path(rooms, other, one), (
            f"{one} → {other} closes no circle: take it out of KNOWN_OF_ROOMS"
        )


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
    assert cycles(without(graph, {("c", "a")})) == []
