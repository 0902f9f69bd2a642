"""Is the choice of the epoch the cause of a gap? The AUC after every epoch, of runs at default settings.

``by_epoch.py`` traces the cells that are far below the paper's figure, on the test, and some on training
snapshots that are held out. Runs that ``traces.jsonl.gz`` holds are not made again; ``--table`` prints the
tables of README.md. What a trace finds on the test is no result but a bound: there the test would choose.
"""

import argparse
import gzip
import itertools
import json
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from supra_core.files import replacing
from supra_experiments.analysis import main_side, runs
from supra_experiments.analysis.frame import paper_cells
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.encoding.tensors import encode_graph
from supra_experiments.protocol.evaluation import judge_mean
from supra_experiments.report.records import read_inputs
from supra_experiments.sweep.cells import Cell
from supra_experiments.training.fit import torch_settings
from supra_experiments.training.run import Run
from supra_experiments.training.task import Task

HERE = Path(__file__).parent
TRACES = HERE / "traces.jsonl.gz"
FAR = 3.0
"""AUC points below the paper's figure, in percent, from which a cell is far."""
LIMITS = 5, 30, 90, 150
"""Numbers of epochs that training could have been stopped after."""
LEFT_OUT = "as733"
"""Decided by nodes that no held-out snapshot knows, see ../notes.md, and hours of training."""


@dataclass(frozen=True)
class HeldOut:
    """Training snapshots that are held out, and the cells that they are asked about.

    Attributes:
        dataset, model: of the cells.
        snapshots: how many of the first ones are used; all of them before the test.
        settings: how these are split.
    """

    dataset: str
    model: str
    snapshots: int
    settings: dict[str, int]

    @property
    def cells(self) -> Iterator[Cell]:
        """Features by encodings; without either EvolveGCN tells nothing apart."""
        for features, pe in itertools.product(
            ("one-hot", "zeros", "random"), ("none", "lpe-e", "slpe-e", "slpe-t")
        ):
            if (self.model, features, pe) != ("egcn-h", "zeros", "none"):
                yield Cell(self.dataset, self.model, pe, features)

    def cut(self) -> Dataset:
        """The dataset without what comes later."""
        whole = load(self.dataset)
        return replace(whole, graph=whole.graph.window(self.snapshots - 1, self.snapshots))


# As in the study, an election lies between what HTGN is trained on (2006 to 2010) and what chooses its epoch.
HELD_OUT = (
    HeldOut("canparl", "htgn", 9, {"test_snapshots": 2, "validation_snapshots": 2, "max_epochs": 100}),
    HeldOut("dblp", "egcn-h", 7, {"test_snapshots": 3}),
    HeldOut("enron10", "egcn-h", 8, {"test_snapshots": 3}),
    HeldOut("enron10", "slate", 8, {"test_snapshots": 3}),
    HeldOut("dblp", "slate", 7, {"test_snapshots": 3}),
)


@dataclass(frozen=True)
class Trace:
    """A run, epoch by epoch.

    Attributes:
        cell: which.
        held_out: how many of the first snapshots it had, None for all.
        best_epoch: the one that the run's own rule chose, counted from 1.
        losses: after each epoch.
        aucs: of what is judged, in percent.
    """

    cell: Cell
    held_out: int | None
    best_epoch: int
    losses: tuple[float, ...]
    aucs: tuple[float, ...]

    @property
    def chosen(self) -> float:
        """The AUC of the epoch that the rule chose."""
        return self.aucs[self.best_epoch - 1]

    def lowest(self, limit: int | None = None) -> int:
        """The epoch with the lowest loss, of all or the first ones."""
        return 1 + min(range(len(self.losses[:limit])), key=self.losses.__getitem__)

    @property
    def highest(self) -> int:
        """The epoch with the highest AUC."""
        return 1 + max(range(len(self.aucs)), key=self.aucs.__getitem__)

    @classmethod
    def of(cls, cell: Cell, held_out: HeldOut | None = None) -> "Trace":
        """Train as a study does, and look at what is judged after every epoch."""
        few = {"max_epochs": 50} if (cell.dataset, cell.model) == ("canparl", "slate") else {}
        settings = few if held_out is None else held_out.settings
        config = Config(
            dataset=cell.dataset, model=cell.model, pe=cell.pe, features=cell.features, **settings
        )
        task = Task.of(config, None if held_out is None else held_out.cut())
        losses, aucs = [], []
        with torch_settings(task.config.training.threads):
            run = Run(task, encode_graph(task.config, task.seen))
            while not run.finished:
                epoch = run.trainer.epoch(run.next_epoch)
                scorers = run.trainer.scorers()
                run.add(epoch, scorers)
                auc = judge_mean(task.judged.test, lambda t, now=scorers: now[task.split.seen(t)]).auc
                losses.append(float(f"{epoch.loss:.6g}"))
                aucs.append(round(100 * auc, 2))
        snapshots = None if held_out is None else held_out.snapshots
        return cls(cell, snapshots, run.best_epoch, tuple(losses), tuple(aucs))

    @classmethod
    def from_json(cls, line: bytes) -> "Trace":
        """The way back from a line."""
        values = json.loads(line)
        return cls(
            Cell(**values["cell"]),
            values["held_out"],
            values["best_epoch"],
            tuple(values["losses"]),
            tuple(values["aucs"]),
        )


