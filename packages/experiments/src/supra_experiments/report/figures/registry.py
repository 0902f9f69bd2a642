"""Every figure of the study by name; its module draws it and knows what it needs and what it finds."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from matplotlib.figure import Figure

from supra_experiments.analysis.frame import DATASETS, ordered
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
from supra_experiments.report.study import Study


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
    given: Callable[[Study], tuple[Any, ...] | None]
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


def available(study: Study) -> Iterator[tuple[FigureSpec, tuple[Any, ...]]]:
    """The figures that a study allows, with their arguments: :data:`FIGURES`, and AUC on other datasets.

    Example:
        >>> from supra_experiments.analysis import runs
        >>> [spec.name for spec, _ in available(Study(runs([])))]
        []
    """
    others = ordered(set(study.runs["dataset"]) - set(DATASETS), ())
    for spec in (*map(_auc_spec, others), *FIGURES.values()):
        given = spec.given(study)
        if given is not None:
            yield spec, given


def draw_figures(
    study: Study, folder: Path, progress: Callable[[str], None] = lambda name: None
) -> list[Drawn]:
    """Draw what a study allows into ``name.svg``, ``name-dark.svg`` and ``name.png``, and tell each name."""
    drawn = []
    for spec, given in available(study):
        progress(spec.name)
        title, alt = spec.title(*given), spec.alt(*given)
        light, dark = (spec.draw(*given, theme=theme) for theme in ("light", "dark"))
        texts = save(light, dark, folder, spec.name, title, alt)
        drawn.append(Drawn(spec.name, title, alt, spec.caption, *texts))
    return drawn


def _spec(name: str, module: ModuleType) -> FigureSpec:
    return FigureSpec(name, module.given, module.draw, module.title, module.alt, module.CAPTION)


def _auc_spec(dataset: str) -> FigureSpec:
    return FigureSpec(
        "auc_" + re.sub(r"[^a-z0-9]+", "_", dataset.lower()).strip("_"),
        partial(auc.given, dataset=dataset),
        auc.draw,
        lambda runs, paper, dataset: auc.title(runs, dataset),
        lambda runs, paper, dataset: auc.alt(runs, dataset),
        auc.CAPTION,
    )


_SPECS = (
    _spec("gains", gains),
    *map(_auc_spec, ("enron10", "canparl", "dblp", "as733")),
    _spec("agreement", agreement),
    _spec("ranks", ranks),
    _spec("cost", cost),
    _spec("solver_time", solver_time),
    _spec("smoothness", smoothness),
    _spec("matrices", matrices),
)
FIGURES = {spec.name: spec for spec in _SPECS}
