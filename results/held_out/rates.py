"""Widths and learning rates of GRUGCN and EvolveGCN, judged on held-out training snapshots.

``python results/held_out/rates.py`` prints the tables of README.md from the trials of the sweeps
``rates-grugcn.toml`` and ``rates-egcn.toml``, which are beside them.
"""

import gzip
import json
import statistics
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
THEN = {"hidden_channels": 16, "lr": 0.01}
"""The defaults when these trials were made, which are those of the first trial of a cell."""


def aucs(model: str) -> dict[str, dict[tuple[int, float], float]]:
    """AUC in percent by cell, and by channels and learning rate."""
    found: dict[str, dict[tuple[int, float], float]] = defaultdict(dict)
    with gzip.open(HERE / f"rates-{model}.jsonl.gz", "rt", encoding="utf-8") as file:
        for trial in map(json.loads, file):
            cell = trial["cell"]
            chosen = THEN | trial["settings"]
            name = f"{cell['dataset']} | {cell['features']} | {cell['pe']}"
            found[name][chosen["hidden_channels"], chosen["lr"]] = 100 * trial["value"]
    return dict(sorted(found.items()))


def main() -> None:
    """Print a table for each model."""
    for model in ("grugcn", "egcn"):
        cells = aucs(model)
        settings = sorted({setting for row in cells.values() for setting in row}, key=lambda s: (s[0], -s[1]))
        print(f"\n### {model}\n")
        print("| dataset | features | encoding | " + " | ".join(f"{c}, {lr}" for c, lr in settings) + " |")
        print("| :-- | :-- | :-- |" + " --: |" * len(settings))
        for name, row in cells.items():
            print(f"| {name} | " + " | ".join(f"{row[setting]:.1f}" for setting in settings) + " |")
        means = [statistics.mean(row[setting] for row in cells.values()) for setting in settings]
        print("| **mean** | | | " + " | ".join(f"**{mean:.1f}**" for mean in means) + " |")


if __name__ == "__main__":
    main()
