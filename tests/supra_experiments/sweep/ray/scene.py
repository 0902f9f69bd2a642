"""A keeper, and made-up news for it: trials, a clock and nodes that a test moves, no cluster."""

from functools import partial
from types import SimpleNamespace

from supra_experiments import Config
from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.ray.interrupt import Interrupt
from supra_experiments.sweep.ray.keeper import Keeper
from supra_experiments.sweep.trial import PlannedRun

VANISHED = "The actor is temporarily unavailable: RpcError: Socket closed rpc_code: 14."
QUICK = Config(model="grugcn", features="zeros", max_epochs=12, min_epochs=12)
RUN = PlannedRun(QUICK, "graph")


class Scene:
    """A sweep whose trials, clock and nodes a test moves."""

    def __init__(self, storage, journal, folder, **options) -> None:
        self.folder, self.storage, self.journal = folder, storage, journal
        self.packs: dict[str, str] = {}
        self.dead: set[str] = set()
        self.now = 0.0
        self.events = []
        self.keeper = Keeper(
            partial(next, options.pop("packs", iter([(RUN,)])), None),
            journal,
            storage,
            SweepProgress(on_event=self.events.append),
            Interrupt(),
            dead_nodes=lambda: self.dead,
            clock=lambda: self.now,
            **options,
        )

    def _trial(self, run, **more):
        config = {"pack": self.packs[run.name]}
        return {"iteration": 0, "trials": [], "trial": SimpleNamespace(config=config, **more)}

    def next(self):
        """The pack that the keeper hands out and that begins; none where there is none."""
        name, runs = self.keeper.next() or ("", ())
        self.packs |= {run.name: name for run in runs}
        if runs:
            self.keeper.on_trial_start(**self._trial(runs[0]))
        return runs

    def start(self, node=None, *runs):
        assert self.next() == (runs or (RUN,))
        if node is not None:
            self.report({"node": node}, *runs[:1])

    def report(self, result, run=RUN):
        self.keeper.on_trial_result(**self._trial(run), result=result)
        assert self.keeper.error is None

    def end(self, kind, value, run=RUN):
        """A run says that it is over."""
        self.report({"epochs": [], "ended": [(run.name, kind, value)]}, run)

    def finish(self, record, run=RUN):
        self.end("record", record.to_json(), run)

    def complete(self, run=RUN):
        self.keeper.on_trial_complete(**self._trial(run))
        assert self.keeper.error is None

    def fail(self, message=VANISHED, run=RUN):
        """The worker of a run's pack is lost."""
        file = self.folder / "error.txt"
        file.write_text(message)
        self.keeper.on_trial_error(**self._trial(run, error_file=str(file)))
        assert self.keeper.error is None

    @property
    def is_over(self):
        return not self.keeper.unfinished

    @property
    def kinds(self):
        return [failure.kind for failure in self.journal.failures]
