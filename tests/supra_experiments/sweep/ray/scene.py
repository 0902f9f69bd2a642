"""A keeper, and made-up news for it: trials, a clock and nodes that a test moves, no cluster."""

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
        self.dead: set[str] = set()
        self.now = 0.0
        self.events = []
        self.keeper = Keeper(
            options.pop("runs", iter([RUN])),
            journal,
            storage,
            SweepProgress(on_event=self.events.append),
            Interrupt(),
            dead_nodes=lambda: self.dead,
            clock=lambda: self.now,
            **options,
        )

    def _trial(self, run, **more):
        return {"iteration": 0, "trials": [], "trial": SimpleNamespace(config={"name": run.name}, **more)}

    def start(self, node=None, run=RUN):
        assert self.keeper.next() == run
        self.keeper.on_trial_start(**self._trial(run))
        if node is not None:
            self.report({"epoch": 0, "loss": 0.0, "node": node}, run)

    def report(self, result, run=RUN):
        self.keeper.on_trial_result(**self._trial(run), result=result)
        assert self.keeper.error is None

    def finish(self, record, run=RUN):
        self.report({"record": record.to_json()}, run)
        self.complete(run)

    def complete(self, run=RUN, last=None):
        self.keeper.on_trial_complete(**self._trial(run, last_result=last or {}))
        assert self.keeper.error is None

    def fail(self, message=VANISHED, run=RUN):
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
