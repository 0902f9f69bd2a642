"""Models that can count, with and without encodings: what spec.toml asks for.

``study.py`` runs what is missing, first the choice on held-out training snapshots, then the test of what was
chosen, then networks whose decoder does not see a pair's past. ``tables.py`` prints what came out; ``--pack``
compresses the records.
"""

import argparse
import gzip
import itertools
import tempfile
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from supra_experiments.config import NETWORKS, Config
from supra_experiments.config.model import UNLEARNED
from supra_experiments.datasets import Dataset, load
from supra_experiments.protocol.evaluation import make_split
from supra_experiments.training.fit import fit
from supra_experiments.training.record import RunRecord, read_records
from supra_experiments.training.record_file import RecordFile

HERE = Path(__file__).parent
SPEC: dict[str, Any] = tomllib.loads((HERE / "spec.toml").read_text(encoding="utf-8"))
SCORES = tuple(SPEC["scores"]["by_model"])
KINDS = ("uniform", "active", "historical")
Cell = tuple[str, str, str]
"""Dataset, model, encoding."""
CACHE = tempfile.TemporaryDirectory(prefix="supra-study-")
"""Encodings, which runs that differ in other settings share."""


class Records:
    """Records by their settings, kept as they come."""

    def __init__(self, name: str) -> None:
        self.kept, self.growing = HERE / f"{name}.jsonl.gz", HERE / f"{name}.jsonl"
        paths = [path for path in (self.kept, self.growing) if path.exists()]
        self.found = {record.config: record for record in read_records(paths)} if paths else {}

    def add(self, config: Config, dataset: Dataset) -> None:
        """Run what is not there yet."""
        config = config.resolved()
        if config not in self.found:
            self.found[config] = fit(config, dataset=dataset, cache=CACHE.name)
            RecordFile(self.growing).add(self.found[config])

    def get(self, config: Config) -> RunRecord | None:
        """The record of a run that is over."""
        return self.found.get(config.resolved())

    def pack(self) -> None:
        """Compress the file."""
        lines = [record.to_json() for record in self.found.values()]
        self.kept.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
        self.growing.unlink(missing_ok=True)


HELD_OUT, TEST = Records("held_out"), Records("test")


def cells(dataset: str) -> list[Cell]:
    """Those of a dataset: scores, and networks with the pair's past."""
    models = (*SCORES, *SPEC["datasets"][dataset]["networks"])
    return [(dataset, *rest) for rest in itertools.product(models, SPEC["encodings"])]


def space(cell: Cell) -> Iterator[dict[str, Any]]:
    """All settings to choose from; a share of 0 stands for uniform negatives."""
    dataset, model, pe = cell
    if model in NETWORKS:
        fixed = network(cell, history=True)
        for share in SPEC["networks"]["historical_share"]:
            yield fixed | negatives(share)
        return
    shared = {name: value for name, value in SPEC["scores"].items() if name != "by_model"}
    lists = shared | SPEC["scores"]["by_model"][model]
    lists |= {name: v for name, v in SPEC["datasets"][dataset].get("scores", {}).items() if name in lists}
    for values in itertools.product(*lists.values()):
        chosen = dict(zip(lists, values, strict=True))
        yield {"model": model} | encoding(pe) | chosen | negatives(chosen["historical_share"])


def encoding(pe: str) -> dict[str, Any]:
    """An encoding and its settings."""
    return {"pe": pe} | SPEC["by_encoding"].get(pe, {})


def negatives(share: float) -> dict[str, Any]:
    """The settings of training negatives of which such a share are past links."""
    mixed = {"train_negatives": "mixed", "historical_share": share}
    return mixed if share else {"train_negatives": "uniform", "historical_share": 0.5}


def network(cell: Cell, history: bool) -> dict[str, Any]:
    """The settings of a network, which sees the pair's past in its decoder or does not."""
    dataset, model, pe = cell
    shared, own = SPEC["networks"], SPEC["datasets"][dataset]
    settings = encoding(pe) | shared["fixed"] | shared["by_model"][model] | own.get("network_settings", {})
    settings |= own.get("by_model", {}).get(model, {})
    return settings | {"model": model, "decoder_history": history}


