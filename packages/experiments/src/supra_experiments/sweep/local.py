"""Runs one after the other in this process, as ``supra train`` does them."""

from collections.abc import Callable, Iterable, Iterator

from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.sweep.storage import CheckpointStore
from supra_experiments.sweep.trial import run_trial
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


def _run(run: Config, dataset: Dataset, records: RecordFile | None, on_epoch: OnEpoch) -> RunRecord:
    from supra_experiments.encoding.tensors import encode_graph
    from supra_experiments.training.fit import fit  # PyTorch takes seconds to import

    if records is None:
        return fit(run, dataset=dataset, on_epoch=lambda epoch: on_epoch(run, epoch.epoch, epoch.loss))
    store = CheckpointStore(f"{records.path}.checkpoints")
    record = run_trial(
        run,
        dataset=dataset,
        objective=fit,
        store=store,
        encode=encode_graph,
        report=lambda told: on_epoch(run, told["epoch"], told["loss"]),
        report_every=1,
    )
    records.add(record)
    store.remove(run.run_name(dataset.graph.digest))
    return record
