"""A sweep before it starts and after it ended, for people and for machines."""

import math
import statistics
from collections.abc import Mapping
from typing import Any

from rich.markup import escape

from supra_experiments.cli.output import console, duration, number, print_table
from supra_experiments.protocol.baselines import BASELINES
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.estimate import Estimate
from supra_experiments.sweep.plan import SweepResult
from supra_experiments.sweep.space import Value
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.sweep.spec_file import AXES
from supra_experiments.training.record import RunRecord


def print_dry_run(spec: SweepSpec, numbers: Estimate) -> None:
    """What a sweep would do."""
    searched, any_fixed = spec.mode == "search", any(block.fixed for block in spec.blocks)
    print_table(
        f"{spec.name}: {numbers.num_cells} cells, {numbers.num_runs} runs"
        + (f" after {numbers.num_searches} trials of searches" if searched else ""),
        ["", "every combination of", *["and of"] * (len(spec.blocks) - 1)],
        [
            *([axis, *(_listed(getattr(block, axis)) for block in spec.blocks)] for axis in AXES),
            ["cells", *(len(list(block.cells)) for block in spec.blocks)],
            *([["with", *(_given(block.fixed) for block in spec.blocks)]] if any_fixed else []),
        ],
        numbers=1 + len(spec.blocks),
    )
    if searched:
        print_table(
            f"Searched in each cell in {spec.num_trials} trials, criterion {spec.criterion}; what has no "
            "effect in a cell is left out",
            ["setting", "values"],
            [[name, str(space)] for name, space in spec.search.items()],
            numbers=2,
        )
    for dataset, sources in spec.carry.items():
        _say(f"Settings for {escape(dataset)} are carried over from {escape(', '.join(sources))}.")
    if spec.baselines:
        _say(f"Scores without learning beside: {', '.join(BASELINES)}, once a dataset.")
    largest = max(numbers.packs.values(), default=1)
    if numbers.core_seconds:
        _say(
            f"About [bold]{duration(numbers.seconds)}[/] on this machine's {numbers.cores:g} cores, "
            f"{duration(numbers.core_seconds)} on one, at default settings, by runs measured on one core of "
            "a 2-core x86-64." + (f" Up to {largest} runs train as one." if largest > 1 else "")
        )
    for (dataset, model), count in numbers.unknown.items():
        what = f"{count} runs or trials of {model} on {escape(dataset)}"
        _say(f"Not counted, since none was ever measured: {what}.")


def dry_run_json(spec: SweepSpec, numbers: Estimate) -> dict[str, Any]:
    """The same for machines."""
    return {
        "name": spec.name,
        "mode": spec.mode,
        "cells": [cell.name for cell in spec.cells],
        "num_cells": numbers.num_cells,
        "num_runs": numbers.num_runs,
        "num_searches": numbers.num_searches,
        "seconds": numbers.seconds,
        "core_seconds": numbers.core_seconds,
        "packs": {cell.name: size for cell, size in numbers.packs.items()},
        "unknown": {" ".join(key): count for key, count in numbers.unknown.items()},
    }


def print_result(spec: SweepSpec, result: SweepResult) -> None:
    """The tables of a sweep, its failures, and where everything is."""
    by_cell = _by_cell(result)
    for dataset in spec.datasets:
        _print_dataset(spec, dataset, by_cell)
    for failure in result.failures:
        attempts = f"{failure.attempts} attempt{'s' * (failure.attempts > 1)}"
        what = f"{failure.cell.name} seed {failure.seed} after {attempts}: {failure.reason}"
        _say(f"[yellow]failed[/] {escape(what)}")
    for cell in result.empty_cells:
        _say(f"[red]empty[/] {escape(cell.name)}")
    _say(f"{len(result.records)} records in [bold]{escape(str(result.folder / 'records.jsonl'))}[/]")


def result_json(spec: SweepSpec, result: SweepResult) -> dict[str, Any]:
    """The same for machines."""
    return {
        "name": spec.name,
        "records": str(result.folder / "records.jsonl"),
        "num_records": len(result.records),
        "cells": [
            {"cell": cell.name, "auc": _mean(records), "num_runs": len(records)}
            for cell, records in _by_cell(result).items()
        ],
        "failures": [
            {
                "cell": failure.cell.name,
                "seed": failure.seed,
                "kind": failure.kind,
                "reason": failure.reason,
                "attempts": failure.attempts,
            }
            for failure in result.failures
        ],
        "empty_cells": [cell.name for cell in result.empty_cells],
        "dropped": list(result.dropped),
    }


def _listed(values: tuple[str | int, ...]) -> str:
    return " ".join(map(str, values))


def _given(settings: Mapping[str, Value]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in settings.items())


def _say(text: str) -> None:
    """One line however long, so that paths stay whole; may hold rich markup."""
    console().print(text, soft_wrap=True)


def _print_dataset(spec: SweepSpec, dataset: str, by_cell: dict[Cell, list[RunRecord]]) -> None:
    cells = [cell for cell in spec.cells if cell.dataset == dataset]
    encodings = list(dict.fromkeys(cell.pe for cell in cells))
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for cell in cells:
        rows.setdefault((cell.model, cell.features), {})[cell.pe] = _entry(by_cell.get(cell, []))
    print_table(
        f"Test AUC on {dataset} in percent, mean ± standard deviation over seeds",
        ["model", "features", *encodings],
        [[*key, *(own.get(pe, "") for pe in encodings)] for key, own in rows.items()],
        numbers=2,
    )
    scores = [
        f"{name} {number(100 * record.test.auc)}"
        for name in BASELINES
        for record in by_cell.get(Cell(dataset, name, "none", "zeros"), [])
    ]
    if scores:
        _say(f"Without learning: {', '.join(scores)}.")


def _entry(records: list[RunRecord]) -> str:
    aucs = [100 * record.test.auc for record in records if not math.isnan(record.test.auc)]
    if not aucs:
        return "diverged" if records else "empty"
    spread = f"±{statistics.pstdev(aucs):.1f}" if len(aucs) > 1 else ""
    return f"{statistics.mean(aucs):.1f}{spread}"


def _mean(records: list[RunRecord]) -> float:
    aucs = [record.test.auc for record in records if not math.isnan(record.test.auc)]
    return statistics.mean(aucs) if aucs else math.nan


def _by_cell(result: SweepResult) -> dict[Cell, list[RunRecord]]:
    by_cell: dict[Cell, list[RunRecord]] = {}
    for record in result.records:
        by_cell.setdefault(Cell.of(record.config), []).append(record)
    return by_cell
