"""Accuracy against cost: what an encoding gains over none, and the seconds it takes to compute."""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from supra_experiments.analysis.frame import DATASETS, VARIANTS
from supra_experiments.analysis.statistics import t_interval
from supra_experiments.report.figures.canvas import finish, legend_below, new_figure, themed
from supra_experiments.report.figures.gains import SETTING, comparable, gains, ordered
from supra_experiments.report.figures.style import Theme, look
from supra_experiments.report.figures.words import compared, counted, seconds, signed


def points(runs: pd.DataFrame) -> pd.DataFrame:
    """One row for each dataset and encoding.

    Returns:
        The columns dataset, pe, seconds (median over runs), gain (mean over models and features), half (the
        width of its 95 % interval over seeds, NaN for fewer than three), num_cells.
    """
    table = comparable(gains(runs))
    grouped = table.groupby(["dataset", "pe"])["gain"]
    rows = pd.DataFrame({"gain": grouped.mean(), "num_cells": grouped.count()}).join(_over_seeds(runs, table))
    paid = runs[(runs["pe"] != "none") & (runs["encoding_seconds"] > 0)]
    cost = paid.groupby(["dataset", "pe"])["encoding_seconds"].median().rename("seconds")
    return rows.join(cost, how="inner").reset_index()


def title(runs: pd.DataFrame) -> str:
    """Which encoding gains most on average, and what its way of solving costs beside the other."""
    table = points(runs)
    if table.empty:
        return "No encoding was timed beside a run without one"
    # Only encodings that were run on all the datasets have a mean that compares.
    complete = table.groupby("pe").filter(lambda rows: len(rows) == table["dataset"].nunique())
    chosen = table if complete.empty else complete
    means = chosen.groupby("pe")["gain"].mean()
    best = str(means.idxmax())
    what = f"{look('variants', best).label} {'gains' if means[best] > 0 else 'loses'}"
    extent = "most" if means[best] > 0 else "least"
    finding = f"{what} {extent} ({signed(float(means[best]))} AUC points over none on average)"
    family, _, way = best.partition("-")
    other = f"{family}-{'i' if way == 'e' else 'e'}"
    pair = _paired(chosen, best, other)
    if pair is None:
        return finding
    factor, difference = pair
    cost = f"{compared(factor, 1.0)} {look('variants', other).label}"
    return f"{finding}; it is {cost} to compute, for {signed(difference, 2)} points"


def alt(runs: pd.DataFrame) -> str:
    """What the figure shows, for those who do not see it."""
    rows = "; ".join(
        f"{row['dataset']} {look('variants', row['pe']).label}: {signed(row['gain'])} for "
        f"{seconds(row['seconds'])}"
        for row in _records(points(runs))
    )
    return (
        "AUC points gained over no encoding, mean over models and features with its 95 % interval over "
        f"seeds, against the seconds to encode all snapshots, a panel for each dataset. {rows}."
    )


@themed
def accuracy_against_cost(theme: Theme, runs: pd.DataFrame) -> Figure:
    """A panel for each dataset, a mark for each encoding: seconds across, points gained upwards.

    Args:
        runs: as of ``analysis.frame.runs``.
        theme: ``light`` or ``dark``.
    """
    table = points(runs)
    names = ordered(table["dataset"], DATASETS) or [""]
    variants = ordered(table["pe"], VARIANTS)
    columns = min(2, len(names))
    rows = math.ceil(len(names) / columns)
    figure = new_figure(2.15 * rows + 1.6)
    grid = figure.subplots(rows, columns, squeeze=False)
    for position, axes in enumerate(grid.flat):
        if position >= len(names):
            axes.set_visible(False)
            continue
        mine = table[table["dataset"] == names[position]]
        _draw(axes, theme, mine, variants)
        axes.set_title(f"{names[position]}, {counted(int(mine['num_cells'].max()), 'setting')}")
        if position % columns == 0:
            axes.set_ylabel("AUC points over none")
        if position + columns >= len(names):
            axes.set_xlabel("seconds to encode all snapshots")
    handles = [
        Line2D([], [], **look("variants", pe, place).marks(theme)) for place, pe in enumerate(variants)
    ]
    legend_below(figure, handles, 3)
    return finish(figure, title(runs))


def _draw(axes: Axes, theme: Theme, mine: pd.DataFrame, variants: list[str]) -> None:
    for row in _records(mine):
        style = look("variants", row["pe"], variants.index(row["pe"]))
        ends = [row["gain"] - row["half"], row["gain"] + row["half"]]
        axes.plot([row["seconds"]] * 2, ends, color=theme.colour(style.colour), lw=1.4)
        axes.plot([row["seconds"]], [row["gain"]], zorder=3, **style.marks(theme, 7.0))
    axes.axhline(0, color=theme.faint, lw=1.2, ls="--", zorder=1)
    axes.margins(y=0.12)
    axes.set_xscale("log")
    if len(mine):
        low, high = float(mine["seconds"].min()), float(mine["seconds"].max())
        middle, half = np.log(low * high) / 2, max(np.log(high / low) / 2 * 1.25, np.log(1.6))
        axes.set_xlim(np.exp(middle - half), np.exp(middle + half))
    ticks = _ticks(*axes.get_xlim())
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid()


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _over_seeds(runs: pd.DataFrame, table: pd.DataFrame) -> "pd.Series[float]":
    """The interval of a mean gain, of which each seed gives one: settings are chosen, seeds are drawn."""
    settings = table[[*SETTING, "pe"]]
    keyed = runs[runs["auc"].notna()].drop_duplicates([*SETTING, "pe", "seed"])
    base = keyed[keyed["pe"] == "none"][[*SETTING, "seed", "auc"]].rename(columns={"auc": "base"})
    paired = keyed.merge(settings, on=[*SETTING, "pe"]).merge(base, on=[*SETTING, "seed"])
    paired = paired.assign(gain=paired["auc"] - paired["base"])
    by_seed = paired.groupby(["dataset", "pe", "seed"])["gain"].agg(["mean", "count"]).reset_index()
    # A seed that was not run in all settings would be the mean of something else.
    wanted = settings.groupby(["dataset", "pe"]).size().rename("wanted").reset_index()
    by_seed = by_seed.merge(wanted, on=["dataset", "pe"])
    by_seed = by_seed[by_seed["count"] == by_seed["wanted"]]
    halves = by_seed.groupby(["dataset", "pe"])["mean"].agg(
        lambda means: float(np.ptp(t_interval(means))) / 2 if len(means) > 2 else math.nan
    )
    return halves.astype(float).rename("half")


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


def _paired(table: pd.DataFrame, first: str, second: str) -> tuple[float, float] | None:
    """How many times the seconds, a geometric mean over datasets with both, and the points between them."""
    wide = table[table["pe"].isin([first, second])].pivot(index="dataset", columns="pe")
    if first == second or not {first, second} <= set(wide["gain"].columns):
        return None
    wide = wide.dropna(subset=[("gain", first), ("gain", second)])
    if wide.empty:
        return None
    factor = float(np.exp(np.log(wide["seconds"][first] / wide["seconds"][second]).mean()))
    return factor, float((wide["gain"][first] - wide["gain"][second]).mean())
