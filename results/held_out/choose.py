"""Settings of encodings compared on held-out training snapshots, as the TOML files beside this one say.

``choose.py NAME`` runs what NAME.toml asks for, and goes on where it was stopped; ``--table`` prints tables.
"""

import argparse
import gzip
import itertools
import statistics
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from supra_experiments.analysis.statistics import mean_interval, signed_rank
from supra_experiments.config import Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.training.fit import fit
from supra_experiments.training.record import RunRecord, read_records
from supra_experiments.training.record_file import RecordFile

HERE = Path(__file__).parent
NAMES = (
    "encodings",
    "canparl",
    "signs",
    "evolvegcn",
    "lpe",
    "lengths",
    "lpe-lengths",
    "slate-encodings",
    "slate-lengths",
    "slate-lpe",
    "slate-followed",
    "slate-large",
    "egcn-variants",
    "egcn-tries",
)


class Comparison:
    """The runs of one TOML file, and their records."""

    def __init__(self, name: str) -> None:
        self.spec: dict[str, Any] = tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))
        self.kept, self.growing = HERE / f"{name}.jsonl.gz", HERE / f"{name}.jsonl"

    def settings(self) -> dict[str, dict[str, Any]]:
        """All settings of encodings that are compared, by the name of their row, in order."""
        found = dict(self.spec["settings"])
        for part in self.spec["round"]:
            base = self.spec["settings"][part["around"]]
            for change in part["vary"]:
                changed = ", ".join(f"{name}={value}" for name, value in change.items())
                found.setdefault(f"{part['around']}: {changed}", base | change)
        return found

    def runs(self, chosen: dict[str, Any], dataset: str) -> Iterator[Config]:
        """The runs of one setting on one dataset."""
        seeds = self.spec["datasets"][dataset]["seeds"]
        for features, model in itertools.product(seeds, self.spec["cells"]["models"]):
            for seed in range(seeds[features]):
                own = self.spec["training"] | self.spec["datasets"][dataset]["settings"]
                own |= self.spec["by_model"].get(model, {}) | self.spec.get("by_features", {}).get(
                    features, {}
                )
                yield Config(
                    dataset=dataset, model=model, features=features, seed=seed, **own | chosen
                ).resolved()

    def cut(self, dataset: Dataset) -> Dataset:
        """Without the snapshots of the test."""
        kept = dataset.graph.num_snapshots - self.spec["datasets"][dataset.name]["cut"]
        return replace(dataset, graph=dataset.graph.window(kept - 1, kept))

    def read(self) -> dict[Config, RunRecord]:
        """The records there are."""
        found = [path for path in (self.kept, self.growing) if path.exists()]
        return {record.config: record for record in read_records(found)} if found else {}

    def run(self) -> None:
        """Run what is missing."""
        done, growing = self.read(), RecordFile(self.growing)
        datasets = {name: self.cut(load(name)) for name in self.spec["datasets"]}
        for name, chosen in self.settings().items():
            for dataset in datasets:
                for config in self.runs(chosen, dataset):
                    if config not in done:
                        growing.add(fit(config, dataset=datasets[dataset]))
            print(name, flush=True)

    def table(self) -> None:
        """Print AUC in percent: a row a setting, the mean of all, then of each model and kind of features."""
        rows = self.aucs()
        cells = list(dict.fromkeys(cell for row in rows.values() for cell in row))
        for features in dict.fromkeys(cell[2] for cell in cells):
            shown = [cell for cell in cells if cell[2] == features]
            print(f"\n### {features}\n")
            print(f"| setting | mean | {' | '.join(f'{c[0]} {c[1]}' for c in shown)} |")
            print(f"| :-- | --: |{' --: |' * len(shown)}")
            for name, row in rows.items():
                if all(cell in row for cell in shown):
                    values = [row[cell] for cell in shown]
                    numbers = " | ".join(f"{value:.1f}" for value in [statistics.mean(values), *values])
                    print(f"| {name} | {numbers} |")

    def aucs(self, without: Collection[str] = ()) -> dict[str, dict[tuple[str, ...], float]]:
        """By setting and cell: the mean AUC in percent over seeds; datasets may be left out."""
        done = self.read()
        found: dict[str, dict[tuple[str, ...], float]] = {}
        for name, chosen in self.settings().items():
            aucs = defaultdict(list)
            for dataset in self.spec["datasets"]:
                if dataset not in without:
                    for config in self.runs(chosen, dataset):
                        if config in done:
                            cell = config.data.dataset, config.model.name, config.data.features
                            aucs[cell].append(100 * done[config].test.auc)
            found[name] = {cell: statistics.mean(values) for cell, values in aucs.items()}
        return found

    def pack(self) -> None:
        """Compress the records: those that are asked for, without their epochs, most of a record."""
        asked = {
            config
            for chosen in self.settings().values()
            for dataset in self.spec["datasets"]
            for config in self.runs(chosen, dataset)
        }
        kept = [record for config, record in self.read().items() if config in asked]
        lines = [replace(record, history=()).to_json() for record in kept]
        self.kept.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
        self.growing.unlink(missing_ok=True)


def compare() -> None:
    """Print each setting minus *first* over all cells, CanParl's with three seeds; p is not corrected."""
    rows = Comparison("encodings").aucs(without=["canparl"])
    for name, cells in Comparison("canparl").aucs().items():
        rows[name] |= cells
    base = rows.pop("first")
    print("| setting minus first | cells | mean (95 % interval) | better in | p |")
    print("| :-- | --: | :-- | --: | --: |")
    for name, row in rows.items():
        differences = [row[cell] - base[cell] for cell in row]
        low, high = mean_interval(differences)
        mean = f"{statistics.mean(differences):+.2f} ({low:+.2f} to {high:+.2f})"
        better = sum(value > 0 for value in differences)
        print(f"| {name} | {len(row)} | {mean} | {better} | {signed_rank(differences).p_value:.3f} |")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--table", action="store_true", help="print the tables of what was run")
    parser.add_argument("--compare", action="store_true", help="print differences over all cells, with tests")
    parser.add_argument("--pack", action="store_true", help="compress the records")
    given = parser.parse_args()
    comparison = Comparison(given.name)
    if given.compare:
        compare()
    elif given.pack:
        comparison.pack()
    elif given.table:
        comparison.table()
    else:
        comparison.run()


if __name__ == "__main__":
    main()