def seeds(cell: Cell) -> range:
    """Those that a cell is tested with."""
    own = SPEC["datasets"][cell[0]]
    number = own["network_seeds"] if cell[1] in NETWORKS else own["seeds"]
    return range(own.get("seeds_by_model", {}).get(cell[1], number))


def cut(dataset: Dataset, held_out: int) -> tuple[Dataset, dict[str, Any]]:
    """The training snapshots alone, and the settings by which the last of them are judged."""
    split = make_split(Config(), dataset)
    graph = dataset.graph.window(split.num_train - 1, split.num_train)
    settings = {"test_snapshots": held_out, "validation_snapshots": 0}
    return replace(dataset, graph=graph), settings | {"follow": split.follows}


def run(dataset: Dataset, held_out: int, models: Collection[str]) -> None:
    """Choose and test; the graph of the choice has no test snapshot."""
    name = dataset.name
    held, settings = cut(dataset, held_out)
    for model in UNLEARNED:
        HELD_OUT.add(Config(dataset=name, model=model, **settings), held)
        TEST.add(Config(dataset=name, model=model), dataset)
    for cell in cells(name):
        if cell[1] not in models:
            continue
        for chosen in space(cell):
            HELD_OUT.add(Config(dataset=name, **chosen, **settings), held)
        best = choose(cell, settings)
        if best is not None:
            for seed in seeds(cell):
                TEST.add(Config(dataset=name, seed=seed, **best[1]), dataset)
        print(cell, None if best is None else best[0], flush=True)


def run_contrasts(dataset: Dataset, models: Collection[str]) -> None:
    """Networks with and without the pair's past, all else equal; seed by seed, so that they stay balanced."""
    for seed in range(SPEC["datasets"][dataset.name]["network_seeds"]):
        for cell in cells(dataset.name):
            if cell[1] in NETWORKS and cell[1] in models and seed in seeds(cell):
                for history in (False, True):
                    TEST.add(Config(dataset=dataset.name, seed=seed, **network(cell, history)), dataset)
        print(dataset.name, "plain and with history, seed", seed, flush=True)


def aucs(record: RunRecord) -> dict[str, float]:
    """AUC in percent by the kind of negatives, and of new links under uniform ones."""
    found = {kind: 100 * record.by_negatives[kind].auc for kind in KINDS}
    return found | {"new": 100 * record.test_new.auc}


def best_unlearned(records: Records, **settings: Any) -> dict[str, float]:
    """The best AUC of any score without learning, by the kind of negatives; new links as well."""
    found = [records.get(Config(model=model, **settings)) for model in UNLEARNED]
    each = [aucs(record) for record in found if record is not None]
    return {kind: max(row[kind] for row in each) for kind in each[0]}


def choose(cell: Cell, settings: dict[str, Any]) -> tuple[float, dict[str, Any]] | None:
    """The settings whose smallest lead over the best score without learning is largest, and that lead.

    Judged on held-out training snapshots, over the three kinds of negatives.
    """
    limit = best_unlearned(HELD_OUT, dataset=cell[0], **settings)
    found = []
    for chosen in space(cell):
        record = HELD_OUT.get(Config(dataset=cell[0], **chosen, **settings))
        if record is not None:
            own = aucs(record)
            found.append((min(own[kind] - limit[kind] for kind in KINDS), chosen))
    return max(found, key=lambda each: each[0]) if found else None


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--datasets", nargs="*", default=list(SPEC["datasets"]), help="run these alone")
    parser.add_argument("--models", nargs="*", default=[*SCORES, *NETWORKS], help="run these alone")
    parser.add_argument("--pack", action="store_true", help="compress the records")
    given = parser.parse_args()
    if given.pack:
        for records in (HELD_OUT, TEST):
            records.pack()
        return
    for name in given.datasets:
        for held_out in SPEC["datasets"][name]["held_out"]:
            run(load(name), held_out, given.models)
        run_contrasts(load(name), given.models)


if __name__ == "__main__":
    main()
