"""The figures of a report: drawn once, written as files, and kept for the page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supra_core import TemporalGraph
from supra_core.files import write_whole
from supra_experiments.report.figures import Drawn, FigureData, available, save, svg
from supra_experiments.report.study import Study

SNAPSHOTS = 3
"""Of a graph that is drawn: more make matrices too small to read."""


@dataclass(frozen=True, eq=False)
class Extras:
    """What figures may show beside the runs.

    Attributes:
        solver_times: lines of ``supra bench scaling``.
        graph: a temporal graph whose matrices are shown.
        graph_name: its name.
    """

    solver_times: Sequence[Mapping[str, Any]] | None = None
    graph: TemporalGraph | None = None
    graph_name: str = ""


def draw_figures(
    study: Study, folder: Path, extras: Extras, report: Callable[[str], None] = lambda name: None
) -> list[Drawn]:
    """Draw what the records allow into ``name.svg``, ``name-dark.svg`` and ``name.png``.

    Args:
        study: what they are about.
        folder: made where it does not exist.
        extras: what else there is to draw.
        report: told the name of each figure.
    """
    graph = extras.graph
    if graph is not None:
        graph = graph.window(graph.num_snapshots - 1, min(SNAPSHOTS, graph.num_snapshots))
    data = FigureData(study.priced, study.paper, extras.solver_times, graph, extras.graph_name)
    drawn = []
    for spec, given in available(data):
        report(spec.name)
        title, alt = spec.title(*given), spec.alt(*given)
        path, _ = save(spec.draw(*given, theme="light"), folder, spec.name, title=title, alt=alt)
        dark = svg(spec.draw(*given, theme="dark"), f"{spec.name}-dark", title=title, alt=alt)
        write_whole(folder / f"{spec.name}-dark.svg", dark)
        light = path.read_text(encoding="utf-8")
        drawn.append(Drawn(spec.name, title, alt, spec.caption, light, dark))
    return drawn
