"""Made-up evidence for the advice: cells from a function, records of runs that never were, a small file."""

import itertools
from pathlib import Path

import pandas as pd

from supra_experiments.analysis.advice import COLUMNS
from supra_experiments.analysis.frame import VARIANTS
from supra_experiments.config import Config
from supra_experiments.protocol.metrics import Metrics
from supra_experiments.training.record import RunRecord

LEVELS = {"canparl": 60.0, "as733": 90.0, "dblp": 80.0, "enron10": 85.0}
DATASETS = tuple(LEVELS)
EDGES = [
    (a, b, t) for t in range(6) for a, b in ((0, 1), (1, 2), (2, 3), (3, 4), (0, t % 3 + 2), (1, t % 2 + 3))
]


def table(auc, *, datasets=DATASETS, source="paper", models=("htgn",), features=("zeros",)):
    """Evidence from a function of dataset, model, features and encoding; None leaves a cell out."""
    rows = [
        (source, dataset, model, kind, pe, value)
        for dataset, model, kind, pe in itertools.product(datasets, models, features, VARIANTS)
        if (value := auc(dataset, model, kind, pe)) is not None
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def record(auc: float = 0.75, *, digest: str = "ab" * 32, **config) -> RunRecord:
    return RunRecord(
        config=Config(**{"dataset": "dblp"} | config),
        graph_digest=digest,
        selection="train_loss",
        best_epoch=3,
        test=Metrics(auc, auc / 2),
        test_new=Metrics(auc, 0.5),
        test_new_step=Metrics(0.5, 0.5),
        per_snapshot=(Metrics(auc, auc / 2),),
        num_negatives=(12,),
    )


def small_file(folder: Path) -> Path:
    path = folder / "my graph.csv"
    path.write_text("source,target,time\n" + "".join(f"n{a},n{b},{t}\n" for a, b, t in EDGES))
    return path
