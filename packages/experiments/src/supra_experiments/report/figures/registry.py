"""Every figure of the study by name: what it needs, how it is drawn, what it finds, how it is read."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from supra_core import TemporalGraph
from supra_experiments.analysis.frame import DATASETS, cells, is_learned
from supra_experiments.analysis.ranking import Ranking, rank_encodings
from supra_experiments.report.figures import agreement, auc, cost, matrices, ranks, smoothness, solver_time
from supra_experiments.report.figures.gains import ordered


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

    runs: pd.DataFrame | None = None
    paper: pd.DataFrame | None = None
    solver_times: Sequence[Mapping[str, Any]] | None = None
    graph: TemporalGraph | None = None
    graph_name: str = "enron10"

    @cached_property
    def cells(self) -> pd.DataFrame | None:
        """Means over seeds."""
        return None if self.runs is None else cells(self.runs)

    @cached_property
    def ranking(self) -> Ranking | None:
        """The encodings by average rank, where there are two or more in some settings."""
        if self.cells is None or not is_learned(self.cells).any():
            return None
        ranking = rank_encodings(self.cells)
        return ranking if ranking.num_settings and len(ranking.names) > 1 else None

    @cached_property
    def compared(self) -> tuple[smoothness.Compared, ...]:
        """Eigenvectors with and without edges between layers, of the example and of the graph."""
        found = [smoothness.compare(smoothness.example(), "two communities")]
        if self.graph is not None and smoothness.fits(self.graph):
            found.append(smoothness.compare(self.graph, self.graph_name))
        return tuple(found)

    def has(self, name: str) -> bool:
        """Whether one of the attributes is there and not empty."""
        value = getattr(self, name)
        return value is not None and (not hasattr(value, "__len__") or len(value) > 0)


@dataclass(frozen=True, eq=False)
class FigureSpec:
    """A figure of the study.

    Attributes:
        name: of its files.
        needs: attributes of :class:`FigureData` that must be there.
        arguments: from the data to the arguments of the three functions below; None where there is nothing
            to draw.
        draw: makes the figure; takes ``theme`` as well.
        title: what it finds, from the data.
        alt: what it shows, for those who do not see it.
        caption: how it is read.
    """

    name: str
    needs: tuple[str, ...]
    arguments: Callable[[FigureData], tuple[Any, ...] | None]
    draw: Callable[..., Figure]
    title: Callable[..., str]
    alt: Callable[..., str]
    caption: str

    def given(self, data: FigureData) -> tuple[Any, ...] | None:
        """The arguments, or None where something that it needs is missing."""
        return self.arguments(data) if all(data.has(name) for name in self.needs) else None


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

    Args:
        data: whatever there is.

    Example:
        >>> [spec.name for spec, _ in available(FigureData())]
        ['smoothness']
    """
    others = [] if data.runs is None else ordered(set(data.runs["dataset"]) - set(DATASETS), ())
    for spec in (*(_auc_spec(name) for name in others), *FIGURES.values()):
        arguments = spec.given(data)
        if arguments is not None:
            yield spec, arguments


def _auc_spec(dataset: str) -> FigureSpec:
    return FigureSpec(
        "auc_" + re.sub(r"[^a-z0-9]+", "_", dataset.lower()).strip("_"),
        ("runs", "paper"),
        partial(_auc_arguments, dataset),
        auc.auc_by_variant,
        lambda runs, paper, dataset: auc.title(runs, dataset),
        lambda runs, paper, dataset: auc.alt(runs, dataset),
        _AUC_CAPTION,
    )


def _auc_arguments(dataset: str, data: FigureData) -> tuple[Any, ...] | None:
    assert data.runs is not None and data.paper is not None  # `needs` says so  # noqa: PT018
    mine = data.runs[(data.runs["dataset"] == dataset) & is_learned(data.runs)]
    return (data.runs, data.paper, dataset) if mine["auc"].notna().any() else None


def _rank_arguments(data: FigureData) -> tuple[Any, ...] | None:
    ranking = data.ranking
    if ranking is None:
        return None
    by_name = dict(zip(ranking.names, ranking.average_ranks, strict=True))
    return by_name, ranking.critical_difference, ranking.num_settings


def _cost_arguments(data: FigureData) -> tuple[Any, ...] | None:
    assert data.runs is not None  # `needs` says so
    return None if cost.points(data.runs).empty else (data.runs,)


def _agreement_arguments(data: FigureData) -> tuple[Any, ...] | None:
    assert data.cells is not None and data.paper is not None  # `needs` says so  # noqa: PT018
    return None if agreement.pairs(data.cells, data.paper).empty else (data.cells, data.paper)


_AUC_CAPTION = (
    "Each panel is a model with one kind of features, each row an encoding. Vertical lines are scores that "
    "learn nothing: what lies left of them is beaten by counting. Intervals are Student's t over seeds."
)

_SPECS = (
    *map(_auc_spec, ("enron10", "dblp", "canparl", "as733")),
    FigureSpec(
        "agreement",
        ("runs", "paper"),
        _agreement_arguments,
        agreement.agreement,
        agreement.title,
        agreement.alt,
        "Each mark is the mean of one cell: dataset, model, features and encoding. Above the line we are "
        "better; in the band the difference is at most three points. Panels say how many cells are in it or "
        "above.",
    ),
    FigureSpec(
        "ranks",
        ("ranking",),
        _rank_arguments,
        ranks.critical_difference,
        ranks.title,
        ranks.alt,
        "Encodings by their average rank over the settings in which all were run. A thick bar joins those "
        "that Nemenyi's test cannot tell apart: they differ by less than the critical difference (CD).",
    ),
    FigureSpec(
        "cost",
        ("runs",),
        _cost_arguments,
        cost.accuracy_against_cost,
        cost.title,
        cost.alt,
        "Up is better, left is cheaper. Gains are means over the settings that have every encoding, with the "
        "95 % interval over seeds where there are three or more; seconds are the median over runs.",
    ),
    FigureSpec(
        "solver_time",
        ("solver_times",),
        lambda data: (data.solver_times,),
        solver_time.solver_time,
        solver_time.title,
        solver_time.alt,
        "Processor time of one thread to the eight smallest eigenpairs of combinatorial Laplacians. Powers "
        "of ten are the residual norm that was asked for; LOBPCG stops after its steps, however far it came.",
    ),
    FigureSpec(
        "smoothness",
        ("compared",),
        lambda data: (data.compared,),
        smoothness.eigenvector_smoothness,
        smoothness.title,
        smoothness.alt,
        "Above, one line a node: the smoothest eigenvector that tells nodes apart. Layers on their own come "
        "with signs of their own; joined layers agree. Below, both sums of Proposition 1, for the smoothest "
        "vectors.",
    ),
    FigureSpec(
        "matrices",
        ("graph",),
        lambda data: (data.graph, data.graph_name),
        matrices.matrices,
        matrices.title,
        matrices.alt,
        "Dots are entries that are not zero, with a global node in every snapshot. Snapshots stand on the "
        "diagonal; the lines beside it join each node to itself in the snapshots before and after.",
    ),
)
FIGURES = {spec.name: spec for spec in _SPECS}
