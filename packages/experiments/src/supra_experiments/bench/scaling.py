"""Solver time over the size of the graph, measured step by step into a file of JSON lines.

Each line is one method on one matrix, with the machine, the versions and the commit it was measured with.
What the file holds already is not measured again, so that a run may be stopped at any time and continued
later. A method that needed more than the budget on one generated graph is not tried on larger ones.
"""

import functools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from supra_core.checks import check_count, check_nonnegative
from supra_experiments.bench.outcome import Outcome, Report, commit, machine, silent
from supra_experiments.bench.solver_methods import METHODS, Method
from supra_experiments.bench.solvers import Case, cases, measure, warm_up_case
from supra_experiments.errors import ExperimentError
from supra_experiments.training.record import versions

SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000)
# All eigenpairs need memory that grows with the square of the rows; the others are held by the budget alone.
MAX_ROWS = {"full": 7_000, "arpack-1e-6": 10_000_000, "lobpcg-20": 10_000_000}
CHOSEN = ("full", "arpack-1e-6", "lobpcg-20", "davidson-1e-3", "davidson-1e-6")

Line = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """A graph to measure on: a generated one of about ``size`` active supra-nodes, or a part of a dataset."""

    graph: str
    part: str
    size: int | None = None

    def case(self, seed: int, root: str | Path | None) -> Case:
        """Its matrix."""
        names = [] if self.size else [self.graph]
        found = cases([self.size] if self.size else [], seed=seed, names=names, root=root)
        return next(c for c in found if c.part == self.part and c.normalization == "combinatorial")


def steps(sizes: Sequence[int], names: Sequence[str]) -> list[Step]:
    """Datasets first, then generated graphs from small to large.

    Example:
        >>> [(step.graph, step.part, step.size) for step in steps([2000, 1000], ["enron10"])]
        [('enron10', 'supra', None), ('enron10', 'layer', None), ('generated', 'supra', 1000), \
('generated', 'supra', 2000)]
    """
    real = [Step(name, part) for name in names for part in ("supra", "layer")]
    return real + [Step("generated", "supra", size) for size in sorted(set(sizes))]


def methods() -> list[Method]:
    """What is measured: everything a user of the encodings could run, within reason for its memory."""
    return [replace(METHODS[name], max_rows=MAX_ROWS.get(name, METHODS[name].max_rows)) for name in CHOSEN]


def due(step: Step, lines: Sequence[Line], chosen: Sequence[Method], budget: float) -> list[Method]:
    """The methods this step lacks, that can do it and did not exceed the budget on a smaller graph."""
    done = {line["method"] for line in lines if _step_of(line) == step}
    smaller = [
        line for line in lines if step.size and line["graph"] == step.graph and line["size"] < step.size
    ]
    tired = {line["method"] for line in smaller if line["seconds"] > budget}
    able = [method for method in chosen if method.max_rows >= (step.size or 0)]
    return [method for method in able if method.name not in done | tired]


def run(
    path: str | Path,
    *,
    sizes: Sequence[int] = SIZES,
    names: Sequence[str] = (),
    root: str | Path | None = None,
    k: int = 8,
    repeats: int = 3,
    budget: float = 60.0,
    seed: int = 0,
    report: Report = silent,
) -> Iterator[Line]:
    """Measure what the file at ``path`` lacks; each line is given out once it is in the file.

    Args:
        path: the file of JSON lines; need not exist.
        sizes: active supra-nodes of the generated graphs, which are drawn by ``seed``.
        names, root: datasets, and their folder.
        k, repeats: eigenpairs, and rounds, whose median counts.
        budget: seconds that a method may need on one graph to be tried on the next larger one.
        report: told what is measured next.

    Raises:
        ExperimentError: a file that holds something else.
    """
    check_count("k", k, minimum=2)
    check_count("repeats", repeats)
    check_nonnegative("budget", budget, positive=True)
    for size in sizes:
        check_count("sizes", size, minimum=50)
    lines = read(path)
    origin = {"machine": machine(), "versions": versions(), "commit": commit()}
    chosen, planned, warm = methods(), steps(sizes, names), False
    with threadpool_limits(1):
        for done, step in enumerate(planned):
            tell = functools.partial(report, done, len(planned))
            mine = [line for line in lines if (line["k"], line["seed"]) == (k, seed)]
            wanted = due(step, mine, chosen, budget)
            if not wanted:
                continue
            if not warm:  # so that no method's first time has the loading of its library in it
                measure(warm_up_case(), chosen, k=k, repeats=1, tell=tell)
                warm = True
            for record in measure(step.case(seed, root), wanted, k=k, repeats=repeats, tell=tell):
                now = datetime.now(UTC).isoformat(timespec="seconds")
                line = {**record.to_dict(), "size": step.size, "seed": seed, "time": now, "origin": origin}
                _append(Path(path), line)
                lines.append(line)
                yield line


def read(path: str | Path) -> list[Line]:
    """The lines of a file, none where there is no file.

    Raises:
        ExperimentError: a line that is not a measurement.
    """
    lines: list[Line] = []
    if Path(path).exists():
        for number, text in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
            try:
                line = json.loads(text)
                _step_of(line), line["k"], line["seed"], line["method"], float(line["seconds"])
            except (ValueError, KeyError, TypeError):
                raise ExperimentError(
                    f"{path}, line {number}: must be a measurement of `supra bench scaling`"
                ) from None
            lines.append(line)
    return lines


def outcome(lines: Sequence[Line]) -> Outcome:
    """What is shown of the lines that were measured now."""
    columns = {
        "graph": lambda line: line["graph"],
        "part": lambda line: line["part"],
        "method": lambda line: line["method"],
        "n": lambda line: f"{line['num_rows']:,}",
        "seconds": lambda line: f"{line['seconds']:.3f}",
        "residual": lambda line: f"{line['residual']:.1e}",
    }
    return Outcome(lines, "Measured now", columns, {"measured": list(lines)}, left=3)


def _step_of(line: Line) -> Step:
    return Step(line["graph"], line["part"], line["size"])


def _append(path: Path, line: Line) -> None:
    """In one write, so that a run that is stopped leaves whole lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab", buffering=0) as file:
        file.write((json.dumps(line, default=float) + "\n").encode())
