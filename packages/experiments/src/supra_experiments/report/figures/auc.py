"""AUC by variant on one dataset: every seed, the mean and its interval, the paper's, and plain counting."""

import math
import textwrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator
from numpy.typing import NDArray

from supra_experiments.analysis.averages import WITH_NONE, balanced, differences
from supra_experiments.analysis.frame import FEATURES, MODELS, VARIANTS, cells, is_learned, ordered
from supra_experiments.analysis.statistics import t_interval
from supra_experiments.report.figures.canvas import finish, legend_below, panels, themed
from supra_experiments.report.figures.style import SMALL, Theme, look
from supra_experiments.report.study import Study
from supra_experiments.words import label, number

Array = NDArray[np.float64]
# The first of these with two ticks in sight is taken.
TICKS = ((50, 80, 90, 95, 99), (50, 60, 70, 80, 90, 95, 98, 99), tuple(range(101)))

CAPTION = (
    "Each panel is a model with one kind of features, each row an encoding. Vertical lines are scores that "
    "learn nothing: what lies left of them is beaten by counting. Intervals are Student's t over seeds."
)


def given(study: Study, dataset: str) -> tuple[pd.DataFrame, pd.DataFrame, str] | None:
    """All runs, where there is a model on this dataset."""
    mine = study.runs[(study.runs["dataset"] == dataset) & is_learned(study.runs)]
    return (study.runs, study.paper, dataset) if mine["auc"].notna().any() else None


def title(runs: pd.DataFrame, dataset: str) -> str:
    """The encoding that gains most on average over none, and the features that it gains most with."""
    # Only settings that have every encoding, so that means over settings compare.
    table = differences(balanced(cells(_of(runs, dataset))), WITH_NONE)
    if table.empty:
        return f"{dataset}: AUC by encoding"
    by_variant = table.groupby("first")["difference"].mean()
    best = str(by_variant.idxmax())
    name, gain = label(best), number(float(by_variant[best]), 1, signed=True)
    if by_variant[best] <= 0:
        return f"{dataset}: no encoding gains over none on average; {name} comes closest ({gain} AUC points)"
    finding = f"{dataset}: {name} gains most over no encoding, {gain} AUC points on average"
    named = table[(table["first"] == best) & (table["features"] != "")]
    mine = named.groupby("features")["difference"].mean()
    if len(mine) > 1:
        most = number(float(mine.max()), 1, signed=True)
        finding += f", {most} with {_of_features(str(mine.idxmax()))}"
    return finding


def alt(runs: pd.DataFrame, dataset: str) -> str:
    """What the figure shows, for those who do not see it."""
    mine = _of(runs, dataset)
    learned = mine[is_learned(mine)]
    lines = ", ".join(f"{name} {value:.1f}" for name, value in _unlearned(mine).items()) or "none"
    by_variant = learned.groupby("pe")["auc"].mean()
    means = ", ".join(f"{label(str(pe))} {value:.1f}" for pe, value in by_variant.items())
    best = _unlearned(mine).max()
    means_of_cells = learned.groupby(["model", "features", "pe"])["auc"].mean()
    passed = (
        f" {int((means_of_cells > best).sum())} of {len(means_of_cells)} means lie above all of them."
        if len(means_of_cells)
        else ""
    )
    return (
        f"Test AUC in percent on {dataset}, a panel for each model and kind of features, a row for each "
        f"encoding, a tick for each of {len(learned)} runs. Means over all panels: {means}. "
        f"Without learning: {lines}." + (passed if not math.isnan(best) else "")
    )


