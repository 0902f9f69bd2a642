"""Runs one after the other in this process, as ``supra train`` does them."""

from collections.abc import Callable, Iterable, Iterator

from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.sweep.storage import CheckpointStore
from supra_experiments.sweep.trial import Outcome, PlannedRun, run_pack
from supra_experiments.training.record import RunRecord
from supra_experiments.training.record_file import RecordFile

OnEpoch = Callable[[Config, int, float], None]
"""Told the run, the number of the epoch and its loss."""


def run_here(
    runs: Iterable[Config], dataset: Dataset, records: RecordFile | None, on_epoch: OnEpoch
) -> Iterator[RunRecord]:
    """The records of some runs, each when it is there.

    A run that ``records`` has is not run again. Another goes on from its checkpoint, which stands beside the
    file until the run is over, and is kept before the next one begins: whoever stops this, however they do
    it, can go on from there.

    Args:
        runs: what to run, in this order, on one dataset.
        dataset: the dataset.
        records: where records are kept; None: nowhere, and there are no checkpoints.
        on_epoch: told about each epoch.
    """
    for run in runs:
        found = None if records is None else records.get(run, dataset.graph.digest)
        yield found or _run(run, dataset, records, on_epoch)


def _run(config: Config, dataset: Dataset, records: RecordFile | None, on_epoch: OnEpoch) -> RunRecord:
    from supra_experiments.training.fit import fit  # PyTorch takes seconds to import
    from supra_experiments.training.pack_fit import try_pack

    if records is None:
        return fit(config, dataset=dataset, on_epoch=lambda epoch: on_epoch(config, epoch.epoch, epoch.loss))
    store = CheckpointStore(f"{records.path}.checkpoints")
    run = PlannedRun(config, dataset.graph.digest)
    outcomes: list[Outcome] = []
    run_pack(
        [run],
        dataset=dataset,
        objective=try_pack,
        store=store,
        on_epoch=lambda run, epoch, score: on_epoch(config, epoch.epoch, epoch.loss),
        on_outcome=lambda run, outcome: outcomes.append(outcome),
    )
    [record] = outcomes
    if isinstance(record, Exception):
        raise record
    records.add(record)
    store.remove(run.name)
    return record
