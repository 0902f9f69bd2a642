"""The tables of README.md: ``python results/history/tables.py``."""

import itertools
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from study import KINDS, SPEC, TEST, Cell, aucs, best_unlearned, cells, choose, cut, encoding, network, seeds

from supra_experiments.analysis.statistics import holm, mean_interval, signed_rank, t_interval
from supra_experiments.config import NETWORKS, Config
from supra_experiments.datasets import load

SHOWN = (*KINDS, "new")
Aucs = dict[str, list[float]]
"""By the kind of negatives, and of new links; a seed each."""


@cache
def best_settings(cell: Cell, held_out: int) -> tuple[float, dict[str, Any]] | None:
    """What so many held-out snapshots chose for a cell, and its lead there."""
    return choose(cell, judged_by(cell[0], held_out))


@cache
def judged_by(dataset: str, held_out: int) -> dict[str, Any]:
    """The settings of such a choice."""
    return cut(load(dataset), held_out)[1]


def tested(cell: Cell, settings: dict[str, Any]) -> Aucs:
    """The test of settings."""
    found: Aucs = defaultdict(list)
    for seed in seeds(cell):
        record = TEST.get(Config(dataset=cell[0], seed=seed, **settings))
        if record is not None:
            for kind, auc in aucs(record).items():
                found[kind].append(auc)
    return found


def chosen_tests() -> Iterator[tuple[Cell, int, float, dict[str, Any], Aucs]]:
    """Each cell that was tested: what chose, its lead there, the settings, the test."""
    for name, own in SPEC["datasets"].items():
        for held_out, cell in itertools.product(own["held_out"], cells(name)):
            best = best_settings(cell, held_out)
            found = tested(cell, best[1]) if best else {}
            if best and found:
                yield cell, held_out, *best, found


def score_table() -> None:
    """Print every cell at the settings that were chosen for it."""
    rows = []
    for name in SPEC["datasets"]:
        limit = best_unlearned(TEST, dataset=name)
        rows.append([name, "best without learning", *"–––", *(f"{limit[kind]:.2f}" for kind in SHOWN), "–"])
        for cell, held_out, lead, _, found in chosen_tests():
            if cell[0] == name:
                numbers = [shown(found[kind]) for kind in SHOWN]
                rows.append([*cell, str(held_out), str(len(found["new"])), *numbers, f"{lead:+.2f}"])
    print_table(["dataset", "model", "encoding", "held out", "seeds", *SHOWN, "held-out lead"], rows)


def pick_table() -> None:
    """Print the cell of each dataset that is best on the held-out snapshots: its lead on the test."""
    best: dict[tuple[str, int], tuple[float, Cell, Aucs]] = {}
    for cell, held_out, lead, _, found in chosen_tests():
        key = cell[0], held_out
        if key not in best or lead > best[key][0]:
            best[key] = lead, cell, found
    rows = []
    for (name, held_out), (_, cell, found) in best.items():
        limit = best_unlearned(TEST, dataset=name)
        leads = [lead_over(found[kind], limit[kind]) for kind in KINDS]
        rows.append([name, str(held_out), f"{cell[1]}, {cell[2]}", str(len(found["new"])), *leads])
    print_table(["dataset", "held out", "chosen", "seeds", *KINDS], rows)


def settings_table() -> None:
    """Print what was chosen for each cell."""
    rows = []
    for cell, held_out, _, chosen, _ in chosen_tests():
        fixed = network(cell, history=True) if cell[1] in NETWORKS else {"model": cell[1]} | encoding(cell[2])
        told = ", ".join(f"{name}={value}" for name, value in chosen.items() if name not in fixed)
        rows.append([*cell, str(held_out), told])
    print_table(["dataset", "model", "encoding", "held out", "chosen settings"], rows)


def contrast(cell: Cell, history: bool) -> Aucs:
    """The test of a network with uniform training negatives, with or without the pair's past."""
    return tested(cell, network(cell, history) | {"train_negatives": "uniform"})