def read() -> list[Trace]:
    """All traces there are."""
    return (
        [*map(Trace.from_json, gzip.decompress(TRACES.read_bytes()).splitlines())] if TRACES.exists() else []
    )


def write(traces: Iterable[Trace]) -> None:
    """Keep them, in the order of their cells."""
    ordered = sorted(traces, key=lambda each: (each.held_out or 0, each.cell))
    text = "".join(json.dumps(asdict(each), separators=(",", ":")) + "\n" for each in ordered)
    with replacing(TRACES) as temporary:
        temporary.write_bytes(gzip.compress(text.encode(), mtime=0))


def figures() -> dict[Cell, tuple[float, float]]:
    """The mean test AUC at default settings, and the paper's figure, of every cell."""
    keys = ["dataset", "model", "features", "pe"]
    ours = main_side(runs(read_inputs([HERE.parent]).records.values())).cells.set_index(keys)["auc"]
    paper = paper_cells().set_index(keys)["auc"]
    return {Cell(key[0], key[1], key[3], key[2]): (ours[key], paper[key]) for key in paper.index}


def asked() -> list[tuple[Cell, HeldOut | None]]:
    """What is to be traced."""
    far = sorted(cell for cell, (ours, paper) in figures().items() if ours < paper - FAR)
    held_out = [(cell, part) for part in HELD_OUT for cell in part.cells]
    return [*((cell, None) for cell in far if cell.dataset != LEFT_OUT), *held_out]


def run_missing() -> None:
    """Make the traces that there are not; each is kept as soon as it is there."""
    traces = read()
    known = {(each.cell, each.held_out) for each in traces}
    missing = [each for each in asked() if (each[0], each[1] and each[1].snapshots) not in known]
    for number, (cell, held_out) in enumerate(missing, start=1):
        print(f"[{number}/{len(missing)}] {cell.name}{' held out' if held_out else ''}", flush=True)
        traces.append(Trace.of(cell, held_out))
        write(traces)


def row(cells: Iterable[object]) -> str:
    """One line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def show() -> None:
    """Print both tables."""
    known = figures()
    names = ["dataset", "model", "features", "encoding"]
    of_epochs = ["chosen (epoch)", "lowest loss (epoch)", "highest (epoch)"]
    print(row([*names, "paper", "study", *of_epochs]), row([*[":--"] * 4, *["--:"] * 5]), sep="\n")
    for each in read():
        if each.held_out is None:
            ours, paper = known[each.cell]
            epochs = each.best_epoch, each.lowest(), each.highest
            shown = [f"{each.aucs[epoch - 1]:.1f} ({epoch})" for epoch in epochs]
            cell = each.cell
            print(
                row([cell.dataset, cell.model, cell.features, cell.pe, f"{paper:.1f}", f"{ours:.1f}", *shown])
            )
    print()
    limits = [*(f"at most {limit}" for limit in LIMITS), "highest"]
    print(row(["dataset", "model", "cells", "all epochs", *limits]), row([":--"] * 2 + ["--:"] * 7), sep="\n")
    for part in HELD_OUT:
        own = [
            each
            for each in read()
            if (each.cell.dataset, each.cell.model, each.held_out)
            == (part.dataset, part.model, part.snapshots)
        ]
        values = [
            [each.chosen, *(each.aucs[each.lowest(limit) - 1] for limit in LIMITS), max(each.aucs)]
            for each in own
        ]
        means = [f"{statistics.mean(column):.1f}" for column in zip(*values, strict=True)]
        print(row([part.dataset, part.model, len(own), *means]))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", action="store_true", help="print the tables alone")
    if not parser.parse_args().table:
        run_missing()
    show()


if __name__ == "__main__":
    main()
