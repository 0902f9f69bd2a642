"""What each encoding of a dataset costs: the variants take turns, so that a busy moment meets them all."""

import itertools
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from supra_core import ConvergenceWarning
from supra_core.checks import check_count
from supra_experiments.bench.outcome import Measured, Outcome, Report, silent
from supra_experiments.config import Config
from supra_experiments.config.encoding import ENCODED
from supra_experiments.datasets import Dataset
from supra_experiments.encoding.tensors import encoding_report
from supra_experiments.protocol.evaluation import make_split


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
    datasets: Sequence[Dataset], *, repeats: int = 5, base: Config | None = None, report: Report = silent
) -> list[EncodingRecord]:
    """Encode every window of the training snapshots, with each variant in turn, ``repeats`` times.

    ``base`` has the settings that the variants share.
    """
    check_count("repeats", repeats)
    records: list[EncodingRecord] = []
    for place, dataset in enumerate(datasets):
        config = (base or Config()).replace(dataset=dataset.name)
        num_train = make_split(config, dataset).num_train
        graph = dataset.graph.window(num_train - 1, num_train)
        encoders = {pe: encoder for pe in ENCODED if (encoder := config.replace(pe=pe).encoder)}
        seconds: dict[str, list[float]] = {pe: [] for pe in encoders}
        told: dict[str, dict[str, Any]] = {}
        turns = list(itertools.product(range(repeats), encoders))
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the residual says it
            for done, (turn, pe) in enumerate(turns, place * len(turns)):
                what = f"{dataset.name} {pe}, round {turn + 1} of {repeats}"
                report(done, len(datasets) * len(turns), what)
                start = time.perf_counter()
                encodings = encoders[pe].encode_all(graph)
                seconds[pe].append(time.perf_counter() - start)
                told[pe] = encoding_report(encoders[pe], encodings, seconds[pe][-1])
        for pe, found in told.items():
            taken, work = tuple(seconds[pe]), (found["num_matvecs"], found["max_residual"])
            records.append(EncodingRecord(dataset.name, pe, taken, *work))
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
    columns = {
        "dataset": lambda r: r.dataset,
        "encoding": lambda r: r.pe,
        "median s": lambda r: f"{r.median:.3f}",
        "least s": lambda r: f"{min(r.seconds):.3f}",
        "products": lambda r: f"{r.num_matvecs:,}",
        "residual": lambda r: f"{r.max_residual:.1e}",
    }
    lines = [
        f"{name}: SLPE exact takes {ratio:.2f} times as long as inexact (median over rounds)"
        for name, ratio in exact_over_inexact(records).items()
    ]
    return Outcome(records, "Encoding all training snapshots, one thread", columns, left=2, lines=lines)