def network_table() -> None:
    """Print networks with and without the pair's past, all else equal."""
    rows = []
    for name in SPEC["datasets"]:
        for cell, history in itertools.product(cells(name), (False, True)):
            found = contrast(cell, history) if cell[1] in NETWORKS else {}
            if found:
                numbers = [shown(found[kind]) for kind in SHOWN]
                decoder = "history" if history else "plain"
                rows.append([*cell, decoder, str(len(found["new"])), *numbers])
    print_table(["dataset", "model", "encoding", "decoder", "seeds", *SHOWN], rows)


def means(of: Callable[[Cell], Aucs]) -> dict[Cell, dict[str, float]]:
    """Means over seeds of every cell that was tested."""
    found = {cell: of(cell) for name in SPEC["datasets"] for cell in cells(name)}
    return {cell: {kind: statistics.mean(row[kind]) for kind in SHOWN} for cell, row in found.items() if row}


def counting(cell: Cell) -> Aucs:
    """The test of a model that sees the pair's past, at the settings that were chosen for it."""
    held_out = max(SPEC["datasets"][cell[0]]["held_out"])  # as733: as far ahead as its test looks
    best = best_settings(cell, held_out)
    return tested(cell, best[1]) if best else {}


def questions() -> dict[str, list[tuple[dict[str, float], dict[str, float]]]]:
    """Pairs of means that differ in one thing: a pair a cell."""
    plain = means(lambda cell: contrast(cell, False) if cell[1] in NETWORKS else {})
    history = means(lambda cell: contrast(cell, True) if cell[1] in NETWORKS else {})
    chosen = means(counting)
    beside = {
        pe: [
            (row, chosen[d, m, "none"])
            for (d, m, p), row in chosen.items()
            if p == pe and (d, m, "none") in chosen
        ]
        for pe in SPEC["encodings"]
        if pe != "none"
    }
    boosted = [
        (row, chosen[d, "boosting", pe])
        for (d, m, pe), row in chosen.items()
        if m in NETWORKS and (d, "boosting", pe) in chosen
    ]
    return {
        "networks: history − plain": [(history[cell], row) for cell, row in plain.items() if cell in history],
        **{f"beside history: {pe} − none": pairs for pe, pairs in beside.items()},
        "with history: network − boosting": boosted,
    }


def test_table() -> None:
    """Print Wilcoxon's signed-rank test of each question over cells, corrected for their number by Holm."""
    asked = [
        (question, kind, [a[kind] - b[kind] for a, b in pairs])
        for question, pairs in questions().items()
        for kind in SHOWN
        if pairs
    ]
    corrected = holm([signed_rank(differences).p_value for _, _, differences in asked])
    rows = []
    for (question, kind, differences), p in zip(asked, corrected, strict=True):
        low, high = mean_interval(differences)
        better = sum(value > 0 for value in differences)
        rows.append(
            [
                question,
                kind,
                f"{statistics.mean(differences):+.2f} ({low:+.2f} to {high:+.2f})",
                f"{better} of {len(differences)}",
                f"{p:.2g}",
            ]
        )
    print_table(["question", "links", "mean difference (95 % interval)", "better in", "p, corrected"], rows)


def shown(values: list[float]) -> str:
    """Mean and standard deviation over seeds."""
    spread = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.2f}{spread}"


def lead_over(values: list[float], limit: float) -> str:
    """The mean lead, and its interval over seeds by Student's t."""
    low, high = t_interval([value - limit for value in values])
    interval = f" ({low:+.2f} to {high:+.2f})" if len(values) > 1 else ""
    return f"{statistics.mean(values) - limit:+.2f}{interval}"


def print_table(head: list[str], rows: list[list[str]]) -> None:
    """In Markdown."""
    for row in (head, [":--"] * len(head), *rows):
        print(f"| {' | '.join(row)} |")
    print()


def main() -> None:
    """All tables."""
    for table in (pick_table, test_table, score_table, network_table, settings_table):
        table()


if __name__ == "__main__":
    main()