@themed
def draw(theme: Theme, runs: pd.DataFrame, paper: pd.DataFrame, dataset: str) -> Figure:
    """A panel for each model (down) and kind of features (across), a row for each encoding.

    Args:
        runs: as of ``analysis.frame.runs``; runs without an AUC are left out.
        paper: as of ``analysis.frame.paper_cells``; may be empty.
        dataset: which of the datasets to draw.
    """
    mine = _of(runs, dataset)
    learned, lines = mine[is_learned(mine)], _unlearned(mine)
    shown = _shown(learned)
    variants = ordered(learned["pe"], VARIANTS) or ["none"]
    kinds = len({kind for _, kind in shown})
    # Where each model was run with each kind of features, a row is a model.
    columns = kinds if len(shown) == kinds * len({model for model, _ in shown}) else 2
    titles = [textwrap.fill(", ".join(filter(None, (label(m), kind))), 75 // columns) for m, kind in shown]
    # Few rows get more room each: a flat panel is hard to read, and looks lost beside other datasets' panels.
    height = 0.2 * max(len(variants), 6) + 0.37 + 0.15 * max(text.count("\n") for text in titles)
    figure, places = panels(len(shown), columns, height, sharex=True, sharey=True)
    published = paper[(paper["dataset"] == dataset) & paper["pe"].isin(variants)]
    published = published[pd.MultiIndex.from_frame(published[["model", "features"]]).isin(shown)]
    for axes, (model, kind), text in zip(places, shown, titles, strict=True):
        axes.set_title(text, fontsize=SMALL)
        for value, name in zip(lines, lines.index, strict=True):
            style = look("unlearned", str(name))
            axes.axvline(value, color=theme.colour(style.colour), ls=style.line, lw=1.1, zorder=1)
        for place, pe in enumerate(variants):
            seeds = learned[_is(learned, model, kind, pe)]["auc"].to_numpy()
            theirs = published[_is(published, model, kind, pe)]["auc"].to_numpy()
            _draw_cell(axes, theme, place, pe, seeds, theirs)
    marks = [table["auc"].to_numpy(dtype=float) for table in (mine, published)]
    _finish_axes(places[0], variants, np.concatenate([*marks, [] if len(mine) else [90.0]]))
    # Below the middle panel there is room on both sides; of two panels neither is in the middle.
    between = " " if columns % 2 else "\n"
    below = places[(len(shown) - 1) // columns * columns :]
    below[len(below) // 2].set_xlabel(f"test AUC in percent;{between}the scale widens towards 100")
    legend_below(figure, _handles(theme, lines, bool(len(published))), 2)
    return finish(figure, title(runs, dataset))


def _shown(learned: pd.DataFrame) -> list[tuple[str, str]]:
    """The models and kinds of features that were run together, models first."""
    there = set(zip(learned["model"], learned["features"], strict=True))
    models, kinds = ordered(learned["model"], MODELS), ordered(learned["features"], FEATURES)
    return [(model, kind) for model in models for kind in kinds if (model, kind) in there] or [("", "")]


def _draw_cell(axes: Axes, theme: Theme, place: float, pe: str, seeds: Array, theirs: Array) -> None:
    style = look("variants", pe, int(place))
    colour = theme.colour(style.colour)
    if len(theirs):
        axes.plot(theirs, [place + 0.27] * len(theirs), zorder=5, **_paper_mark(theme))
    if len(seeds):
        place -= 0.1
        axes.plot(seeds, [place] * len(seeds), zorder=2, **_seed_mark(colour))
        axes.plot(t_interval(seeds), [place, place], color=colour, lw=1.8, zorder=3)  # nothing for one seed
        axes.plot([float(seeds.mean())], [place], zorder=4, **style.marks(theme, 4.6))


def _finish_axes(axes: Axes, variants: list[str], values: Array) -> None:
    axes.set_yticks(range(len(variants)), [look("variants", pe, i).label for i, pe in enumerate(variants)])
    axes.set_ylim(len(variants) - 0.4, -0.6)
    for each in axes.figure.axes:
        each.tick_params(axis="y", length=0, labelsize=SMALL)
        each.grid()
    axes.set_xscale("function", functions=(_stretch, _shrink))
    low, high = _range(values)
    axes.set_xlim(low, high)
    ticks = next(ticks for ticks in TICKS if sum(low <= tick <= high for tick in ticks) >= 2)
    axes.set_xticks([tick for tick in ticks if low <= tick <= high])
    axes.xaxis.set_minor_locator(NullLocator())


def _stretch(auc: Array) -> Array:
    """Equal steps where what is missing to 100 halves; 101 keeps a perfect score on the scale."""
    return -np.log(np.maximum(101.0 - np.asarray(auc, dtype=float), 1e-3))


def _shrink(value: Array) -> Array:
    return 101.0 - np.exp(-np.asarray(value, dtype=float))


def _range(values: Array) -> tuple[float, float]:
    """Around all marks, two whole percents at least; not around intervals: those of two seeds are huge."""
    ends = _stretch(np.array([values.min(), values.max()]))
    pad = 0.06 * float(ends[1] - ends[0])
    left, right = _shrink(ends + np.array([-pad, pad]))
    low, high = min(left, values.min() - 2.0), max(right, values.max() + 0.3)
    return float(low), min(100.5, float(high))


def _handles(theme: Theme, lines: "pd.Series[float]", has_paper: bool) -> list[Line2D]:
    mean = Line2D([], [], color=theme.ink, lw=1.8, marker="o", ms=4.6, label="mean, 95 % interval")
    seed = Line2D([], [], label="one seed", **_seed_mark(theme.ink))
    handles = [mean, seed]
    if has_paper:
        handles.append(Line2D([], [], label="the paper", **_paper_mark(theme)))
    for name, value in lines.items():
        style = look("unlearned", str(name))
        text = f"{style.label}, no learning: {value:.1f}"
        handles.append(Line2D([], [], color=theme.colour(style.colour), ls=style.line, lw=1.1, label=text))
    return handles


def _seed_mark(colour: str) -> dict[str, Any]:
    return {"ls": "none", "marker": "|", "ms": 6.0, "mew": 0.9, "color": colour}


def _paper_mark(theme: Theme) -> dict[str, Any]:
    return {"ls": "none", "marker": "d", "ms": 5.0, "mfc": theme.background, "mew": 1.1, "mec": theme.ink}


def _of(runs: pd.DataFrame, dataset: str) -> pd.DataFrame:
    return runs[(runs["dataset"] == dataset) & runs["auc"].notna()]


def _is(table: pd.DataFrame, model: str, features: str, pe: str) -> "pd.Series[bool]":
    return (table["model"] == model) & (table["features"] == features) & (table["pe"] == pe)


def _unlearned(runs: pd.DataFrame) -> "pd.Series[float]":
    return runs[~is_learned(runs)].groupby("model")["auc"].mean().sort_values()


def _of_features(kind: str) -> str:
    return {"zeros": "zero features"}.get(kind, f"{kind} features")
