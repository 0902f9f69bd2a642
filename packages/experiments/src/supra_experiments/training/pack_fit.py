"""Many runs at once: ``fit_pack(configs) -> list[RunRecord]``."""

import os
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from supra_experiments.config import Config
from supra_experiments.datasets import Dataset
from supra_experiments.encoding.tensors import encode_graph
from supra_experiments.errors import ConfigError
from supra_experiments.training.fit import fit, torch_settings
from supra_experiments.training.pack import Pack
from supra_experiments.training.pack_groups import fit_together
from supra_experiments.training.record import EpochRecord, RunRecord
from supra_experiments.training.run import CHECKPOINT_EVERY, Run
from supra_experiments.training.task import Task

Path = str | os.PathLike[str]
Outcome = RunRecord | Exception
OnEpochOf = Callable[[int, EpochRecord], None]
"""Told about an epoch of a run, by the place of its settings in the pack."""
OnOutcome = Callable[[int, Outcome], None]
"""Told what became of a run."""


def fit_pack(configs: Sequence[Config], **options: Any) -> list[RunRecord]:
    """Train and test several models as one; see :func:`try_pack` for the arguments.

    Returns:
        What ``fit`` gives for each of the settings, to rounding: the same weights at the start, the same
        negatives and signs. Seconds are a run's share of the pack's, whose size the record's timings have.

    Raises:
        ExperimentError: settings that do not fit together, or the first error of a run, once all others are
            done.

    Example:
        >>> runs = [Config(dataset="demo", model="grugcn", max_epochs=1, seed=seed) for seed in range(2)]
        >>> [record.timings.pack for record in fit_pack(runs)]
        [2, 2]
    """
    outcomes = try_pack(configs, **options)
    records = [outcome for outcome in outcomes if isinstance(outcome, RunRecord)]
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            raise outcome
    return records


def try_pack(
    configs: Sequence[Config],
    *,
    dataset: Dataset | None = None,
    data_root: Path | None = None,
    checkpoints: Sequence[Path | None] | None = None,
    checkpoint_every: int = CHECKPOINT_EVERY,
    judge_at: Collection[int] = (),
    on_epoch: OnEpochOf | None = None,
    on_outcome: OnOutcome | None = None,
    cache: Path | None = None,
    device: str | None = None,
) -> list[Outcome]:
    """The same, with the error of a run in place of its record: a run fails alone.

    Args:
        configs: the settings, which must fit together, see ``pack_groups``.
        dataset, data_root, checkpoint_every, judge_at, cache, device: as for ``fit``.
        checkpoints: a file for each run, or None.
        on_epoch: told about each epoch of each run; if it raises, that run has failed.
        on_outcome: told the record or the error of each run as soon as the run is over.

    Raises:
        ConfigError: settings that do not fit together, or another number of checkpoints.
    """
    if not fit_together(configs):
        raise ConfigError(f"configs of {len(configs)} runs: must fit together, see group_into_packs")
    paths = [None] * len(configs) if checkpoints is None else list(checkpoints)
    if len(paths) != len(configs):
        raise ConfigError(f"checkpoints={len(paths)} files: must be as many as the {len(configs)} configs")
    common: dict[str, Any] = {
        "checkpoint_every": checkpoint_every,
        "judge_at": judge_at,
        "device": device,
    }
    outcomes = _Outcomes(on_outcome)
    if len(configs) > 1:
        with torch_settings(configs[0].training.threads):
            task = Task.of(configs[0], dataset, data_root)  # the same links for all
            runs: dict[int, Run] = {}
            for i, (config, path) in enumerate(zip(configs, paths, strict=True)):
                with outcomes.failing_alone(i):
                    own = replace(task, config=config.resolved())
                    encoded = encode_graph(own.config, own.seen, cache=cache)
                    runs[i] = Run(own, encoded, checkpoint=path, **common)
            _train_together(runs, outcomes, on_epoch)
    common |= {"dataset": dataset, "data_root": data_root, "cache": cache}
    for i, (config, path) in enumerate(zip(configs, paths, strict=True)):
        if i not in outcomes:
            tell = None if on_epoch is None else partial(on_epoch, i)
            outcomes.keep(i, partial(fit, config, checkpoint=path, on_epoch=tell, **common))
    return [outcomes[i] for i in range(len(configs))]


class _Outcomes(dict[int, Outcome]):
    """What became of each run that is over; whoever wants to know is told at once."""

    def __init__(self, tell: OnOutcome | None) -> None:
        super().__init__()
        self._tell = tell

    def keep(self, i: int, record: Callable[[], RunRecord]) -> None:
        """Keep the record of run ``i``, or the error that came instead."""
        try:
            outcome: Outcome = record()
        except Exception as error:
            outcome = error
        self._put(i, outcome)

    @contextmanager
    def failing_alone(self, i: int) -> Iterator[None]:
        """An error inside is the outcome of run ``i``, and nobody else's."""
        try:
            yield
        except Exception as error:
            self._put(i, error)

    def _put(self, i: int, outcome: Outcome) -> None:
        self[i] = outcome
        if self._tell is not None:
            self._tell(i, outcome)


def _train_together(runs: dict[int, Run], outcomes: _Outcomes, on_epoch: OnEpochOf | None) -> None:
    """Train all runs to their ends; what became of each goes into ``outcomes``.

    Where the pack itself fails, it is not known by which run: those that are not done get no outcome.
    """
    is_well = True
    while True:
        for i, run in runs.items():
            if i not in outcomes and run.finished:
                outcomes.keep(i, partial(run.record, pack=len(runs)))
        members = {i: run for i, run in runs.items() if i not in outcomes}
        if not (members and is_well):
            return
        try:
            _train_until_one_leaves(members, outcomes, on_epoch)
        except Exception as error:
            warnings.warn(f"a pack of {len(members)} runs failed, they go on alone: {error}", stacklevel=2)
            is_well = False


def _train_until_one_leaves(runs: dict[int, Run], outcomes: _Outcomes, on_epoch: OnEpochOf | None) -> None:
    """Epochs of one pack, until a run of it is done or has failed."""
    pack = Pack([run.trainer for run in runs.values()])
    while not any(i in outcomes or run.finished for i, run in runs.items()):
        start = time.perf_counter()
        epochs = pack.epoch([run.next_epoch for run in runs.values()])
        validates = any(run.task.judged.validation for run in runs.values())
        scorers = pack.scorers() if validates else [None] * len(runs)
        share = round((time.perf_counter() - start) / len(runs), 6)
        for place, ((i, run), epoch) in enumerate(zip(runs.items(), epochs, strict=True)):
            with outcomes.failing_alone(i):
                epoch = replace(epoch, seconds=share)
                told = run.add(epoch, scorers[place], before_saving=partial(pack.hand_back, place))
                if on_epoch is not None:
                    on_epoch(i, told)
    for place in range(len(runs)):
        pack.hand_back(place)
