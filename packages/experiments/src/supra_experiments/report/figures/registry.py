"""Every figure of the study by name: what it needs, how it is drawn, what it finds, how it is read."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from supra_core import TemporalGraph
from supra_experiments.analysis.agreement import compare
from supra_experiments.analysis.averages import rank_encodings
from supra_experiments.analysis.contrasts import gain_by_encoding
from supra_experiments.analysis.cost import cost_by_encoding
from supra_experiments.analysis.frame import DATASETS, RUN_COLUMNS, cells, is_learned, ordered, paper_cells
from supra_experiments.report.figures import (
    agreement,
    auc,
    cost,
    gains,
    matrices,
    ranks,
    smoothness,
    solver_time,
)
from supra_experiments.report.figures.canvas import save


@dataclass(frozen=True, eq=False)
class FigureData:
    """What figures are drawn from. Whatever is missing, the figures that need it are left out.

    Attributes:
        runs: as of ``analysis.frame.runs``.
        paper: as of ``analysis.frame.paper_cells``.
        solver_times: lines of ``supra bench scaling``.
        graph: a window of a real temporal graph, some hundred nodes and a few snapshots.
        graph_name: its name.
    """

    runs: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=RUN_COLUMNS))
    paper: pd.DataFrame = field(default_factory=paper_cells)
    solver_times: Sequence[Mapping[str, Any]] = ()
    graph: TemporalGraph | None = None
    graph_name: str = ""

    @cached_property
    def cells(self) -> pd.DataFrame:
        """Means over seeds."""
        return cells(self.runs)


@dataclass(frozen=True, eq=False)
class FigureSpec:
    """A figure of the study.

    Attributes:
        name: of its files.
        given: from the data to the arguments of the three functions below; None where there is nothing to
            draw.
        draw: makes the figure; takes ``theme`` as well.
        title: what it finds, from the data.
        alt: what it shows, for those who do not see it.
        caption: how it is read.
    """

    name: str
    given: Callable[[FigureData], tuple[Any, ...] | None]
    draw: Callable[..., Figure]
    title: Callable[..., str]
    alt: Callable[..., str]
    caption: str


@dataclass(frozen=True)
class Drawn:
    """A figure in both themes, as SVG, and its words.

    Attributes:
        name, title, alt, caption: see :class:`FigureSpec`.
        light, dark: SVG texts.
    """

    name: str
    title: str
    alt: str
    caption: str
    light: str
    dark: str


def available(data: FigureData) -> Iterator[tuple[FigureSpec, tuple[Any, ...]]]:
    """The figures that the data allow, with their arguments: :data:`FIGURES`, and AUC on other datasets.

    Example:
        >>> [spec.name for spec, _ in available(FigureData())]
        []
    """
    others = ordered(set(data.runs["dataset"]) - set(DATASETS), ())
    for spec in (*map(_auc_spec, others), *FIGURES.values()):
        given = spec.given(data)
        if given is not None:
            yield spec, given


def draw_figures(
    data: FigureData, folder: Path, progress: Callable[[str], None] = lambda name: None
) -> list[Drawn]:
    """Draw what the data allow into ``name.svg``, ``name-dark.svg`` and ``name.png``, and tell each name."""
    drawn = []
    for spec, given in available(data):
        progress(spec.name)
        title, alt = spec.title(*given), spec.alt(*given)
        light, dark = (spec.draw(*given, theme=theme) for theme in ("light", "dark"))
        texts = save(light, dark, folder, spec.name, title, alt)
        drawn.append(Drawn(spec.name, title, alt, spec.caption, *texts))
    return drawn


def _auc_spec(dataset: str) -> FigureSpec:
    return FigureSpec(
        "auc_" + re.sub(r"[^a-z0-9]+", "_", dataset.lower()).strip("_"),
        partial(_auc, dataset),
        auc.auc_by_variant,
        lambda runs, paper, dataset: auc.title(runs, dataset),
        lambda runs, paper, dataset: auc.alt(runs, dataset),
        _AUC_CAPTION,
    )


def _auc(dataset: str, data: FigureData) -> tuple[Any, ...] | None:
    mine = data.runs[(data.runs["dataset"] == dataset) & is_learned(data.runs)]
    return (data.runs, data.paper, dataset) if mine["auc"].notna().any() else None


def _agreement(data: FigureData) -> tuple[Any, ...] | None:
    compared = compare(data.cells, data.paper)
    return (compared,) if len(compared) else None


def _ranks(data: FigureData) -> tuple[Any, ...] | None:
    if not is_learned(data.cells).any():
        return None
    ranking = rank_encodings(data.cells)
    return (ranking,) if ranking.num_settings and len(ranking.names) > 1 else None


def _cost(data: FigureData) -> tuple[Any, ...] | None:
    table = cost_by_encoding(data.runs)
    table = table[table["encoding_seconds"] > 0]
    return (table,) if len(table) > 1 else None  # a single mark is no comparison


def _smoothness(data: FigureData) -> tuple[Any, ...] | None:
    """Eigenvectors with and without edges between layers, of the graph and, beside it, of an example."""
    if data.graph is None:
        return None
    found = [smoothness.compare(smoothness.example(), "two communities")]
    if smoothness.fits(data.graph):
        found.append(smoothness.compare(data.graph, data.graph_name))
    return (found,)


def _gains(data: FigureData) -> tuple[Any, ...] | None:
    table = gain_by_encoding(data.runs)
    return (table,) if len(table) else None


_AUC_CAPTION = (
    "Each panel is a model with one kind of features, each row an encoding. Vertical lines are scores that "
    "learn nothing: what lies left of them is beaten by counting. Intervals are Student's t over seeds."
)

_SPECS = (
    FigureSpec(
        "gains",
        _gains,
        gains.gains,
        gains.title,
        gains.alt,
        "Mean AUC points over no encoding, each setting of dataset, model and features once; the interval is "
        "over settings, or over the seeds of a single one.",
    ),
    *map(_auc_spec, ("enron10", "canparl", "dblp", "as733")),
    FigureSpec(
        "agreement",
        _agreement,
        agreement.agreement,
        agreement.title,
        agreement.alt,
        "Each mark is the mean of one cell: dataset, model, features and encoding. Above the line we are "
        "better; in the band the difference is at most three points. Panels say how many cells are in it or "
        "above.",
    ),
    FigureSpec(
        "ranks",
        _ranks,
        ranks.critical_difference,
        ranks.title,
        ranks.alt,
        "Encodings by their average rank over the settings in which all were run. A thick bar joins those "
        "that Nemenyi's test cannot tell apart: they differ by less than the critical difference (CD).",
    ),
    FigureSpec(
        "cost",
        _cost,
        cost.accuracy_against_cost,
        cost.title,
        cost.alt,
        "Up is better, left is cheaper. Gains are means over the settings that have every encoding, with the "
        "95 % interval over seeds where there are three or more; seconds are the median over runs.",
    ),
    FigureSpec(
        "solver_time",
        lambda data: (data.solver_times,) if data.solver_times else None,
        solver_time.solver_time,
        solver_time.title,
        solver_time.alt,
        "Processor time of one thread to the eight smallest eigenpairs of combinatorial Laplacians. Powers "
        "of ten are the residual norm that was asked for; LOBPCG stops after its steps, however far it came.",
    ),
    FigureSpec(
        "smoothness",
        _smoothness,
        smoothness.eigenvector_smoothness,
        smoothness.title,
        smoothness.alt,
        "Above, one line a node: the smoothest eigenvector that tells nodes apart. Layers on their own come "
        "with signs of their own; joined layers agree. Below, both sums of Proposition 1, for the smoothest "
        "vectors.",
    ),
    FigureSpec(
        "matrices",
        lambda data: (data.graph, data.graph_name) if data.graph is not None else None,
        matrices.matrices,
        matrices.title,
        matrices.alt,
        "Dots are entries that are not zero, with a global node in every snapshot. Snapshots stand on the "
        "diagonal; the lines beside it join each node to itself in the snapshots before and after.",
    ),
)
FIGURES = {spec.name: spec for spec in _SPECS}
