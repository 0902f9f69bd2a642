"""Models that can count, with and without encodings: what spec.toml asks for.

``study.py`` runs what is missing of the learned scores, first the choice on held-out training snapshots, then
the test of what was chosen; ``--networks`` runs networks that do or do not see a pair's past; ``--table``
prints the tables of README.md; ``--pack`` compresses the records.
"""

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

from supra_core import TemporalGraph
from supra_experiments.config import Config
from supra_experiments.config.encoding import Encoding
from supra_experiments.config.model import UNLEARNED
from supra_experiments.datasets import Dataset, load
from supra_experiments.encoding.tensors import EncodedGraph, encode_graph
from supra_experiments.protocol.evaluation import make_split
from supra_experiments.training.fit import fit
from supra_experiments.training.record import RunRecord, read_records
from supra_experiments.training.record_file import RecordFile

HERE = Path(__file__).parent
SPEC: dict[str, Any] = tomllib.loads((HERE / "spec.toml").read_text(encoding="utf-8"))
KINDS = ("uniform", "active", "historical")
Cell = tuple[str, str, str]
"""Dataset, model, encoding."""
_ENCODED: dict[tuple[Encoding, TemporalGraph], EncodedGraph | None] = {}


def encoded(config: Config, graph: TemporalGraph) -> EncodedGraph | None:
    """The encodings of a run; runs that differ in other settings share them."""
    key = config.encoding, graph
    if key not in _ENCODED:
        _ENCODED[key] = encode_graph(config, graph)
    return _ENCODED[key]


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
            self.found[config] = fit(config, dataset=dataset, encode=encoded)
            RecordFile(self.growing).add(self.found[config])

    def get(self, config: Config) -> RunRecord | None:
        """The record of a run that is over."""
        return self.found.get(config.resolved())

    def pack(self) -> None:
        """Compress the file."""
        lines = [record.to_json() for record in self.found.values()]
        self.kept.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
        self.growing.unlink(missing_ok=True)


HELD_OUT, TEST, NETWORKS = Records("held_out"), Records("test"), Records("networks")


def cells(dataset: str) -> list[Cell]:
    """Those of a dataset."""
    return [(dataset, *rest) for rest in itertools.product(SPEC["models"], SPEC["encodings"])]


def space(cell: Cell) -> Iterator[dict[str, Any]]:
    """All settings to choose from; a share of 0 stands for uniform negatives."""
    dataset, model, pe = cell
    given = SPEC["space"] | SPEC["by_model"][model] | SPEC["datasets"][dataset].get("space", {})
    names = [name for name in given if name in SPEC["space"] or name in SPEC["by_model"][model]]
    for values in itertools.product(*(given[name] for name in names)):
        chosen = dict(zip(names, values, strict=True)) | {"model": model, "pe": pe}
        mixed = chosen["historical_share"] > 0
        yield chosen | (
            {"train_negatives": "mixed"} if mixed else {"train_negatives": "uniform", "historical_share": 0.5}
        )


def cut(dataset: Dataset, held_out: int) -> tuple[Dataset, dict[str, Any]]:
    """The training snapshots alone, and the settings by which the last of them are judged."""
    split = make_split(Config(), dataset)
    graph = dataset.graph.window(split.num_train - 1, split.num_train)
    settings = {"test_snapshots": held_out, "validation_snapshots": 0}
    return replace(dataset, graph=graph), settings | {"follow": split.follows}


def run(dataset: Dataset, held_out: int) -> None:
    """Choose and test; the graph of the choice has no test snapshot."""
    name, own = dataset.name, SPEC["datasets"][dataset.name]
    held, settings = cut(dataset, held_out)
    for model in UNLEARNED:
        HELD_OUT.add(Config(dataset=name, model=model, **settings), held)
        TEST.add(Config(dataset=name, model=model), dataset)
    for cell in cells(name):
        for chosen in space(cell):
            HELD_OUT.add(Config(dataset=name, **chosen, **settings), held)
        best = choose(cell, settings)
        if best is not None:
            for seed in range(own["seeds"]):
                TEST.add(Config(dataset=name, seed=seed, **best[1]), dataset)
        print(cell, None if best is None else best[0], flush=True)


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


def tested(
    cell: Cell, settings: dict[str, Any]
) -> tuple[float, dict[str, Any], dict[str, list[float]]] | None:
    """The lead on held-out snapshots, the settings, and the AUCs of the test by kind, a seed each."""
    best = choose(cell, settings)
    if best is None:
        return None
    found: dict[str, list[float]] = defaultdict(list)
    for seed in range(SPEC["datasets"][cell[0]]["seeds"]):
        record = TEST.get(Config(dataset=cell[0], seed=seed, **best[1]))
        if record is not None:
            for kind, auc in aucs(record).items():
                found[kind].append(auc)
    return (*best, found) if found else None


def network(dataset: str, model: str, pe: str, history: bool, seed: int) -> Config:
    """A run of a network, which sees the pair's past in its decoder or does not."""
    own = SPEC["networks"]
    settings = own["fixed"] | own["by_model"].get(model, {})
    return Config(dataset=dataset, model=model, pe=pe, decoder_history=history, seed=seed, **settings)


