"""What each encoding adds over none: the mean and its interval, and the mean with each kind of features."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from supra_experiments.analysis.frame import FEATURES, ordered
from supra_experiments.report.figures.canvas import finish, legend_below, new_figure, themed
from supra_experiments.report.figures.style import Theme, look
from supra_experiments.report.study import Study
from supra_experiments.words import counted, label, listed, number

_KINDS = ("s", "D", "v", "P", "<")
"""Marks of kinds of features, which are all of one faint colour."""

CAPTION = (
    "Mean AUC points over no encoding, each setting of dataset, model and features once; the interval is "
    "over settings, or over the seeds of a single one."
)


def given(study: Study) -> tuple[pd.DataFrame] | None:
    """What each encoding adds, where there is none and one."""
    return (study.gains,) if len(study.gains) else None


def title(table: pd.DataFrame) -> str:
    """How many encodings are above none by more than their interval, and which is first."""
    whole = _whole(table)
    clear = [label(row["pe"]) for row in whole if row["low"] > 0]
    first = whole[0]
    lead = f"{label(first['pe'])} adds most: {number(first['gain'], 1, signed=True)} AUC points on average"
    if first["gain"] <= 0:
        lead = f"No encoding adds to none on average; {label(first['pe'])} comes closest"
    if len(clear) == len(whole) > 1:
        return f"{lead}; every interval is above zero"
    return lead + (f"; the interval of {listed(clear)} is above zero" if clear else "")


def alt(table: pd.DataFrame) -> str:
    """What the figure shows, for those who do not see it."""
    rows = "; ".join(
        f"{label(row['pe'])} {number(row['gain'], 2, signed=True)} "
        f"({number(row['low'], 2, signed=True)} to {number(row['high'], 2, signed=True)})"
        for row in _whole(table)
    )
    most = max(int(row["num_settings"]) for row in _whole(table))
    return f"AUC points over no encoding, mean and 95 % interval over {counted(most, 'setting')}: {rows}."


@themed
def draw(theme: Theme, table: pd.DataFrame) -> Figure:
    """A row for each encoding, the best on top: points over none across.

    The table is as of ``analysis.contrasts.gain_by_encoding``, of one encoding or more.
    """
    whole = _whole(table)
    kinds = ordered(set(table["features"]) - {""}, FEATURES)
    figure = new_figure(0.27 * len(whole) + 1.5 + 0.22 * bool(kinds))
    axes = figure.subplots()
    axes.axvline(0, color=theme.faint, lw=1.2, ls="--", zorder=1)
    for place, row in enumerate(whole):
        style = look("variants", row["pe"], place)
        axes.plot([row["low"], row["high"]], [place] * 2, color=theme.colour(style.colour), lw=2.6, zorder=3)
        axes.plot([row["gain"]], [place], zorder=4, **style.marks(theme, 7.0))
        mine = table[table["pe"] == row["pe"]].set_index("features")["gain"]
        for kind, mark in zip(kinds, _KINDS, strict=False):
            if kind in mine:
                axes.plot([mine[kind]], [place], zorder=2, **_mark(theme, kind, mark))
    axes.set_yticks(range(len(whole)), [label(row["pe"]) for row in whole])
    axes.set_ylim(len(whole) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.06)
    axes.grid(axis="x")
    axes.set_xlabel("AUC points over no encoding")
    handles = [Line2D([], [], color=theme.ink, lw=2.6, marker="o", ms=7.0, label="mean, 95 % interval")]
    handles += [Line2D([], [], **_mark(theme, kind, mark)) for kind, mark in zip(kinds, _KINDS, strict=False)]
    legend_below(figure, handles, 2)
    return finish(figure, title(table))


def _mark(theme: Theme, kind: str, mark: str) -> dict[str, Any]:
    text = {"zeros": "zero features"}.get(kind, f"{kind} features")
    return {
        "ls": "none", "marker": mark, "ms": 5.0, "mfc": "none", "mec": theme.faint, "mew": 1.2, "label": text,
    }  # fmt: skip


def _whole(table: pd.DataFrame) -> list[dict[Any, Any]]:
    """The rows over all features."""
    return table[table["features"] == ""].to_dict("records")
