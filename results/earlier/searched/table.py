"""The table of README.md: ``python results/earlier/searched/table.py``."""

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

from supra_experiments.analysis.frame import paper_cells
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.record import RunRecord, read_records

HERE = Path(__file__).parent
SPEC = SweepSpec.read(HERE / "spec.toml")


class Searched(NamedTuple):
    """What a search came to in a cell.

    Attributes:
        cell: which.
        first, best: held-out AUC in percent of the first trial, which has default settings, and of the best.
        settings: what the best trial was told.
        record: the best on the test snapshots.
    """

    cell: Cell
    first: float
    best: float
    settings: dict[str, Any]
    record: RunRecord


def searched() -> list[Searched]:
    """All cells, in the order of the file."""
    lines = gzip.decompress((HERE / "trials.jsonl.gz").read_bytes()).splitlines()
    trials = [json.loads(line) for line in lines]
    records = {record.config: record for record in read_records(HERE / "records.jsonl.gz")}
    found = []
    for cell in SPEC.cells:
        own = [trial for trial in trials if Cell(**trial["cell"]) == cell and trial["value"] is not None]
        best = max(own, key=lambda trial: trial["value"])
        record = records[SPEC.config(cell, 0, **best["settings"]).resolved()]
        found.append(Searched(cell, 100 * own[0]["value"], 100 * best["value"], best["settings"], record))
    return found


def main() -> None:
    """Print the table."""
    paper = paper_cells().set_index(["dataset", "model", "features", "pe"])["auc"]
    print("| dataset | features | encoding | first trial | best trial | test | paper |")
    print("| :-- | :-- | :-- | --: | --: | --: | --: |")
    for each in searched():
        cell = each.cell
        published = paper[cell.dataset, cell.model, cell.features, cell.pe]
        print(
            f"| {cell.dataset} | {cell.features} | {cell.pe} | {each.first:.1f} | {each.best:.1f} "
            f"| {100 * each.record.test.auc:.1f} | {published:.1f} |"
        )


if __name__ == "__main__":
    main()
