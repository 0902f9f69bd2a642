"""The tables of README.md from the records beside it: ``python results/held_out/table.py``."""

import gzip
import statistics
from collections import defaultdict
from pathlib import Path

from supra_experiments.config import Config
from supra_experiments.training.record import RunRecord

HERE = Path(__file__).parent
OF_THE_CELL = {"dataset", "model", "features", "pe", "seed", "validation_snapshots"}


def differences(config: Config) -> str:
    """The settings that are not those that the model had with zero features when these runs were made."""
    then = {"model": config.model.name, "features": "zeros", "k": 8, "coupling": 1.0}
    defaults = Config.from_record(then).resolved().values()
    given = ((name, value) for name, value in config.values().items() if name not in OF_THE_CELL)
    return ", ".join(f"{name}={value}" for name, value in given if value != defaults[name]) or "–"


def rows(path: Path) -> list[str]:
    """A row of Markdown for each kind of run."""
    runs: dict[tuple[str, ...], list[RunRecord]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for record in map(RunRecord.from_json, file):
            config = record.config
            if config.model.is_learned:
                runs[
                    config.data.dataset, config.data.features, config.encoding.pe, differences(config)
                ].append(record)
    found = []
    for key, records in sorted(runs.items()):
        best = [100 * record.validation.auc for record in records if record.validation is not None]
        last = [100 * (record.history[-1].validation_auc or float("nan")) for record in records]
        means = " | ".join(f"{statistics.mean(aucs):.2f}" for aucs in (best, last))
        found.append(f"| {' | '.join(key)} | {len(records)} | {means} |")
    return found


def main() -> None:
    """Print a table for each file."""
    for path in (HERE / f"{model}.jsonl.gz" for model in ("egcn", "grugcn", "slate")):
        print(f"\n### {path.name}\n")
        print("| dataset | features | encoding | settings | seeds | best epoch | last epoch |")
        print("| :-- | :-- | :-- | :-- | --: | --: | --: |")
        print("\n".join(rows(path)))


if __name__ == "__main__":
    main()
