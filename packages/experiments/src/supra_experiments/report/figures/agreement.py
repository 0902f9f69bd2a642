"""Our AUC against the paper's, cell by cell, with a band of three points."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supra_experiments.analysis.agreement import MARGIN as BAND
from supra_experiments.analysis.frame import DATASETS, MODELS, ordered
from supra_experiments.report.figures.canvas import finish, legend_below, marks_of, panels, themed
from supra_experiments.report.figures.style import Theme, look
from supra_experiments.report.study import Study
from supra_experiments.words import counted, label, number, percent

CAPTION = (
    "Each mark is the mean of one cell: dataset, model, features and encoding. Above the line we are "
    "better; in the band the difference is at most three points. Panels say how many cells are in it or "
    "above."
)


def given(study: Study) -> tuple[pd.DataFrame] | None:
    """The cells that both have."""
    return (study.compared,) if len(study.compared) else None


def title(compared: pd.DataFrame) -> str:
    """How many cells are within the band or better."""
    difference = compared["difference"]
    count = len(difference)
    good, within = int(compared["reproduced"].sum()), int(compared["close"].sum())
    return (
        f"{percent(good, count, 1)} of {counted(count, 'cell')} are within {BAND:g} AUC points of the paper "
        f"or better ({percent(within, count, 1)} within); the median difference is "
        f"{number(float(difference.median()), 1, signed=True)}"
    )


def alt(compared: pd.DataFrame) -> str:
    """What the figure shows, for those who do not see it."""
    rows = "; ".join(
        f"{label(model)}: {_share(compared[compared['model'] == model])}"
        for model in ordered(compared["model"], MODELS)
    )
    return (
        "Our mean AUC against the paper's, one mark a cell, a panel for each model, with the diagonal and a "
        f"band of {BAND:g} points on either side. Within the band or better: {rows}."
    )


@themed
def draw(theme: Theme, compared: pd.DataFrame) -> Figure:
    """A panel for each model: the paper's AUC across, ours upwards, a mark for each cell of both."""
    models = ordered(compared["model"], MODELS)
    datasets = ordered(compared["dataset"], DATASETS)
    columns = min(2, len(models))
    labels = {"xlabel": "the paper's AUC in percent", "ylabel": "our AUC in percent"}
    figure, places = panels(len(models), columns, 2.5 if columns == 2 else 4.0, **labels)
    for axes, model in zip(places, models, strict=True):
        mine = compared[compared["model"] == model]
        _draw(axes, theme, mine, datasets)
        axes.set_title(f"{label(model)}: {_share(mine)}")
    legend_below(figure, marks_of(theme, "datasets", datasets, 5.0), 4)
    return finish(figure, title(compared))


def _draw(axes: Axes, theme: Theme, mine: pd.DataFrame, datasets: list[str]) -> None:
    values = np.r_[mine["auc"], mine["paper_auc"]]
    pad = max(2.0, 0.06 * float(np.ptp(values)))
    span = (float(values.min()) - pad, min(101.0, float(values.max()) + pad))
    ends = np.array(span)
    axes.fill_between(ends, ends - BAND, ends + BAND, color=theme.shade, lw=0, zorder=0)
    axes.plot(ends, ends, color=theme.faint, lw=1.0, zorder=1)
    for place, name in enumerate(datasets):
        cells = mine[mine["dataset"] == name]
        if len(cells):
            style = look("datasets", name, place).marks(theme, 4.2)
            axes.plot(cells["paper_auc"], cells["auc"], alpha=0.85, **style)
    axes.set(xlim=span, ylim=span, aspect="equal")
    axes.locator_params(nbins=5)


def _share(table: pd.DataFrame) -> str:
    return f"{percent(int(table['reproduced'].sum()), len(table))} of {len(table)}"
