"""How much faster n trials at a time are than one: each has threads of its own, and no more."""

import os
import tempfile
import time
from dataclasses import dataclass, replace

from supra_core.checks import check_count
from supra_experiments.bench.outcome import Measured, Outcome
from supra_experiments.sweep.cells import Block
from supra_experiments.sweep.progress import Event, SweepProgress
from supra_experiments.sweep.spec import SweepSpec


@dataclass(frozen=True)
class SweepRecord(Measured):
    """One sweep.

    Attributes:
        num_concurrent: trials at a time.
        num_runs: runs that were timed, after as many as there are workers.
        seconds: from the first of them to the last.
        overhead: seconds between two runs of a worker, on average: what is not the trial's own.
        startup: seconds until the first trial had begun.
        speedup: runs a second over those of the first sweep.
    """

    num_concurrent: int
    num_runs: int
    seconds: float
    overhead: float
    startup: float
    speedup: float = 1.0


def run(
    *,
    dataset: str = "demo",
    model: str = "grugcn",
    pe: str = "none",
    num_concurrent: tuple[int, ...] = (1, 2),
    runs_each: int = 6,
    epochs: int = 150,
    data_root: str | os.PathLike[str] | None = None,
    address: str | None = None,
) -> list[SweepRecord]:
    """Sweep over seeds, with so many trials at a time.

    Args:
        dataset, model, pe, epochs: what each trial trains, and for how long.
        num_concurrent: trials at a time, one sweep for each.
        runs_each: timed runs of each worker.
        data_root: the folder of the published datasets.
        address: of a cluster; one is started on this machine where there is none.
    """
    check_count("runs_each", runs_each)
    records: list[SweepRecord] = []
    for number in num_concurrent:
        check_count("num_concurrent", number)
        # The first runs of a worker import PyTorch.
        seeds = tuple(range(number * (runs_each + 1)))
        spec = SweepSpec(
            name="bench",
            blocks=(Block((dataset,), (model,), (pe,), ("zeros",), seeds),),
            fixed={"max_epochs": epochs, "min_epochs": epochs},
            baselines=False,
            pack=1,  # what is timed is trials, one run each
        )
        records.append(_sweep(spec, number, data_root, address))
    rates = [record.num_runs / record.seconds for record in records]
    return [replace(record, speedup=rate / rates[0]) for record, rate in zip(records, rates, strict=True)]


def _sweep(
    spec: SweepSpec, number: int, data_root: str | os.PathLike[str] | None, address: str | None
) -> SweepRecord:
    from supra_experiments.sweep.ray.run import run_sweep

    begun: list[float] = []
    ended: list[tuple[float, float]] = []

    def listen(event: Event) -> None:
        now = time.perf_counter()
        if event.kind == "started":
            begun.append(now)
        elif event.kind == "finished" and event.record is not None:
            ended.append((now, event.record.timings.training + event.record.timings.scoring))

    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="supra-bench-") as folder:
        run_sweep(
            spec,
            storage_path=folder,
            address=address,
            max_concurrent=number,
            data_root=data_root,
            progress=SweepProgress(on_event=listen),
            dashboard=False,
        )
    # From the moment when every worker has a run behind it.
    timed = ended[number:]
    seconds = timed[-1][0] - ended[number - 1][0]
    own = sum(trained for _, trained in timed)
    return SweepRecord(
        num_concurrent=number,
        num_runs=len(timed),
        seconds=seconds,
        overhead=max(0.0, (number * seconds - own) / len(timed)),
        startup=begun[0] - start,
    )


def outcome(records: list[SweepRecord]) -> Outcome:
    """What is kept and shown."""
    columns = {
        "at a time": lambda r: r.num_concurrent,
        "runs": lambda r: r.num_runs,
        "seconds": lambda r: f"{r.seconds:.1f}",
        "s a run": lambda r: f"{r.seconds / r.num_runs:.2f}",
        "overhead s": lambda r: f"{r.overhead:.2f}",
        "speed-up": lambda r: f"{r.speedup:.2f}",
        "startup s": lambda r: f"{r.startup:.1f}",
    }
    return Outcome(records, "Trials at a time", columns, left=0)
