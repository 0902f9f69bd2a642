"""A run is a function of its settings: ``fit(config) -> RunRecord``."""

import os
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import torch

from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.encoding.tensors import EncodedGraph, encode_graph
from supra_experiments.protocol.evaluation import baseline_at
from supra_experiments.training.learned_scores import learn_score
from supra_experiments.training.record import RunRecord, Timings
from supra_experiments.training.run import CHECKPOINT_EVERY, OnEpoch, Run
from supra_experiments.training.task import Task


def fit(
    config: Config,
    *,
    dataset: Dataset | None = None,
    data_root: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = CHECKPOINT_EVERY,
    judge_at: Collection[int] = (),
    on_epoch: OnEpoch | None = None,
    cache: str | os.PathLike[str] | None = None,
    device: str | None = None,
) -> RunRecord:
    """Train and test one model. The same settings give the same numbers on the same machine.

    Args:
        config: the settings.
        dataset: the dataset where it is at hand already; otherwise ``config.data.dataset`` is loaded.
        data_root: the folder of the published datasets.
        checkpoint: a file that the run writes now and then, and goes on from where it exists.
        checkpoint_every: epochs between two writes.
        judge_at: epochs after which the links that judge the run have a say before its end: those of a
            search's trial, which are of training snapshots. ``on_epoch`` is told.
        on_epoch: told about each epoch, e.g. to draw a progress bar.
        cache: a folder in which encodings are kept, for several processes of a machine to share.
        device: where to compute instead of ``config.training.device``: what a cluster happens to give to a
            run is no setting of it.

    Returns:
        The record, with the metrics of the epoch that the split's rule chose; the test set chooses nothing.

    Raises:
        ExperimentError: settings, data or a checkpoint that do not fit.

    Example:
        >>> record = fit(Config(dataset="demo", model="neighbours"))
        >>> 0.5 < record.test.auc < 1
        True
    """
    task = Task.of(config, dataset, data_root)
    config = task.config
    if not config.model.is_learned:
        score_at = baseline_at(config.model.name, task.graph, task.split)
        return task.record(score_at, selection="none", best_epoch=0)
    with torch_settings(config.training.threads):
        encoded = encode_graph(config, task.seen, cache=cache)
        if not config.model.is_network:
            return _fit_score(task, encoded)
        run = Run(
            task,
            encoded,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
            judge_at=judge_at,
            device=device,
        )
        while not run.finished:
            epoch = run.add(run.trainer.epoch(run.next_epoch))
            if on_epoch is not None:
                on_epoch(epoch)
        return run.record()


def _fit_score(task: Task, encoded: EncodedGraph | None) -> RunRecord:
    """The record of a score that is learned without a network, in one go and not in epochs."""
    start = time.perf_counter()
    score_at, learned = learn_score(task.config, task.seen, task.split, encoded)
    coefficients = learned.to_dict()
    return task.record(
        score_at,
        selection="none",
        best_epoch=0,
        num_parameters=len(coefficients.get("weight", ())) + bool(coefficients),
        coefficients=coefficients,
        timings=Timings(
            encoding=0.0 if encoded is None else encoded.seconds, training=time.perf_counter() - start
        ),
        encoding={} if encoded is None else dict(encoded.report),
    )


@contextmanager
def torch_settings(threads: int) -> Iterator[None]:
    """Threads and random state for a run, both put back afterwards."""
    before = torch.get_num_threads()
    with torch.random.fork_rng():
        torch.set_num_threads(threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)


__all__ = ["CHECKPOINT_EVERY", "fit"]
