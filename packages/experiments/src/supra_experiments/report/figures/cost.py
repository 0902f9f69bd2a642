"""Accuracy against cost: what an encoding gains over none, and the seconds it takes to compute."""

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from supra_experiments.analysis.frame import DATASETS, VARIANTS, ordered
from supra_experiments.report.figures.canvas import finish, legend_below, marks_of, panels, themed
from supra_experiments.report.figures.style import Theme, look
from supra_experiments.report.study import Study
from supra_experiments.words import counted, label, number, seconds

CAPTION = (
    "Up is better, left is cheaper. Gains are means over the settings that have every encoding, with the "
    "95 % interval over seeds where there are three or more; seconds are the median over runs."
)


def given(study: Study) -> tuple[pd.DataFrame] | None:
    """The gain and the seconds of encodings that took any; a single mark is no comparison."""
    table = study.costs[study.costs["encoding_seconds"] > 0]
    return (table,) if len(table) > 1 else None


def title(table: pd.DataFrame) -> str:
    """Which encoding gains most on average."""
    # Only encodings that were run on all the datasets have a mean that compares.
    complete = table.groupby("pe").filter(lambda rows: len(rows) == table["dataset"].nunique())
    chosen = table if complete.empty else complete
    means = chosen.groupby("pe")["gain"].mean()
    best = str(means.idxmax())
    what = f"{label(best)} {'gains' if means[best] > 0 else 'loses'}"
    extent = "most" if means[best] > 0 else "least"
    return f"{what} {extent} ({number(float(means[best]), 1, signed=True)} AUC points over none on average)"


def alt(table: pd.DataFrame) -> str:
    """What the figure shows, for those who do not see it."""
    rows = "; ".join(
        f"{row['dataset']} {label(row['pe'])}: {number(row['gain'], 1, signed=True)} for "
        f"{seconds(row['encoding_seconds'])}"
        for row in table.to_dict("records")
    )
    return (
        "AUC points gained over no encoding, mean over models and features with its 95 % interval over "
        f"seeds, against the seconds to encode all snapshots, a panel for each dataset. {rows}."
    )


@themed
def draw(theme: Theme, table: pd.DataFrame) -> Figure:
    """A panel for each dataset, a mark for each encoding: seconds across, points gained upwards.

    The table is as of ``analysis.cost.cost_by_encoding``, without encodings that took no time.
    """
    names = ordered(table["dataset"], DATASETS)
    variants = ordered(table["pe"], VARIANTS)
    labels = {"xlabel": "seconds to encode all snapshots", "ylabel": "AUC points over none"}
    figure, places = panels(len(names), min(2, len(names)), 2.0, **labels)
    for axes, name in zip(places, names, strict=True):
        mine = table[table["dataset"] == name]
        _draw(axes, theme, mine, variants)
        axes.set_title(f"{name}, {counted(int(mine['num_settings'].max()), 'setting')}")
    legend_below(figure, marks_of(theme, "variants", variants), 3)
    return finish(figure, title(table))


def _draw(axes: Axes, theme: Theme, mine: pd.DataFrame, variants: list[str]) -> None:
    for row in mine.to_dict("records"):
        style = look("variants", row["pe"], variants.index(row["pe"]))
        axes.plot(
            [row["encoding_seconds"]] * 2, [row["low"], row["high"]], color=theme.colour(style.colour), lw=1.4
        )
        axes.plot([row["encoding_seconds"]], [row["gain"]], zorder=3, **style.marks(theme, 7.0))
    axes.axhline(0, color=theme.faint, lw=1.2, ls="--", zorder=1)
    axes.margins(y=0.12)
    axes.set_xscale("log")
    if len(mine):
        low, high = float(mine["encoding_seconds"].min()), float(mine["encoding_seconds"].max())
        middle, half = np.log(low * high) / 2, max(np.log(high / low) / 2 * 1.25, np.log(1.6))
        axes.set_xlim(np.exp(middle - half), np.exp(middle + half))
    ticks = _ticks(*axes.get_xlim())
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid()


def _ticks(low: float, high: float) -> list[float]:
    """Two to five round numbers between the ends of a logarithmic axis, the roundest that there are.

    Example:
        >>> _ticks(0.4, 30.0), _ticks(1.1, 3.9)
        ([1.0, 10.0], [2.0, 3.0])
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 5), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)):
        found = [float(f"{step * 10.0**decade:.6g}") for decade in decades for step in steps]
        found = [tick for tick in found if low <= tick <= high]
        if len(found) >= 2:
            break
    return found[:: math.ceil(len(found) / 5) or 1]
