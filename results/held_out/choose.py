"""The defaults of encodings, chosen on held-out training snapshots: see encodings.toml beside this file."""

import argparse
import gzip
import itertools
import statistics
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from supra_experiments.config import Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.training.fit import fit
from supra_experiments.training.record import RunRecord, append_record, read_records

HERE = Path(__file__).parent
SPEC = tomllib.loads((HERE / "encodings.toml").read_text(encoding="utf-8"))
KEPT = HERE / "encodings.jsonl.gz"
GROWING = HERE / "encodings.jsonl"


def settings() -> dict[str, dict[str, Any]]:
    """All settings of encodings that are compared, by the name of their row, in order."""
    found = {"before": SPEC["settings"]["before"]}
    for part in SPEC["round"]:
        base = SPEC["settings"][part["around"]]
        found.setdefault(part["around"], base)
        for change in part["vary"]:
            changed = ", ".join(f"{name}={value}" for name, value in change.items())
            found.setdefault(f"{part['around']}: {changed}", base | change)
    return found


def runs(chosen: dict[str, Any], dataset: str) -> Iterator[Config]:
    """The runs of one setting on one dataset."""
    seeds = SPEC["datasets"][dataset]["seeds"]
    for features, model in itertools.product(seeds, SPEC["cells"]["models"]):
        for seed in range(seeds[features]):
            own = SPEC["training"] | SPEC["datasets"][dataset]["settings"] | SPEC["by_model"].get(model, {})
            yield Config(
                dataset=dataset, model=model, features=features, seed=seed, **own | chosen
            ).resolved()


def cut(dataset: Dataset) -> Dataset:
    """Without the snapshots of the test."""
    kept = dataset.graph.num_snapshots - SPEC["datasets"][dataset.name]["cut"]
    return replace(dataset, graph=dataset.graph.window(kept - 1, kept), times=dataset.times[:kept])


def read() -> dict[Config, RunRecord]:
    """The records there are."""
    return {record.config: record for record in read_records([p for p in (KEPT, GROWING) if p.exists()])}


def run() -> None:
    """Run what is missing."""
    done = read()
    datasets = {name: cut(load(name)) for name in SPEC["datasets"]}
    for name, chosen in settings().items():
        for dataset in datasets:
            for config in runs(chosen, dataset):
                if config not in done:
                    append_record(GROWING, fit(config, dataset=datasets[dataset]))
        print(name, flush=True)


def table() -> None:
    """Print AUC in percent: a row a setting, the mean of all, then of each model and kind of features."""
    done = read()
    rows: dict[str, dict[tuple[str, ...], float]] = {}
    for name, chosen in settings().items():
        aucs = defaultdict(list)
        for dataset in SPEC["datasets"]:
            for config in runs(chosen, dataset):
                if config in done:
                    cell = config.data.dataset, config.model.name, config.data.features
                    aucs[cell].append(100 * done[config].test.auc)
        rows[name] = {cell: statistics.mean(values) for cell, values in aucs.items()}
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


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", action="store_true", help="print the tables of what was run")
    parser.add_argument("--pack", action="store_true", help="compress the records")
    given = parser.parse_args()
    if given.pack:
        lines = [record.to_json() for record in read().values()]
        KEPT.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
        GROWING.unlink(missing_ok=True)
    elif given.table:
        table()
    else:
        run()


if __name__ == "__main__":
    main()
