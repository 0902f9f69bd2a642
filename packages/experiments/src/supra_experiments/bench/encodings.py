"""What each encoding of a dataset costs: the variants take turns, so that a busy moment meets them all."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from supra_core import ConvergenceWarning
from supra_core.checks import check_count
from supra_experiments.bench.outcome import Measured, Outcome, Report, records_of, silent
from supra_experiments.config import PES, Config
from supra_experiments.datasets import Dataset
from supra_experiments.encoding.tensors import encoding_report
from supra_experiments.protocol.evaluation import make_split

VARIANTS = tuple(pe for pe in PES if pe != "none")


@dataclass(frozen=True)
class EncodingRecord(Measured):
    """One encoding of the training snapshots of one dataset.

    Attributes:
        dataset, pe: which.
        seconds: one number a round, in which all variants took their turns.
        num_matvecs: products with the Laplacian.
        max_residual: ‖L x − λ x‖, the largest over windows and eigenvectors.
    """

    dataset: str
    pe: str
    seconds: tuple[float, ...]
    num_matvecs: int
    max_residual: float

    @property
    def median(self) -> float:
        """Of the seconds."""
        return float(np.median(self.seconds))


def run(
    datasets: Sequence[Dataset],
    *,
    repeats: int = 5,
    base: Config | None = None,
    report: Report = silent,
) -> list[EncodingRecord]:
    """Encode every window of the training snapshots, with each variant in turn, ``repeats`` times.

    Args:
        datasets: the graphs.
        repeats: rounds.
        base: settings that the variants share; the defaults of a run where not given.
        report: told what is being done.
    """
    check_count("repeats", repeats)
    records: list[EncodingRecord] = []
    total = len(datasets) * repeats * len(VARIANTS)
    done = 0
    for dataset in datasets:
        config = (base or Config()).replace(dataset=dataset.name)
        num_train = make_split(config, dataset).num_train
        graph = dataset.graph.window(num_train - 1, num_train)
        seconds: dict[str, list[float]] = {pe: [] for pe in VARIANTS}
        told: dict[str, dict[str, Any]] = {}
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the residual says it
            for turn in range(repeats):
                for pe in VARIANTS:
                    report(done, total, f"{dataset.name} {pe}, round {turn + 1} of {repeats}")
                    encoder = config.replace(pe=pe).encoder
                    if encoder is None:
                        raise ValueError(f"pe={pe!r}: there is nothing to time")
                    start = time.perf_counter()
                    encodings = encoder.encode_all(graph)
                    seconds[pe].append(time.perf_counter() - start)
                    told[pe] = encoding_report(encoder, encodings, seconds[pe][-1])
                    done += 1
        records += [
            EncodingRecord(
                dataset.name, pe, tuple(seconds[pe]), told[pe]["num_matvecs"], told[pe]["max_residual"]
            )
            for pe in VARIANTS
        ]
    return records


def exact_over_inexact(records: Sequence[EncodingRecord]) -> dict[str, float]:
    """SLPE exact over SLPE inexact, the median over rounds of the ratio, by dataset."""
    by_name = {(record.dataset, record.pe): record for record in records}
    return {
        name: float(np.median(np.divide(by_name[name, "slpe-e"].seconds, by_name[name, "slpe-i"].seconds)))
        for name in dict.fromkeys(record.dataset for record in records)
    }


def outcome(records: Sequence[EncodingRecord]) -> Outcome:
    """What is kept and shown."""
    rows = [
        (
            r.dataset,
            r.pe,
            f"{r.median:.3f}",
            f"{min(r.seconds):.3f}",
            f"{r.num_matvecs:,}",
            f"{r.max_residual:.1e}",
        )
        for r in records
    ]
    return Outcome(
        records_of(records),
        "Encoding all training snapshots, one thread",
        ("dataset", "encoding", "median s", "least s", "products", "residual"),
        rows,
        left=2,
        lines=[
            f"{name}: SLPE exact takes {ratio:.2f} times as long as inexact (median over rounds)"
            for name, ratio in exact_over_inexact(records).items()
        ],
    )
