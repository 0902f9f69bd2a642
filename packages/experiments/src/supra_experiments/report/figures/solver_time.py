"""Seconds to the smallest eigenpairs, by method, over the size of the graph and on the real datasets."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from supra_experiments.report.figures.canvas import finish, legend_below, new_figure, themed
from supra_experiments.report.figures.style import METHODS, SMALL, Theme, look
from supra_experiments.report.study import Study
from supra_experiments.words import capital, compared, seconds

Line = Mapping[str, Any]
PARTS = {"supra": "five snapshots coupled", "layer": "the newest alone"}

CAPTION = (
    "Processor time of one thread to the eight smallest eigenpairs of combinatorial Laplacians. Powers "
    "of ten are the residual norm that was asked for; LOBPCG stops after its steps, however far it came."
)


def given(study: Study) -> tuple[Sequence[Line]] | None:
    """Measurements, where there are any."""
    return (study.solver_times,) if study.solver_times else None


def title(lines: Sequence[Line]) -> str:
    """Davidson beside Lanczos at equal accuracy, and beside a LOBPCG that is cut short, where both ran."""
    kept = _kept(lines)
    findings, size = [], None
    pair = _largest_pair(kept, "davidson-1e-6", "arpack-1e-6")
    if pair is not None:
        size = pair[0]["num_rows"]
        verdict = compared(pair[0]["seconds"], pair[1]["seconds"])
        findings.append(f"On {size:,} nodes Davidson is {verdict} Lanczos at the same accuracy")
    pair = _largest_pair(kept, "davidson-1e-3", "lobpcg-20")
    if pair is not None:
        where = "" if pair[0]["num_rows"] == size else f" on {pair[0]['num_rows']:,} nodes"
        verdict = compared(pair[0]["seconds"], pair[1]["seconds"])
        reached = pair[1].get("residual")
        stop = "" if reached is None else f", which stop at a residual of {reached:.1g}"
        findings.append(f"to 10⁻³ Davidson is {verdict} 20 steps of LOBPCG{where}{stop}")
    if findings:
        return capital("; ".join(findings))
    if not kept:
        return "No solver was measured"
    size = max(line["num_rows"] for line in kept)
    fastest = min((line for line in kept if line["num_rows"] == size), key=lambda line: line["seconds"])
    label = look("methods", fastest["method"]).label
    return f"On {size:,} nodes {label} is the fastest that was measured: {seconds(fastest['seconds'])}"


def alt(lines: Sequence[Line]) -> str:
    """What the figure shows, for those who do not see it."""
    parts = ["Seconds of one thread to the smallest eigenpairs of Laplacians, logarithmic, by method."]
    kept = _kept(lines)
    for method in _methods(kept):
        series = [line for line in kept if line["method"] == method and line["graph"] == "generated"]
        if series:
            last = max(series, key=lambda line: line["num_rows"])
            label = look("methods", method).label
            parts.append(f"{label}: {seconds(last['seconds'])} on {last['num_rows']:,} generated nodes.")
    return " ".join(parts)


@themed
def draw(theme: Theme, lines: Sequence[Line]) -> Figure:
    """Above: generated graphs over their size. Below: the datasets, supra-graphs and single layers.

    Args:
        lines: measurements as of ``supra bench scaling``: graph, part, method, num_rows, seconds, and maybe
            normalization (only ``combinatorial`` is drawn) and size. Of two alike the later counts.
    """
    kept = _kept(lines)
    methods = _methods(kept)
    generated = [line for line in kept if line["graph"] == "generated"]
    parts = [part for part in PARTS if any(_is_real(line, part) for line in kept)]
    heights = ([2.7] if generated or not parts else []) + ([2.3] if parts else [])
    figure = new_figure(sum(heights) + 1.5)
    rows = figure.add_gridspec(len(heights), 1, height_ratios=heights)
    if generated or not parts:
        axes = figure.add_subplot(rows[0])
        _draw_generated(axes, theme, generated, methods)
    if parts:
        columns = rows[len(heights) - 1].subgridspec(1, len(parts))
        first = None
        for column, part in enumerate(parts):
            axes = figure.add_subplot(columns[column], sharey=first)
            _draw_real(axes, theme, [line for line in kept if _is_real(line, part)], methods)
            axes.set_title(f"datasets: {PARTS[part]}", fontsize=SMALL, loc="left")
            if first is None:
                axes.set_ylabel("seconds")
            else:
                axes.tick_params(labelleft=False)
            first = first or axes
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    legend_below(figure, list(handles.values()), 2)
    return finish(figure, title(lines))


def _draw_generated(axes: Axes, theme: Theme, lines: Sequence[Line], methods: Sequence[str]) -> None:
    for position, method in enumerate(methods):
        series = sorted((line for line in lines if line["method"] == method), key=lambda x: x["num_rows"])
        if series:
            sizes = [line["num_rows"] for line in series]
            style = look("methods", method, position).curve(theme)
            axes.plot(sizes, [line["seconds"] for line in series], **style)
    axes.set(xscale="log", yscale="log", xlabel="active supra-nodes", ylabel="seconds")
    axes.set_title("generated (Barabási–Albert) graphs: five snapshots coupled", fontsize=SMALL, loc="left")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.grid(which="major")


def _draw_real(axes: Axes, theme: Theme, lines: Sequence[Line], methods: Sequence[str]) -> None:
    """One column a dataset, from small to large; marks are moved apart so that equal times stay visible."""
    sizes = {line["graph"]: line["num_rows"] for line in lines}
    names = sorted(sizes, key=lambda name: sizes[name])
    for position, method in enumerate(methods):
        series = {line["graph"]: line["seconds"] for line in lines if line["method"] == method}
        if series:
            shift = 0.11 * (position - (len(methods) - 1) / 2)
            at = [names.index(name) + shift for name in series]
            axes.plot(at, list(series.values()), **look("methods", method, position).marks(theme, 5.0))
    axes.set_yscale("log")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks(range(len(names)), [f"{name}\n{sizes[name]:,}" for name in names])
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(names) - 0.5)
    for boundary in range(1, len(names)):
        axes.axvline(boundary - 0.5, color=theme.shade, lw=0.8)
    axes.grid(which="major", axis="y")
    axes.set_xlabel("active nodes")


def _kept(lines: Sequence[Line]) -> list[Line]:
    """Those of the combinatorial Laplacian, each once."""
    latest: dict[tuple[Any, ...], Line] = {}
    for line in lines:
        if line.get("normalization", "combinatorial") == "combinatorial" and line["seconds"] > 0:
            latest[line["graph"], line["part"], line["num_rows"], line["method"]] = line
    return list(latest.values())


def _methods(lines: Sequence[Line]) -> list[str]:
    present = dict.fromkeys(line["method"] for line in lines)
    return [name for name in METHODS if name in present] + [name for name in present if name not in METHODS]


def _is_real(line: Line, part: str) -> bool:
    return line["graph"] != "generated" and line["part"] == part


def _largest_pair(lines: Sequence[Line], ours: str, theirs: str) -> tuple[Line, Line] | None:
    """Both methods on the largest graph that both were measured on: generated, or else a real supra-graph."""
    for wanted in (True, False):
        chosen = [x for x in lines if (x["graph"] == "generated") is wanted and x["part"] == "supra"]
        mine = {(x["graph"], x["num_rows"]): x for x in chosen if x["method"] == ours}
        other = {(x["graph"], x["num_rows"]): x for x in chosen if x["method"] == theirs}
        both = mine.keys() & other.keys()
        if both:
            best = max(both, key=lambda key: (key[1], key[0]))
            return mine[best], other[best]
    return None
