"""The table of README.md: ``python results/persistent/table.py``."""

import statistics
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from supra_experiments.config import Config
from supra_experiments.training.record import RunRecord, read_records

RESULTS = Path(__file__).parents[1]
Cell = tuple[str, str, str]


def aucs(records: Iterable[RunRecord]) -> dict[Cell, list[float]]:
    """Test AUC in percent of the runs with SLPE-E, by cell; a run counts once."""
    found: dict[Cell, dict[Config, float]] = defaultdict(dict)
    for record in records:
        config = record.config
        if config.encoding.pe == "slpe-e" and config.data.features in ("zeros", "one-hot"):
            found[config.data.dataset, config.model.name, config.data.features][config] = (
                100 * record.test.auc
            )
    return {cell: list(runs.values()) for cell, runs in found.items()}


def shown(values: list[float]) -> str:
    """Mean and standard deviation."""
    spread = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.2f}{spread} ({len(values)})"


def main() -> None:
    """Print the table."""
    own = list(read_records(RESULTS / "persistent" / "records.jsonl.gz"))
    study = list(read_records(sorted((RESULTS / "earlier").glob("*.jsonl.gz"))))
    before = aucs([*study, *(record for record in own if record.config.encoding.align == "none")])
    after = aucs(record for record in own if record.config.encoding.align != "none")
    print("| dataset | model | features | before (seeds) | after (seeds) | difference |")
    print("| :-- | :-- | :-- | --: | --: | --: |")
    for cell in sorted(after):
        difference = statistics.mean(after[cell]) - statistics.mean(before[cell])
        print(f"| {' | '.join(cell)} | {shown(before[cell])} | {shown(after[cell])} | {difference:+.2f} |")


if __name__ == "__main__":
    main()
