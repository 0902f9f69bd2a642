"""What trials compute in place of training, where a test is about something else than training."""

import dataclasses
import functools
import json
import math
import os
import signal
import time
from pathlib import Path

import ray

from supra_experiments.protocol.metrics import Metrics
from supra_experiments.training.record import EpochRecord, RunRecord, versions


def record_of(config, dataset, history, **more) -> RunRecord:
    auc = Metrics(0.75, 0.75) if history and math.isfinite(history[-1].loss) else Metrics(math.nan, math.nan)
    return RunRecord(
        config=config.resolved(),
        graph_digest=dataset.graph.digest,
        selection="train_loss",
        best_epoch=len(history),
        test=auc,
        test_new=auc,
        test_new_step=auc,
        per_snapshot=(auc,),
        num_negatives=(1,),
        history=tuple(history),
        diverged=not math.isfinite(history[-1].loss),
        versions=versions() | more,
    )


def each(function, **options):
    """An objective that computes each run of a pack by itself."""
    return functools.partial(_one_by_one, function, **options)


def _one_by_one(function, configs, *, checkpoints, on_epoch, on_outcome, **options) -> None:
    for i, config in enumerate(configs):
        try:
            outcome = function(config, on_epoch=functools.partial(on_epoch, i), **options)
        except Exception as error:
            outcome = error
        on_outcome(i, outcome)


def constant(config, loss: float) -> list[EpochRecord]:
    return [EpochRecord(epoch, loss, None, 0.0) for epoch in range(1, config.training.max_epochs + 1)]


def bowl_value(config) -> float:
    """A function of lr and k whose minimum is 0, at lr = 10^-2.5 and k = 11."""
    resolved = config.resolved()
    return (math.log10(resolved.training.lr) + 2.5) ** 2 + (resolved.encoding.k - 11) ** 2 / 30


def bowl(config, *, dataset, on_epoch, **_) -> RunRecord:
    """A training whose loss comes down to :func:`bowl_value`."""
    history = []
    for epoch in range(1, config.training.max_epochs + 1):
        history.append(EpochRecord(epoch, bowl_value(config) + 1 / epoch, None, 0.0))
        on_epoch(history[-1])
    return record_of(config, dataset, history)


def look_around(config, *, dataset, folder: str, together=None, seconds: float = 0.0, **_) -> RunRecord:
    """Where a trial is, which GPUs it sees, when it began and when it ended.

    It ends when as many trials of its model have begun as ``together`` says, and not before it has slept.
    """
    begin = time.time()
    (Path(folder) / f"{config.model.name}.{config.training.seed}").touch()
    wanted = (together or {}).get(config.model.name, 1)
    while len(list(Path(folder).glob(f"{config.model.name}.*"))) < wanted:
        if time.time() - begin > 200:
            raise TimeoutError(f"{wanted} trials of {config.model.name} do not run side by side")
        time.sleep(0.02)
    time.sleep(seconds)
    return record_of(
        config,
        dataset,
        constant(config, 0.5),
        node=ray.get_runtime_context().get_node_id(),
        gpus=os.environ.get("CUDA_VISIBLE_DEVICES", ""),
        threads=" ".join(os.environ.get(f"{name}_NUM_THREADS", "") for name in ("OMP", "OPENBLAS", "MKL")),
        begin=str(begin),
        end=str(time.time()),
    )


def troubled(config, *, dataset, folder: str, **_) -> RunRecord:
    """A trial with a trouble that depends on its seed; all attempts are counted in ``folder``."""
    attempts = Path(folder) / f"{config.training.seed}.attempts"
    with attempts.open("a") as file:
        file.write(json.dumps(os.getpid()) + "\n")
    is_first = len(attempts.read_text().splitlines()) == 1
    if config.training.seed == 0:
        raise ZeroDivisionError("this never works")
    if config.training.seed == 1 and is_first:
        raise ConnectionError("this works the second time")
    if config.training.seed == 2:
        return record_of(config, dataset, [*constant(config, 0.5)[:3], EpochRecord(4, math.nan, None, 0.0)])
    if config.training.seed == 3:
        raise MemoryError
    if config.training.seed == 4 and is_first:
        os.kill(os.getpid(), signal.SIGKILL)
    return record_of(config, dataset, constant(config, 0.5))


def placed(configs, *, folder: str, on_outcome, **options) -> None:
    """A real training that says first on which node it is."""
    from supra_experiments.training.pack_fit import try_pack

    node = ray.get_runtime_context().get_node_id()
    for config in configs:
        (Path(folder) / f"{config.digest}.{time.time_ns()}").write_text(node)

    def add_node(i, outcome):
        if isinstance(outcome, RunRecord):
            outcome = dataclasses.replace(outcome, versions=outcome.versions | {"node": node})
        on_outcome(i, outcome)

    try_pack(configs, on_outcome=add_node, **options)
