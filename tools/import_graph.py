"""Who imports whom, deferred imports included: lists cycles, and draws the rooms.

``python tools/import_graph.py`` writes ``docs/imports.svg``, and fails where modules import each other in a
circle. An import counts wherever it is written, also inside a function: one that is put off until it is used
hides a cycle and does not dissolve it. Only what is written under ``if TYPE_CHECKING`` is left out, since no
program ever runs it.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "imports.svg"
COLOURS = {
    "supra_core": "#cfe8d5",
    "wl_tests": "#fbe3c4",
    "tgnn_models": "#e4d7f2",
    "supra_experiments": "#d3e3f6",
}


def modules(root: Path = ROOT) -> dict[str, Path]:
    """Every module of every package, by its dotted name; a folder's name is that of its ``__init__.py``."""
    found = {}
    for source in sorted(root.glob("packages/*/src")):
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _statements(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        yield from _statements(node)


def import_graph(found: dict[str, Path]) -> nx.DiGraph:
    """One arrow from each module to each module of ours that it names in an import.

    Args:
        found: file by dotted name, from :func:`modules`.
    """
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(found)
    for name, path in found.items():
        folder = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for statement in _statements(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
            if isinstance(statement, ast.Import):
                named = [alias.name for alias in statement.names]
            else:
                above = folder.split(".")[: len(folder.split(".")) - statement.level + 1]
                base = ".".join(above if statement.level else []) + ("." if statement.level else "")
                base = (base + (statement.module or "")).strip(".")
                # `from folder import module` needs the module; `from folder import name` needs the folder.
                inside = {alias.name: f"{base}.{alias.name}" for alias in statement.names}
                named = [inner if inner in found else base for inner in inside.values()]
            graph.add_edges_from((name, other) for other in named if other in found and other != name)
    return graph


def cycles(graph: nx.DiGraph) -> list[list[str]]:
    """Sets of modules each of which needs all others of its set, sorted."""
    return sorted(sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1)


def rooms_of(graph: nx.DiGraph, found: dict[str, Path]) -> dict[str, str]:
    """The folder in which each module is.

    What lies loose beside folders is of three kinds. ``ground`` needs none of the folders (errors, checks);
    ``front`` is needed by none of them (``__init__.py`` and other doors); a module between is its own room.
    """
    parents = {name.rpartition(".")[0] for name in found}
    # A folder of data with nothing but its ``__init__.py`` is a module of the folder around it.
    folders = {name for name, path in found.items() if path.name == "__init__.py" and name in parents}
    folder_of = {name: name if name in folders else name.rpartition(".")[0] for name in graph}
    rooms = dict(folder_of)
    for name, folder in folder_of.items():
        inner = {other for other, its in folder_of.items() if its.startswith(f"{folder}.")}
        if inner:
            if not nx.descendants(graph, name) & inner:
                rooms[name] = f"{folder}, ground"
            elif not nx.ancestors(graph, name) & inner:
                rooms[name] = f"{folder}, front"
            else:
                last = name.removeprefix(folder).strip(".") or "__init__"
                rooms[name] = f"{folder}, {last}"
    return rooms


def room_graph(graph: nx.DiGraph, found: dict[str, Path]) -> nx.DiGraph:
    """The same arrows between rooms; a room knows its number of modules, an arrow its imports."""
    room_of = rooms_of(graph, found)
    rooms: nx.DiGraph = nx.DiGraph()
    for room in room_of.values():
        rooms.add_node(room, modules=rooms.nodes.get(room, {}).get("modules", 0) + 1)
    for one, other in graph.edges:
        if room_of[one] != room_of[other]:
            rooms.add_edge(room_of[one], room_of[other], imports=[])
            rooms.edges[room_of[one], room_of[other]]["imports"] += [(one, other)]
    return rooms


def arrows(rooms: nx.DiGraph) -> str:
    """The arrows between folders as one line of text: what the picture shows, kept in the picture."""
    return "; ".join(f"{one} → {other}" for one, other in sorted(rooms.edges))


def draw(rooms: nx.DiGraph, path: Path) -> None:
    """Folders in rows: each needs only what stands below it. Arrows of a circle of folders are red."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams.update({"svg.hashsalt": "imports", "svg.fonttype": "none"})
    circles = nx.condensation(rooms)
    rows = list(nx.topological_generations(circles.reverse()))
    # An arrow that a chain of others implies says nothing new and would hide the others.
    shown = nx.transitive_reduction(circles)
    position = {}
    for height, row in enumerate(rows):
        names = sorted(name for part in row for name in circles.nodes[part]["members"])
        for column, name in enumerate(names):
            position[name] = (column - (len(names) - 1) / 2, height)
    part_of = circles.graph["mapping"]
    figure, axes = plt.subplots(figsize=(11, 0.95 * len(rows) + 0.5))
    for one, other in rooms.edges:
        is_circle = part_of[one] == part_of[other]
        if is_circle or shown.has_edge(part_of[one], part_of[other]):
            colour, width = ("#c62828", 1.6) if is_circle else ("#8a8f98", 1.0)
            arrow = {"arrowstyle": "-|>", "color": colour, "lw": width, "shrinkA": 14, "shrinkB": 14}
            axes.annotate(
                "", position[other], position[one], arrowprops=arrow | {"connectionstyle": "arc3,rad=0.08"}
            )
    for name, place in position.items():
        package, inner = [*re.split(r"\.|, ", name, maxsplit=1), ""][:2]
        count = rooms.nodes[name]["modules"]
        axes.text(
            *place,
            f"{package}\n{inner} ({count})".replace("\n (", " ("),
            ha="center",
            va="center",
            fontsize=8,
            bbox={"boxstyle": "round,pad=0.35", "fc": COLOURS.get(package, "#eeeeee"), "ec": "#5f6b7a"},
        )
    span = max(abs(x) for x, _ in position.values()) + 0.6
    axes.set(xlim=(-span, span), ylim=(-0.6, len(rows) - 0.4))
    axes.axis("off")
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_suffix(".tmp")
    description = {"Title": "Imports between folders", "Description": arrows(rooms), "Date": None}
    figure.savefig(written, format="svg", bbox_inches="tight", metadata=description)
    plt.close(figure)
    written.replace(path)


def main() -> int:
    """Draw, list the cycles, and say by the exit code whether there are any."""
    found = modules()
    graph = import_graph(found)
    rooms = room_graph(graph, found)
    draw(rooms, PICTURE)
    print(f"{len(graph)} modules, {len(graph.edges)} imports: {PICTURE.relative_to(ROOT)}")
    for members in cycles(graph):
        print("modules in a circle: " + ", ".join(members))
    for members in cycles(rooms):
        print("folders in a circle: " + ", ".join(members))
    return 1 if cycles(graph) else 0


if __name__ == "__main__":
    sys.exit(main())