def run_networks() -> None:
    """Seed by seed, so that what is there when time is over is balanced."""
    own = SPEC["networks"]
    for seed in range(own["seeds"]):
        for name in own["datasets"]:
            dataset = load(name)
            for model, pe, history in itertools.product(own["models"], own["encodings"], (False, True)):
                NETWORKS.add(network(name, model, pe, history, seed), dataset)
                print(seed, name, model, pe, history, flush=True)


def network_table() -> None:
    """Print the networks, plain and with history; the scores stand in the first table."""
    own, rows = SPEC["networks"], []
    for cell in itertools.product(own["datasets"], own["models"], own["encodings"], (False, True)):
        records = [NETWORKS.get(network(*cell, seed)) for seed in range(own["seeds"])]
        each = [aucs(record) for record in records if record is not None]
        if each:
            decoder = "history" if cell[3] else "plain"
            numbers = [shown([row[kind] for row in each]) for kind in each[0]]
            rows.append([*cell[:3], decoder, str(len(each)), *numbers])
    print_table(["dataset", "model", "encoding", "decoder", "seeds", *KINDS, "new"], rows)


def shown(values: list[float]) -> str:
    """Mean and standard deviation over seeds."""
    spread = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.2f}{spread}"


def table() -> None:
    """Print every cell, the one of each dataset that the held-out snapshots chose, and all settings."""
    rows, picks, chosen = [], [], []
    for name, own in SPEC["datasets"].items():
        limit = best_unlearned(TEST, dataset=name)
        rows.append(
            [name, "best without learning", "–", "–", "–", *(f"{auc:.2f}" for auc in limit.values()), "–"]
        )
        for held_out in own["held_out"]:
            settings = cut(load(name), held_out)[1]
            found = [(cell, tested(cell, settings)) for cell in cells(name)]
            known = [(cell, row) for cell, row in found if row is not None]
            for cell, (lead, best, by_kind) in known:
                seeds = str(len(by_kind["new"]))
                rows.append([*cell, str(held_out), seeds, *map(shown, by_kind.values()), f"{lead:+.2f}"])
                told = {key: value for key, value in best.items() if key not in ("model", "pe")}
                chosen.append([*cell, str(held_out), ", ".join(f"{k}={v}" for k, v in told.items())])
            if known:
                cell, (_, _, by_kind) = max(known, key=lambda each: each[1][0])
                leads = [f"{statistics.mean(by_kind[kind]) - limit[kind]:+.2f}" for kind in KINDS]
                picks.append([name, str(held_out), f"{cell[1]}, {cell[2]}", *leads])
    print_table(["dataset", "model", "encoding", "held out", "seeds", *KINDS, "new", "held-out lead"], rows)
    print_table(["dataset", "held out", "chosen", *KINDS], picks)
    print_table(["dataset", "model", "encoding", "held out", "chosen settings"], chosen)


def gain_table() -> None:
    """Print what an encoding adds to scores and to networks that see a pair's past: mean minus mean."""
    rows = []
    for name, own in SPEC["datasets"].items():
        for held_out, model in itertools.product(own["held_out"], SPEC["models"]):
            settings = cut(load(name), held_out)[1]
            found = {cell[2]: tested(cell, settings) for cell in cells(name) if cell[1] == model}
            means = {pe: _means(row[2]) for pe, row in found.items() if row is not None}
            rows += _gains([name, model, str(held_out)], means)
    nets = SPEC["networks"]
    for name, model in itertools.product(nets["datasets"], nets["models"]):
        means = {}
        for pe in nets["encodings"]:
            records = [NETWORKS.get(network(name, model, pe, True, seed)) for seed in range(nets["seeds"])]
            each = [aucs(record) for record in records if record is not None]
            if each:
                means[pe] = _means({kind: [row[kind] for row in each] for kind in each[0]})
        rows += _gains([name, f"{model}, history", "1"], means)
    print_table(["dataset", "model", "held out", "encoding minus none", *KINDS, "new"], rows)


def _means(by_kind: dict[str, list[float]]) -> dict[str, float]:
    return {kind: statistics.mean(values) for kind, values in by_kind.items()}


def _gains(head: list[str], means: dict[str, dict[str, float]]) -> list[list[str]]:
    none = means.pop("none", None)
    if none is None:
        return []
    return [[*head, pe, *(f"{own[kind] - none[kind]:+.2f}" for kind in none)] for pe, own in means.items()]


def print_table(head: list[str], rows: list[list[str]]) -> None:
    """In Markdown."""
    for row in (head, [":--"] * len(head), *rows):
        print(f"| {' | '.join(row)} |")
    print()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--datasets", nargs="*", default=list(SPEC["datasets"]), help="run these alone")
    parser.add_argument("--networks", action="store_true", help="run the networks")
    parser.add_argument("--table", action="store_true", help="print the tables of what was run")
    parser.add_argument("--pack", action="store_true", help="compress the records")
    given = parser.parse_args()
    if given.pack:
        for records in (HELD_OUT, TEST, NETWORKS):
            records.pack()
    elif given.table:
        table()
        network_table()
        gain_table()
    elif given.networks:
        run_networks()
    else:
        for name in given.datasets:
            for held_out in SPEC["datasets"][name]["held_out"]:
                run(load(name), held_out)


if __name__ == "__main__":
    main()
