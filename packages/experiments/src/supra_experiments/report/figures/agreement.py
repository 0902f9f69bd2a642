"""Our AUC against the paper's, cell by cell, with a band of three points."""

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from supra_experiments.analysis.frame import DATASETS, KEYS, MODELS
from supra_experiments.report.figures.canvas import finish, legend_below, new_figure, themed
from supra_experiments.report.figures.gains import ordered
from supra_experiments.report.figures.style import Theme, look, model_label
from supra_experiments.report.figures.words import counted, percent, signed

BAND = 3.0


def pairs(cells: pd.DataFrame, paper: pd.DataFrame) -> pd.DataFrame:
    """The cells that both have: the key columns, ``ours``, ``paper``, and ``difference``: ours − paper."""
    mine = cells[[*KEYS, "auc"]].rename(columns={"auc": "ours"})
    joined = mine.merge(paper[[*KEYS, "auc"]].rename(columns={"auc": "paper"}), on=KEYS).dropna()
    return joined.assign(difference=joined["ours"] - joined["paper"])


def title(cells: pd.DataFrame, paper: pd.DataFrame) -> str:
    """How many cells are within the band or better."""
    difference = pairs(cells, paper)["difference"]
    count = len(difference)
    if count == 0:
        return "No cell was measured that the paper reports"
    good, within = int((difference >= -BAND).sum()), int((difference.abs() <= BAND).sum())
    return (
        f"{percent(good, count, 1)} of {counted(count, 'cell')} are within {BAND:g} AUC points of the paper "
        f"or better ({percent(within, count, 1)} within); the median difference is "
        f"{signed(float(difference.median()))}"
    )


def alt(cells: pd.DataFrame, paper: pd.DataFrame) -> str:
    """What the figure shows, for those who do not see it."""
    table = pairs(cells, paper)
    rows = "; ".join(
        f"{model_label(model)}: {_share(table[table['model'] == model])}"
        for model in ordered(table["model"], MODELS)
    )
    return (
        "Our mean AUC against the paper's, one mark a cell, a panel for each model, with the diagonal and a "
        f"band of {BAND:g} points on either side. Within the band or better: {rows}."
    )


@themed
def agreement(theme: Theme, cells: pd.DataFrame, paper: pd.DataFrame) -> Figure:
    """A panel for each model: the paper's AUC across, ours upwards, a mark for each cell.

    Args:
        cells: as of ``analysis.frame.cells``.
        paper: as of ``analysis.frame.paper_cells``.
        theme: ``light`` or ``dark``.
    """
    table = pairs(cells, paper)
    models = ordered(table["model"], MODELS) or [""]
    datasets = ordered(table["dataset"], DATASETS)
    columns = min(2, len(models))
    rows = math.ceil(len(models) / columns)
    figure = new_figure((2.6 if columns == 2 else 4.4) * rows + 1.5)
    grid = figure.subplots(rows, columns, squeeze=False)
    for position, axes in enumerate(grid.flat):
        if position >= len(models):
            axes.set_visible(False)
            continue
        mine = table[table["model"] == models[position]]
        _draw(axes, theme, mine, datasets)
        axes.set_title(f"{model_label(models[position])}: {_share(mine)}" if len(mine) else "")
        if position % columns == 0:
            axes.set_ylabel("our AUC in percent")
        if position + columns >= len(models):
            axes.set_xlabel("the paper's AUC in percent")
    handles = [
        Line2D([], [], **look("datasets", name, place).marks(theme, 5.0))
        for place, name in enumerate(datasets)
    ]
    legend_below(figure, handles, 4)
    return finish(figure, title(cells, paper))


def _draw(axes: Axes, theme: Theme, mine: pd.DataFrame, datasets: list[str]) -> None:
    values = np.r_[mine["ours"], mine["paper"]] if len(mine) else np.array([50.0, 100.0])
    pad = max(2.0, 0.06 * float(np.ptp(values)))
    span = (float(values.min()) - pad, min(101.0, float(values.max()) + pad))
    ends = np.array(span)
    axes.fill_between(ends, ends - BAND, ends + BAND, color=theme.shade, lw=0, zorder=0)
    axes.plot(ends, ends, color=theme.faint, lw=1.0, zorder=1)
    for place, name in enumerate(datasets):
        cells = mine[mine["dataset"] == name]
        if len(cells):
            axes.plot(
                cells["paper"], cells["ours"], alpha=0.85, **look("datasets", name, place).marks(theme, 4.2)
            )
    axes.set(xlim=span, ylim=span, aspect="equal")
    axes.locator_params(nbins=5)


def _share(table: pd.DataFrame) -> str:
    return f"{percent(int((table['difference'] >= -BAND).sum()), len(table))} of {len(table)}"
