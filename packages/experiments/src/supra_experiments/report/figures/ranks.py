"""A critical-difference diagram: average ranks, and bars over those that cannot be told apart."""

import math
from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supra_experiments.errors import ExperimentError
from supra_experiments.report.figures.canvas import finish, new_figure, themed
from supra_experiments.report.figures.style import SMALL, TEXT, Theme, look
from supra_experiments.report.figures.words import counted, listed


def cliques(ranks: Mapping[str, float], difference: float) -> list[list[str]]:
    """The longest runs of names, best first, whose ranks lie within the critical difference of each other.

    Example:
        >>> cliques({"a": 1.0, "b": 1.5, "c": 2.2, "d": 4.0}, 1.0)
        [['a', 'b'], ['b', 'c']]
    """
    names = sorted(ranks, key=lambda name: ranks[name])
    found: list[list[str]] = []
    last = 0
    for start, name in enumerate(names):
        stop = max(i for i in range(start, len(names)) if ranks[names[i]] - ranks[name] < difference) + 1
        if stop - start > 1 and stop > last:
            found.append(names[start:stop])
            last = stop
    return found


def title(ranks: Mapping[str, float], difference: float, num_cases: int | None = None) -> str:
    """Which ranks first, and which others cannot be told from it."""
    _check(ranks, difference)
    names = sorted(ranks, key=lambda name: ranks[name])
    lead = ranks[names[0]]
    best = [look("variants", name).label for name in names if ranks[name] - lead < 1e-9]
    near = [look("variants", name).label for name in names if 1e-9 <= ranks[name] - lead < difference]
    who = f"{listed(best)} {'ranks' if len(best) == 1 else 'rank'} first"
    finding, them = f"{who}{_over(num_cases)} ({lead:.2f} on average)", "it" if len(best) == 1 else "them"
    if len(best) == len(names):
        return f"{listed(best)} rank alike{_over(num_cases)}"
    if not near:
        return f"{finding}, ahead of every other by more than the critical difference"
    if len(near) + len(best) == len(names):
        return f"{finding}, but cannot be told from any other"
    return f"{finding}; {listed(near)} cannot be told from {them}"


def alt(ranks: Mapping[str, float], difference: float, num_cases: int | None = None) -> str:
    """What the figure shows, for those who do not see it."""
    order = sorted(ranks, key=lambda name: ranks[name])
    rows = ", ".join(f"{look('variants', name).label} {ranks[name]:.2f}" for name in order)
    return f"Average ranks{_over(num_cases)}, 1 is best: {rows}. The critical difference is {difference:.2f}."


@themed
def critical_difference(
    theme: Theme, ranks: Mapping[str, float], difference: float, num_cases: int | None = None
) -> Figure:
    """Average ranks on a line, better to the left; a bar joins names that cannot be told apart.

    Args:
        ranks: the average rank of each variant, 1 is best; at least two.
        difference: the critical difference.
        num_cases: what the ranks are averages of, for the title.
        theme: ``light`` or ``dark``.

    Raises:
        ExperimentError: fewer than two ranks, or values that are not finite.
    """
    _check(ranks, difference)
    names = sorted(ranks, key=lambda name: ranks[name])
    groups = cliques(ranks, difference)
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
    return finish(figure, title(ranks, difference, num_cases))


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


def _over(num_cases: int | None) -> str:
    return f" over {counted(num_cases, 'setting')}" if num_cases else ""


def _check(ranks: Mapping[str, float], difference: float) -> None:
    if len(ranks) < 2 or not all(math.isfinite(rank) for rank in ranks.values()):
        raise ExperimentError(f"ranks={dict(ranks)!r}: must be two or more finite numbers by name")
    if not (math.isfinite(difference) and difference > 0):
        raise ExperimentError(f"difference={difference!r}: must be a finite number > 0")
