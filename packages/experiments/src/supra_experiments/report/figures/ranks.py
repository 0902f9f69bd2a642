"""A critical-difference diagram: average ranks, and bars over those that cannot be told apart."""

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supra_experiments.analysis.statistics import Ranking
from supra_experiments.report.figures.canvas import finish, new_figure, themed
from supra_experiments.report.figures.style import SMALL, TEXT, Theme, look
from supra_experiments.report.study import Study
from supra_experiments.words import counted, label, listed

CAPTION = (
    "Encodings by their average rank over the settings in which all were run. A thick bar joins those "
    "that Nemenyi's test cannot tell apart: they differ by less than the critical difference (CD)."
)


def given(study: Study) -> tuple[Ranking] | None:
    """The ranks of two variants or more."""
    ranking = study.ranking
    return (ranking,) if ranking.num_settings and len(ranking.names) > 1 else None


def title(ranking: Ranking) -> str:
    """Which ranks first, and which others cannot be told from it."""
    lead, over = ranking.average_ranks[0], f"over {counted(ranking.num_settings, 'setting')}"
    behind = {label(name): rank - lead for name, rank in _ranks(ranking).items()}
    best = [name for name, gap in behind.items() if gap < 1e-9]
    near = [name for name, gap in behind.items() if 1e-9 <= gap < ranking.critical_difference]
    who = f"{listed(best)} {'ranks' if len(best) == 1 else 'rank'} first"
    finding, them = f"{who} {over} ({lead:.2f} on average)", "it" if len(best) == 1 else "them"
    if len(best) == len(behind):
        return f"{listed(best)} rank alike {over}"
    if not near:
        return f"{finding}, ahead of every other by more than the critical difference"
    if len(near) + len(best) == len(behind):
        return f"{finding}, but cannot be told from any other"
    return f"{finding}; {listed(near)} cannot be told from {them}"


def alt(ranking: Ranking) -> str:
    """What the figure shows, for those who do not see it."""
    rows = ", ".join(f"{label(name)} {rank:.2f}" for name, rank in _ranks(ranking).items())
    return (
        f"Average ranks over {counted(ranking.num_settings, 'setting')}, 1 is best: {rows}. "
        f"The critical difference is {ranking.critical_difference:.2f}."
    )


@themed
def draw(theme: Theme, ranking: Ranking) -> Figure:
    """Average ranks on a line, better to the left; a bar joins names that cannot be told apart.

    There are two or more variants, over one or more settings.
    """
    names, groups, difference = ranking.names, ranking.groups, ranking.critical_difference
    ranks = _ranks(ranking)
    levels = math.ceil(len(names) / 2)
    figure = new_figure(0.30 * levels + 0.17 * len(groups) + 1.8)
    axes = figure.subplots()
    low, high = math.floor(min(ranks.values())), math.ceil(max(ranks.values()))
    high = max(high, low + 1)
    if difference > 1.6 * (high - low):  # the whole ruler, so that the critical difference fits above it
        low, high = 1, max(high, len(names))
    margin = max(0.42 * (high - low), (difference - (high - low)) / 2 + 0.1)
    axes.set_xlim(low - margin, high + margin)
    top = 1.5 + 0.55 * len(groups)
    axes.set_ylim(top + levels - 0.4, -2.6)
    axes.set_axis_off()
    _draw_ruler(axes, theme, low, high)
    _draw_difference(axes, theme, low - 0.9 * margin, difference)
    for row, group in enumerate(groups):
        ends = [ranks[group[0]], ranks[group[-1]]]
        pad = 0.012 * (high - low)
        axes.plot([ends[0] - pad, ends[1] + pad], [0.7 + 0.55 * row] * 2, color=theme.ink, lw=3.6,
                  solid_capstyle="butt")  # fmt: skip
    for place, name in enumerate(names):
        left = place < levels
        level = top + (place if left else len(names) - 1 - place)
        end = low - 0.1 * margin if left else high + 0.1 * margin
        _draw_name(axes, theme, name, ranks[name], level, end, left)
    return finish(figure, title(ranking))


def _draw_ruler(axes: Axes, theme: Theme, low: int, high: int) -> None:
    axes.plot([low, high], [0, 0], color=theme.ink, lw=1.0)
    for tick in range(low, high + 1):
        axes.plot([tick, tick], [0, -0.25], color=theme.ink, lw=1.0)
        axes.annotate(f"{tick}", (tick, -0.3), (0, 1), textcoords="offset points", ha="center", size=SMALL)
    middle = (low + high) / 2
    axes.annotate("average rank, 1 is best", (middle, -1.05), ha="center", va="bottom", size=TEXT)


def _draw_difference(axes: Axes, theme: Theme, start: float, difference: float) -> None:
    """The critical difference itself, to scale, above the left end of the ruler."""
    axes.plot([start, start + difference], [-1.75, -1.75], color=theme.faint, lw=2.4, solid_capstyle="butt")
    text = f"critical difference (CD) {difference:.2f}"
    axes.annotate(text, (start, -1.9), ha="left", va="bottom", size=SMALL)


def _draw_name(
    axes: Axes, theme: Theme, name: str, rank: float, level: float, end: float, left: bool
) -> None:
    style = look("variants", name)
    colour = theme.colour(style.colour)
    axes.plot([rank, rank, end], [0, level, level], color=colour, lw=1.0)
    axes.plot([rank], [0], zorder=4, **style.marks(theme, 6.0))
    text = f"{style.label} {rank:.2f}" if left else f"{rank:.2f} {style.label}"
    axes.annotate(text, (end, level), (-4 if left else 4, 0), textcoords="offset points",
                  ha="right" if left else "left", va="center", size=TEXT)  # fmt: skip


def _ranks(ranking: Ranking) -> dict[str, float]:
    return dict(zip(ranking.names, ranking.average_ranks, strict=True))
