"""Tune, set up for a sweep: which trial is next, and Ray's own chatter kept out."""

import contextlib
import dataclasses
import logging
import os
import time
import warnings
from collections.abc import Iterator
from typing import Any

import ray
from ray import train, tune
from ray.tune.search import Searcher
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from supra_experiments.sweep.cells import Resources
from supra_experiments.sweep.halving import Halving
from supra_experiments.sweep.ray.keeper import Keeper
from supra_experiments.sweep.ray.worker import Shared, trial
from supra_experiments.sweep.search import Search

# Up to Ray 2.42 it was at home in ray.train.
RunConfig = tune.RunConfig if hasattr(tune, "RunConfig") else train.RunConfig


def tune_all(
    keeper: Keeper, shared: Shared, *, resources: Resources, place: str, max_concurrent: int | None
) -> None:
    """Have Tune run all that a keeper hands out, in this process; trials run in workers.

    A trial is a pack of runs. Tune stops none early: it knows packs, and halving is about their runs.

    Args:
        keeper: hands out the runs and keeps what comes of them.
        shared: what all trials have in common.
        resources: what each trial reserves.
        place: the folder or URI of Tune's own files.
        max_concurrent: trials at a time at most; None: as many as fit.
    """

    if keeper.search is not None:
        shared = dataclasses.replace(shared, halving=_halving(keeper.search))

    # The function travels to the workers: it may hold nothing of this process but what is shared.
    def supra(config: dict[str, Any]) -> None:
        trial(config, shared)

    _set_environment(max_pending=16 if keeper.search is None else 2)
    tune.Tuner(
        tune.with_resources(supra, lambda config: _bundle(resources, config["model"])),
        tune_config=tune.TuneConfig(
            search_alg=NextPack(keeper),
            num_samples=-1,
            max_concurrent_trials=max_concurrent,
            reuse_actors=True,
            trial_dirname_creator=lambda trial: trial.trial_id,
        ),
        run_config=RunConfig(
            name=time.strftime("%Y-%m-%d-%H-%M-%S"),
            storage_path=place,
            callbacks=[keeper],
            stop=keeper.interrupt,
            verbose=0,
        ),
    ).fit()


def _halving(search: Search) -> Any:
    """The actor that workers ask, on this machine: it is lost only with the sweep itself."""
    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    options = {"num_cpus": 0, "max_restarts": -1, "max_task_retries": -1, "scheduling_strategy": here}
    return ray.remote(Halving).options(**options).remote(list(search.reached()))


def _bundle(resources: Resources, model: str) -> tune.PlacementGroupFactory:
    own = resources.of(model)
    return tune.PlacementGroupFactory([{"CPU": own.cpus} | ({"GPU": own.gpus} if own.gpus else {})])


def _set_environment(max_pending: int) -> None:
    """What Tune reads from the environment; all of it is in its documentation.

    Args:
        max_pending: trials that wait for their resources at a time: enough that no worker is let go between
            two of them; a search had better not ask for many before it knows what came of the last ones.
    """
    os.environ.update(
        TUNE_MAX_PENDING_TRIALS_PG=str(max_pending),
        # Nobody reads Tune's own tables; records hold more, and writing those costs time in every trial.
        TUNE_DISABLE_AUTO_CALLBACK_LOGGERS="1",
        # Interrupts are the sweep's to handle, and so are failures.
        TUNE_DISABLE_SIGINT_HANDLER="1",
        TUNE_PRINT_ALL_TRIAL_ERRORS="0",
        TUNE_DISABLE_STRICT_METRIC_CHECKING="1",
        # The silence of verbose=0 is the old output's; the new one draws a table even so.
        RAY_AIR_NEW_OUTPUT="0",
        # Paths mean in a trial what they mean here.
        RAY_CHDIR_TO_TRIAL_DIR="0",
    )


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """What Ray logs and prints in this process is not shown: standard output belongs to our results.

    What matters of it comes by the callbacks. Ray prints as long as it is connected, after trials as well.
    """
    loggers = [logging.getLogger(name) for name in ("ray", "ray.tune", "ray.train", "ray.air")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        with (
            open(os.devnull, "w") as nowhere,
            contextlib.redirect_stdout(nowhere),
            warnings.catch_warnings(action="ignore"),
        ):
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class NextPack(Searcher):
    """Tune's way of asking the keeper what to run."""

    def __init__(self, keeper: Keeper) -> None:
        super().__init__()
        self.keeper = keeper

    def suggest(self, trial_id: str) -> Any:
        """The settings of the next trial; None where Tune should ask again later."""
        pack = None if self.keeper.interrupt.asked else self.keeper.next()
        if pack is not None:
            name, runs = pack
            model = runs[0].config.model.model
            return {"pack": name, "model": model, "runs": [run.to_dict() for run in runs]}
        wait = self.keeper.unfinished and not self.keeper.interrupt.asked
        return None if wait else Searcher.FINISHED

    def on_trial_complete(self, trial_id: str, result: dict | None = None, error: bool = False) -> None:
        """The keeper hears of it too, and of more."""

    def save_to_dir(self, checkpoint_dir: str, session_str: str = "default") -> None:
        """The journal is what a sweep goes on from."""
