"""Run records without training, for reports: their figures are given."""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path

from supra_experiments.analysis import paper_cells
from supra_experiments.config import Config
from supra_experiments.protocol.metrics import Metrics
from supra_experiments.training.record import EpochRecord, RunRecord, Timings

UNLEARNED = {"edgebank": 71.0, "degree": 55.0, "count": 80.0, "neighbours": 82.0}
HOSTILE = '<img src=x onerror="alert(1), 2">' + "long_name" * 20 + ".csv"
"""The name of a dataset that an HTML page must not take for its own, nor for short."""
VERSIONS = {"python": "3.11.7", "torch": "2.13.0"}


def record(auc: float, *, versions: dict[str, str] | None = None, **settings) -> RunRecord:
    """A run with an AUC, in percent; active negatives cost 2 points, historical ones 20."""
    config = Config(**settings).resolved()
    metrics = {
        name: _metrics(auc - cost) for name, cost in (("uniform", 0), ("active", 2), ("historical", 20))
    }
    learned = config.model.is_learned
    history = tuple(EpochRecord(epoch, 1 / epoch, None, 0.02) for epoch in (1, 2, 3)) if learned else ()
    return RunRecord(
        config=config,
        graph_digest=f"graph of {config.data.dataset}",
        selection="train_loss" if learned else "none",
        best_epoch=3 if learned else 0,
        test=metrics["uniform"],
        test_new=_metrics(auc - 5),
        test_new_step=_metrics(auc - 5),
        per_snapshot=(metrics["uniform"],),
        num_negatives=(100,),
        by_negatives=metrics,
        num_parameters=1234 if learned else 0,
        history=history,
        diverged=math.isnan(auc),
        timings=Timings(0.5 if config.encoding.pe != "none" else 0.0, 12.0 if learned else 0.0, 0.1),
        encoding={"channels": 8, "max_residual": 1e-7} if config.encoding.pe != "none" else {},
        peak_memory=500 * 2**20,
        versions=VERSIONS if versions is None else versions,
    )


def unlearned(dataset: str) -> list[RunRecord]:
    """The scores without learning."""
    return [record(auc, dataset=dataset, model=model, features="zeros") for model, auc in UNLEARNED.items()]


def like_the_paper(seeds: int = 1, spread: float = 0.0) -> Iterator[RunRecord]:
    """The paper's own 336 cells as records, seeds evenly around its mean; no scores without learning."""
    for cell in paper_cells().to_dict("records"):
        names = {name: cell[name] for name in ("dataset", "model", "features", "pe")}
        for seed in range(seeds):
            shift = spread * (seed - (seeds - 1) / 2)
            yield record(cell["auc"] + shift, seed=seed, **names)


def small_study(seeds: int = 2) -> list[RunRecord]:
    """Two datasets, two models, two kinds of features, four encodings; figures all different."""
    records = unlearned("enron10") + unlearned("dblp")
    auc = 60.0
    for dataset in ("enron10", "dblp"):
        for model in ("egcn-h", "htgn"):
            for features in ("one-hot", "zeros"):
                for pe in ("none", "slpe-e", "slpe-i", "lpe-e"):
                    auc += 0.73
                    for seed in range(seeds):
                        names = {"dataset": dataset, "model": model, "features": features, "pe": pe}
                        records.append(record(auc + 0.1 * seed, seed=seed, **names))
    return records


def write(path: Path, records: Iterable[RunRecord]) -> Path:
    """A file of JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(each.to_json() + "\n" for each in records))
    return path


def _metrics(auc: float) -> Metrics:
    return Metrics(auc / 100, (auc - 1) / 100)
