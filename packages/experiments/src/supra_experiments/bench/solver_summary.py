"""What the records of a solver benchmark say: ratios within the run, and two figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from supra_experiments.bench.outcome import Measured, Outcome, figure_or_dash, records_of
from supra_experiments.bench.solvers import NORMALIZATIONS, SolverRecord

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What is claimed is claimed for graphs of this size; on smaller ones every method is fast.
BAR_ROWS = 45_000

COLOURS = {
    "full": "#718096",
    "arpack": "#c05621",
    "scipy": "#b7791f",
    "lobpcg": "#2f855a",
    "davidson": "#2b6cb0",
    "primme": "#6b46c1",
    "torch": "#d53f8c",
    "pyg": "#9b2c2c",
}


@dataclass(frozen=True)
class Ratio(Measured):
    """A claim, the figure measured for it and the bar it is held to.

    Attributes:
        claim: in words.
        num_rows: of the matrix it was measured on.
        value: as measured.
        bar: at least or at most this, on matrices of 50,000 rows and more.
        at_least: which of both.
    """

    claim: str
    num_rows: int
    value: float
    bar: float
    at_least: bool
    derived = ("holds",)

    @property
    def holds(self) -> bool | None:
        """Whether the bar is met; None on a matrix that is too small for it."""
        if self.num_rows < BAR_ROWS:
            return None
        slack = 1e-6 * self.bar  # equal but for rounding is equal
        return self.value >= self.bar - slack if self.at_least else self.value <= self.bar + slack

    def __str__(self) -> str:
        line = f"{self.claim} (n = {self.num_rows:,}): {self.value:.2f}"
        if self.holds is None:
            return line
        bar = f"{'at least' if self.at_least else 'at most'} {self.bar:g}"
        return f"{line} ({bar}: {'met' if self.holds else 'NOT MET'})"


def outcome(records: Sequence[SolverRecord], k: int) -> Outcome:
    """What is kept and shown: a rule between matrices, and what the ratios say."""
    by_matrix = groupby(records, lambda r: (r.graph, r.num_rows, r.normalization))
    columns = {
        "graph": lambda r: r.graph,
        "part": lambda r: r.part,
        "Laplacian": lambda r: r.normalization,
        "method": lambda r: r.method,
        "n": lambda r: f"{r.num_rows:,}",
        "seconds": lambda r: f"{r.seconds:.3f}",
        "matvecs": lambda r: figure_or_dash(r.num_matvecs, ","),
        "residual": lambda r: f"{r.residual:.1e}",
        "angle": lambda r: figure_or_dash(r.angle, ".1e"),
        "vectors": lambda r: figure_or_dash(r.peak_vectors, ".0f"),
    }
    found = ratios(records)
    return Outcome(
        [row for _, group in by_matrix for row in (None, *group)],
        f"The {k} smallest eigenpairs, one thread",
        columns,
        records_of(records) | {"ratios": [ratio.to_dict() for ratio in found]},
        left=4,
        lines=[str(ratio) for ratio in found],
        figures={
            "solvers_time_by_size.png": time_against_size(records),
            "solvers_time_by_accuracy.png": time_against_accuracy(records),
        },
    )


COMPARED = (
    ("ARPACK's time over Davidson's, residual 1e-6", None, "arpack-1e-6", "davidson-1e-6", 40, True),
    ("ARPACK's time over Davidson's, residual 1e-3", None, "arpack-1e-3", "davidson-1e-3", 12, True),
    ("Davidson's time over PRIMME's, residual 1e-6", None, "davidson-1e-6", "primme-1e-6", 1.5, False),
    ("Davidson's time over ARPACK's, sym, residual 1e-6", "sym", "davidson-1e-6", "arpack-1e-6", 1, False),
    ("our LOBPCG-20's time over SciPy's", None, "lobpcg-20", "scipy-lobpcg-20", 1, False),
)
"""Claim, Laplacian (else combinatorial), method above the line and below it, bar, whether that is a least."""


def ratios(records: Sequence[SolverRecord]) -> list[Ratio]:
    """The claims that the records allow to check, on the largest generated graph that has what they need."""
    found: list[Ratio] = []
    for claim, normalization, top, bottom, bar, at_least in COMPARED:
        for above, below in _pairs(records, normalization or "combinatorial", top, bottom)[-1:]:
            found.append(Ratio(claim, above.num_rows, above.seconds / below.seconds, bar, at_least))
    for ours, theirs in _pairs(records, "combinatorial", "lobpcg-20", "scipy-lobpcg-20")[-1:]:
        value = ours.residual / theirs.residual
        found.append(Ratio("our LOBPCG-20's residual over SciPy's", ours.num_rows, value, 1, False))
    series = _generated(records, "combinatorial", "davidson-1e-6")
    by_size = {round(r.num_rows, -4): r for r in series}
    if 50_000 in by_size and 500_000 in by_size:
        value = by_size[500_000].seconds / by_size[50_000].seconds
        found.append(Ratio("Davidson's time, 500k over 50k nodes", 500_000, value, 25, False))
    for record in series[-1:]:
        if record.peak_vectors is not None:
            claim = "Davidson's memory beside the matrix, in vectors"
            found.append(Ratio(claim, record.num_rows, record.peak_vectors, 64, False))
    return found


def _generated(records: Sequence[SolverRecord], normalization: str, method: str) -> list[SolverRecord]:
    chosen = [
        r for r in records if (r.graph, r.normalization, r.method) == ("generated", normalization, method)
    ]
    return sorted(chosen, key=lambda record: record.num_rows)


def _pairs(
    records: Sequence[SolverRecord], normalization: str, first: str, second: str
) -> list[tuple[SolverRecord, SolverRecord]]:
    others = {record.num_rows: record for record in _generated(records, normalization, second)}
    ours = _generated(records, normalization, first)
    return [(record, others[record.num_rows]) for record in ours if record.num_rows in others]


def time_against_size(records: Sequence[SolverRecord]) -> "Figure":
    """Seconds over active supra-nodes of the generated graph, both axes logarithmic."""

    def draw(axes: Any, normalization: str) -> str:
        for method in dict.fromkeys(record.method for record in records):
            series = _generated(records, normalization, method)
            if series:
                sizes, seconds = [r.num_rows for r in series], [r.seconds for r in series]
                axes.loglog(sizes, seconds, label=method, color=_colour(method), **_style(method))
        return ""

    return _chart(draw, "active supra-nodes")


def time_against_accuracy(records: Sequence[SolverRecord]) -> "Figure":
    """Seconds over the largest residual, on the largest generated graph of each normalization."""

    def draw(axes: Any, normalization: str) -> str:
        mine = [r for r in records if (r.graph, r.normalization) == ("generated", normalization)]
        # The largest graph on which nothing slow was left out says the most.
        sizes = {r.num_rows for r in mine if r.method.startswith("arpack")} or {r.num_rows for r in mine}
        largest = max(sizes, default=0)
        for r in mine:
            if r.num_rows == largest:
                style = {"color": _colour(r.method), "label": r.method, "ms": 9}
                axes.loglog(max(r.residual, 1e-16), r.seconds, _style(r.method)["marker"], **style)
        axes.invert_xaxis()
        return f", n = {largest:,}"

    return _chart(draw, "largest residual ‖Ax − λx‖ (more accurate to the right)")


def _chart(draw: Callable[[Any, str], str], xlabel: str) -> "Figure":
    """A panel for each Laplacian, whose title ends as ``draw`` says; each method once in the legend."""
    from matplotlib.figure import Figure

    chart = Figure(figsize=(10, 4.6), layout="constrained")
    handles: dict[str, Any] = {}
    for axes, normalization in zip(chart.subplots(1, 2, sharey=True), NORMALIZATIONS, strict=True):
        axes.set_title(f"{normalization} Laplacian{draw(axes, normalization)}")
        axes.set_xlabel(xlabel)
        axes.grid(which="major", alpha=0.3)
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    chart.axes[0].set_ylabel("seconds")
    chart.legend(list(handles.values()), list(handles), loc="outside right center", frameon=False)
    return chart


def _colour(method: str) -> str:
    return COLOURS.get(method.split("-")[0], "#000000")


def _style(method: str) -> dict[str, str]:
    loose = method.endswith("1e-3")
    return {"marker": "o" if loose else "s", "linestyle": "--" if loose else "-"}
