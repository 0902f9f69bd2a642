"""The tables of README.md: ``python results/searched/table.py``; ``--take`` keeps a sweep's files first."""

import argparse
import gzip
import json
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from supra_experiments.analysis import main_side, runs
from supra_experiments.analysis.frame import paper_cells
from supra_experiments.report.records import read_inputs
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.journal import SearchTrial
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.record import RunRecord, read_records

HERE = Path(__file__).parent
RECORDS = HERE.parent / "searched.jsonl.gz"
TRIALS = HERE / "trials.jsonl.gz"
SPEC = SweepSpec.read(HERE / "spec.toml")
FAR = 3.0
"""AUC points below the paper's figure, in percent, that count as not reached."""


class Found(NamedTuple):
    """What the search came to in a cell; all AUC are in percent.

    Attributes:
        cell: which.
        trials: all of them, in the order of their ends; none where settings are carried over.
        settings: of the best, with its epochs where these were fewer than it had, or what is carried over.
        gain: what they add to the held-out AUC of the first trial, here or where they are carried over from.
        records: of these settings on the test snapshots, one for each seed.
        default: test AUC at default settings, the mean over seeds.
        paper: the paper's.
    """

    cell: Cell
    trials: list[SearchTrial]
    settings: dict[str, Any]
    gain: float
    records: list[RunRecord]
    default: float
    paper: float

    @property
    def first(self) -> float:
        """Held-out AUC at default settings."""
        return _first(self.trials)

    @property
    def test(self) -> float:
        """Test AUC with the settings found, the mean over seeds."""
        return 100 * statistics.mean(record.test.auc for record in self.records)


def found() -> list[Found]:
    """All cells, in the order of the file."""
    lines = map(json.loads, gzip.decompress(TRIALS.read_bytes()).splitlines())
    trials = [SearchTrial(**{**line, "cell": Cell(**line["cell"])}) for line in lines]
    records = {record.config: record for record in read_records(RECORDS)}
    keys = ["dataset", "model", "features", "pe"]
    defaults = main_side(runs(read_inputs([HERE.parent]).records.values())).cells.set_index(keys)["auc"]
    paper = paper_cells().set_index(keys)["auc"]
    by_cell = {cell: [trial for trial in trials if trial.cell == cell] for cell in SPEC.cells}
    cells = []
    for cell, own in by_cell.items():
        sources = SPEC.sources(cell)
        gain, best = max((_best(by_cell[source]) for source in sources or (cell,)), key=lambda each: each[0])
        given = best.settings if sources else best.found
        space = {*SPEC.search_space(cell), *(() if sources else ("max_epochs",))}
        settings = {name: value for name, value in given.items() if name in space}
        tested = [records[SPEC.config(cell, seed, **settings).resolved()] for seed in SPEC.seeds(cell)]
        place = cell.dataset, cell.model, cell.features, cell.pe
        cells.append(
            Found(cell, [] if sources else own, settings, gain, tested, defaults[place], paper[place])
        )
    return cells


def _first(trials: Iterable[SearchTrial]) -> float:
    return 100 * next(trial.value or 0.0 for trial in trials if not trial.settings)


def _best(trials: Sequence[SearchTrial]) -> tuple[float, SearchTrial]:
    """The best trial that came to its end or was judged before it, and what it gained over the first."""
    known = [trial for trial in trials if not trial.stopped_early or trial.best_epochs is not None]
    best = max((trial for trial in known if trial.value is not None), key=lambda trial: trial.value or 0.0)
    return 100 * (best.value or 0.0) - _first(trials), best


def take(folder: Path) -> None:
    """Keep the trials of a sweep's folder, and the records of the cells in the file, without their epochs."""
    cells = set(SPEC.cells)
    records = [r for r in read_records(folder / "records.jsonl") if Cell.of(r.config) in cells]
    lines = [replace(record, history=()).to_json() for record in records]
    RECORDS.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
    TRIALS.write_bytes(gzip.compress((folder / "search.jsonl").read_bytes(), mtime=0))


def row(cells: Iterable[object]) -> str:
    """One line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def summary(cells: Sequence[Found]) -> None:
    """Print a row for each dataset and model."""
    print(
        row(["dataset", "model", "cells", "defaults are best", "held out", "test", "reached before", "now"])
    )
    print(row([":--", ":--", *["--:"] * 6]))
    for (dataset, model), group in groupby(cells, key=lambda each: (each.cell.dataset, each.cell.model)):
        own = list(group)
        kept = sum(not each.settings for each in own)
        held_out = statistics.mean(each.gain for each in own)
        test = statistics.mean(each.test - each.default for each in own)
        reached = [sum(auc >= each.paper - FAR for auc, each in part) for part in _sides(own)]
        gains = [f"{round(gain, 1) + 0.0:+.1f}" for gain in (held_out, test)]  # + 0.0: no minus before a zero
        gains[0] = gains[0] if own[0].trials else "carried over"
        print(row([dataset, model, len(own), kept, *gains, *reached]))


def _sides(cells: Sequence[Found]) -> tuple[list[tuple[float, Found]], list[tuple[float, Found]]]:
    return [(each.default, each) for each in cells], [(each.test, each) for each in cells]


def details(cells: Sequence[Found]) -> None:
    """Print a row for each cell."""
    names = ["dataset", "model", "features", "encoding", "first trial", "best trial"]
    print(row([*names, "test at defaults", "test after search", "paper"]))
    print(row([*[":--"] * 4, *["--:"] * 5]))
    for each in cells:
        cell = each.cell
        judged = (
            [f"{value:.1f}" for value in (each.first, each.first + each.gain)] if each.trials else ["", ""]
        )
        tested = [f"{value:.1f}" for value in (each.default, each.test, each.paper)]
        print(row([cell.dataset, cell.model, cell.features, cell.pe, *judged, *tested]))


def show() -> None:
    """Print both tables."""
    cells = found()
    summary(cells)
    print()
    details(cells)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--take", type=Path, metavar="FOLDER", help="of the sweep: sweeps/searched")
    folder = parser.parse_args().take
    if folder is not None:
        take(folder)
    show()


if __name__ == "__main__":
    main()
