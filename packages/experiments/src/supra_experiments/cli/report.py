"""``supra report``: what run records say, as a page, as tables and as figures."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from supra_experiments.cli import options as o
from supra_experiments.cli.output import note, print_json, progress_bar, say
from supra_experiments.config import SETTINGS
from supra_experiments.config.setting import refuse_unknown
from supra_experiments.errors import ConfigError, ExperimentError, told_as
from supra_experiments.words import counted

if TYPE_CHECKING:
    from supra_experiments.report.study import Study

Runs = Annotated[
    list[Path],
    o.argument(
        "RUNS...",
        "Files of run records ([cyan].jsonl[/], [cyan].jsonl.gz[/]) or folders: one stands for the "
        "files in it, one without any for those of its sub-folders, such as sweeps.",
    ),
]
Where = Annotated[
    list[str] | None,
    o.maybe(
        "SETTING=VALUE",
        "Only runs with this setting, such as [cyan]lr=0.01[/]; may be given several times.",
    ),
]
Origin = Annotated[
    str, o.maybe("TEXT", "The machine and the commit of the runs, to stand beside their settings.")
]
Graph = Annotated[
    str | None,
    o.maybe("GRAPH", "A dataset or an edge list, for figures of its matrices and eigenvectors."),
]
Markdown = Annotated[
    Path | None,
    o.maybe("FILE", "Also write a Markdown page: findings first, then tables, with links to figures."),
]
Notes = Annotated[Path | None, o.maybe("FILE", "Text of your own, in Markdown, to stand in the pages.")]
SolverTimes = Annotated[
    Path | None, o.maybe("FILE", "Measurements of [cyan]supra bench scaling[/], for a figure of them.")
]
EncodingTimes = Annotated[
    Path | None,
    o.maybe("FILE", "Seconds of [cyan]supra bench encodings[/], to stand in place of the runs' own."),
]


def report(
    runs: Runs,
    output: o.PageFolder = Path("report"),
    where: Where = None,
    markdown: Markdown = None,
    notes: Notes = None,
    origin: Origin = "",
    solver_times: SolverTimes = None,
    encoding_times: EncodingTimes = None,
    graph: Graph = None,
    data_root: o.DataRoot = None,
    json: o.Json = False,
) -> None:
    """Make a report of runs: one HTML page that needs nothing else, tables in Markdown and LaTeX, figures.

    The page begins with a question and its answer: what encodings add, with an interval. It is about the runs
    that are given, beside the paper's figures where it has the same. A run that is there several times is
    counted once; runs that differ in a setting are kept apart.

    Examples: [cyan]supra report runs.jsonl[/] and
    [cyan]supra report sweeps/quick -o report --markdown report/README.md --notes notes.md[/]
    """
    from supra_experiments.datasets import load
    from supra_experiments.report.build import PAGE, build_report
    from supra_experiments.report.findings import answer
    from supra_experiments.report.records import read_encoding_times, read_inputs
    from supra_experiments.report.study import Study, newest

    start = time.perf_counter()
    text = ""
    if notes is not None:
        with told_as(ExperimentError, f"{notes}: cannot be read"):
            text = notes.read_text(encoding="utf-8")
    with progress_bar("report", 1.0) as bar:
        bar.update(0.0, text="reading records")
        times = None if encoding_times is None else read_encoding_times(encoding_times)
        study = Study.of(
            read_inputs(runs, _conditions(where or [])),
            origin=origin,
            encoding_times=times,
            solver_times=() if solver_times is None else _measurements(solver_times),
            graph=None if graph is None else newest(load(graph, root=data_root).graph),
            graph_name="" if graph is None else Path(graph).stem,
        )
        files = build_report(
            study,
            output,
            markdown=markdown,
            notes=text,
            progress=lambda share, what: bar.update(share, text=what),
        )
    seconds = time.perf_counter() - start
    if json:
        made = {"page": str(output / PAGE), "files": [str(path) for path in files]}
        print_json({"answer": answer(study), **made, **_counts(study), "seconds": seconds})
        return
    for line in study.inputs.remarks():
        note(line)
    covered = f", {len(study.compared)} of them in the paper" if len(study.compared) else ""
    say(f"{counted(len(study.all_runs), 'run')}, {counted(len(study.cells), 'cell')}{covered}")
    say(f"[bold]{answer(study)}[/]")
    say(f"wrote [bold]{output / PAGE}[/] and {len(files) - 1} files beside in {seconds:.1f} s")


def _counts(study: "Study") -> dict[str, Any]:
    inputs = study.inputs
    return {
        "runs": len(study.all_runs),
        "cells": len(study.cells),
        "compared": len(study.compared),
        "duplicates": inputs.num_duplicates,
        "torn_lines": inputs.num_torn,
        "dropped": inputs.num_dropped,
        "others": inputs.num_others,
        "folders_not_read": [str(folder) for folder in inputs.folders],
    }


def _conditions(pairs: list[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign:
            raise ConfigError(f"--where {pair}: must be SETTING=VALUE")
        refuse_unknown([name], SETTINGS, "--where ")
        found[name] = value
    return found


def _measurements(path: Path) -> list[dict[str, Any]]:
    from supra_experiments.bench.scaling import read

    lines = read(path)
    if not lines:
        raise ExperimentError(f"{path}: no measurements of `supra bench scaling`")
    return lines
