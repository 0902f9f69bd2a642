"""What ``supra sweep`` chose for scores that can count: ``python results/history/searched.py``.

``sweeps/*.toml`` are the sweeps; beside each are its trials and its records, compressed by ``--pack FOLDER``
from the folders that the sweeps left in FOLDER.
"""

import argparse
import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from study import KINDS
from tables import lead_over, print_table

from supra_experiments.config import Config
from supra_experiments.config.model import UNLEARNED
from supra_experiments.sweep.cells import Cell
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.record import RunRecord, read_records

HERE = Path(__file__).parent / "sweeps"
SWEEPS = ("small", "large")
PARTS = ("search", "records")


@dataclass
class Searched:
    """A cell: how many settings were tried, and the best of them with its leads, held out and on the test."""

    cell: Cell
    num_trials: int
    settings: dict[str, Any]
    held_out_lead: float
    leads: dict[str, tuple[list[float], float]]
    """By the kind of negatives: AUC in percent, a seed each, and that of the best score without learning."""

    def row(self) -> list[str]:
        """Of a table."""
        leads = [lead_over(*self.leads[kind]) for kind in KINDS]
        chosen = ", ".join(f"{name}={value}" for name, value in self.settings.items()) or "defaults"
        return [
            self.cell.dataset,
            self.cell.model,
            self.cell.pe,
            str(self.num_trials),
            f"{100 * self.held_out_lead:+.2f}",
            *leads,
            chosen,
        ]


def part(sweep: str, name: str) -> Path:
    """The compressed trials or records of a sweep."""
    return HERE / f"{sweep}.{name}.jsonl.gz"


def searched(sweep: str) -> list[Searched]:
    """The cells of a sweep, in the order of its file."""
    spec = SweepSpec.read(HERE / f"{sweep}.toml")
    trials = [json.loads(line) for line in gzip.decompress(part(sweep, "search").read_bytes()).splitlines()]
    records = {record.config: record for record in read_records(part(sweep, "records"))}
    found = []
    for cell in spec.cells:
        own = [trial for trial in trials if Cell(**trial["cell"]) == cell]
        best = max((trial for trial in own if trial["value"] is not None), key=lambda trial: trial["value"])
        runs = [records[spec.config(cell, seed, **best["settings"]).resolved()] for seed in spec.seeds(cell)]
        leads = {kind: ([auc(run, kind) for run in runs], unlearned(records, cell, kind)) for kind in KINDS}
        found.append(Searched(cell, len(own), best["settings"], best["value"], leads))
    return found


def auc(record: RunRecord, kind: str) -> float:
    """In percent."""
    return 100 * record.by_negatives[kind].auc


def unlearned(records: dict[Config, RunRecord], cell: Cell, kind: str) -> float:
    """The best AUC of any score without learning on the cell's dataset."""
    return max(
        auc(record, kind)
        for config, record in records.items()
        if config.data.dataset == cell.dataset and config.model.name in UNLEARNED
    )


def pack(folder: Path) -> None:
    """Take over what the sweeps left."""
    for sweep in SWEEPS:
        name = SweepSpec.read(HERE / f"{sweep}.toml").name
        for kind in PARTS:
            text = (folder / name / f"{kind}.jsonl").read_bytes()
            part(sweep, kind).write_bytes(gzip.compress(text, mtime=0))


def show() -> None:
    """Print the choice of each dataset, then all cells."""
    cells = [cell for sweep in SWEEPS for cell in searched(sweep)]
    of_dataset: dict[str, list[Searched]] = {}
    for cell in cells:
        of_dataset.setdefault(cell.cell.dataset, []).append(cell)
    head = ["dataset", "model", "encoding", "trials", "held-out lead", *KINDS, "chosen settings"]
    print_table(head, [max(own, key=lambda cell: cell.held_out_lead).row() for own in of_dataset.values()])
    print_table(head, [cell.row() for cell in cells])


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pack", type=Path, metavar="FOLDER", help="compress the outcome of sweeps")
    given = parser.parse_args()
    if given.pack is not None:
        pack(given.pack)
    else:
        show()


if __name__ == "__main__":
    main()
