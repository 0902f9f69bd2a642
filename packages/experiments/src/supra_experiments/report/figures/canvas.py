"""From an empty canvas to files: figures without global state, titles that fit, the same bytes every time."""

import functools
import io
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from supra_core.files import replacing, write_whole
from supra_experiments.report.figures.style import SMALL, TITLE, WIDTH, Theme, look, settings, theme_of

DPI = 160
P = ParamSpec("P")


def themed(draw: Callable[Concatenate[Theme, P], Figure]) -> Callable[..., Figure]:
    """Give a drawing function the keyword ``theme`` (``light`` or ``dark``), and that theme's settings."""

    @functools.wraps(draw)
    def wrapper(*args: Any, theme: str = "light", **options: Any) -> Figure:
        chosen = theme_of(theme)
        with matplotlib.rc_context(settings(chosen)):
            return draw(chosen, *args, **options)

    return wrapper


def new_figure(height: float) -> Figure:
    """An empty figure, in inches. No pyplot: it would keep every figure alive and choose a window system."""
    figure = Figure(figsize=(WIDTH, height), layout=ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06))
    FigureCanvasAgg(figure)
    return figure


def panels(
    num_panels: int, columns: int, height: float, *, xlabel: str = "", ylabel: str = "", **options: Any
) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels, row by row; places that are left over in the last row stay empty.

    Args:
        num_panels, columns: how many, and how many beside each other.
        height: of a row, in inches; the figure has two more for its title and legend.
        xlabel, ylabel: of the lowest panels, and of those on the left.
        options: of ``Figure.subplots``.
    """
    rows = math.ceil(num_panels / columns)
    figure = new_figure(rows * height + 2.0)
    places = list(figure.subplots(rows, columns, squeeze=False, **options).flat)
    for axes in places[num_panels:]:
        axes.set_visible(False)
    # The lowest of each column, also above a gap.
    for axes in places[max(0, num_panels - columns) : num_panels]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(xlabel)
    for axes in places[:num_panels:columns]:
        axes.set_ylabel(ylabel)
    return figure, places[:num_panels]


def finish(figure: Figure, text: str) -> Figure:
    """Put the finding above everything, in as many lines as it needs, and give everything its place."""
    style: dict[str, Any] = {"fontsize": TITLE, "fontweight": "bold"}
    # Letters are a little wider in a file of outlines than in pixels, where they are measured.
    width = 0.97 * figure.bbox.width - 0.16 * figure.dpi
    probe = figure.text(0, 0, "", **style)
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        probe.set_text(longer)
        if lines and probe.get_window_extent().width <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    probe.remove()
    figure.suptitle("\n".join(lines), x=0.08 / figure.get_figwidth(), ha="left", linespacing=1.25, **style)
    for axes in figure.axes:
        # Said to each axis: how many ticks fit is asked again when a file is written, under other settings.
        axes.tick_params(labelsize=SMALL)
    for _ in range(2):  # the room that is left decides on the ticks, and these on the room
        figure.draw_without_rendering()
    figure.set_layout_engine("none")  # all is in its place; files need not look for it again
    return figure


def marks_of(theme: Theme, group: str, names: Sequence[str], size: float = 6.0) -> list[Line2D]:
    """Handles for a legend of things of a group, see :func:`~supra_experiments.report.figures.style.look`."""
    looks = [look(group, name, place) for place, name in enumerate(names)]
    return [Line2D([], [], **each.marks(theme, size)) for each in looks]


def legend_below(figure: Figure, handles: Sequence[Any], ncols: int) -> None:
    """One legend for all panels, below them, where it covers nothing."""
    if handles:
        labels = [str(handle.get_label()) for handle in handles]
        figure.legend(handles, labels, loc="outside lower center", ncols=ncols, columnspacing=1.4)


def save(
    light: Figure, dark: Figure, folder: str | os.PathLike[str], name: str, title: str = "", alt: str = ""
) -> tuple[str, str]:
    """Write ``name.svg``, ``name-dark.svg`` and ``name.png``, each whole or not at all.

    The SVGs are those of :func:`svg`; the PNG is light, with a background.

    Args:
        light, dark: what one of the functions of this package gave, in both themes.
        folder: made where it is missing.
        name: without a suffix.
        title, alt: stand in the SVG for programs that read pictures aloud.

    Returns:
        The two SVGs.
    """
    names = (name, f"{name}-dark")
    texts = [svg(figure, each, title, alt) for figure, each in zip((light, dark), names, strict=True)]
    for each, text in zip(names, texts, strict=True):
        write_whole(Path(folder) / f"{each}.svg", text)
    with replacing(Path(folder) / f"{name}.png") as temporary:
        light.savefig(temporary, format="png", metadata={"Software": None}, dpi=DPI)
    return texts[0], texts[1]


def svg(figure: Figure, name: str, title: str = "", alt: str = "") -> str:
    """The figure as text: transparent, the same to the last byte whenever the figure is.

    Args:
        figure, title, alt: see :func:`save`.
        name: identifiers inside are hashes salted with it, so that two figures on one page do not clash.
    """
    content = io.BytesIO()
    words = {key: text for key, text in (("Title", title), ("Description", alt)) if text}
    # Letters are outlines, so that it looks the same where another font is all there is.
    with matplotlib.rc_context({"svg.hashsalt": f"supra-{name}", "svg.fonttype": "path"}):
        about = {"Date": None, "Creator": None} | words
        figure.savefig(content, format="svg", metadata=about, transparent=True, dpi=DPI)
    return content.getvalue().decode()
