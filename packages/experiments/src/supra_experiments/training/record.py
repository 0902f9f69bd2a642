"""What a run leaves behind: one JSON line, enough to build every table."""

import contextlib
import dataclasses
import functools
import gzip
import importlib.metadata
import json
import math
import os
import platform
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from supra_experiments.config import Config
from supra_experiments.errors import ExperimentError
from supra_experiments.protocol.metrics import Metrics

PACKAGES = (
    "supra-experiments",
    "supra-core",
    "tgnn-models",
    "wl-tests",
    "torch",
    "torch-geometric",
    "numpy",
    "scipy",
    "scikit-learn",
)


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """One epoch.

    Attributes:
        epoch: counted from 1.
        loss: the mean training loss over snapshots.
        validation_auc: where the split has validation snapshots, else None.
        seconds: what it took.
        judged_auc: of the best weights so far, on the links that judge the run, where a search asked for it.
    """

    epoch: int
    loss: float
    validation_auc: float | None
    seconds: float
    judged_auc: float | None = None


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds spent.

    Attributes:
        encoding: computing the encodings of all snapshots.
        training: all epochs.
        scoring: the test.
        pack: how many runs trained together at most; the seconds of an epoch are this run's share of theirs.
    """

    encoding: float = 0.0
    training: float = 0.0
    scoring: float = 0.0
    pack: int = 1


@dataclass(frozen=True, slots=True)
class Searched:
    """The search that chose a run's settings; the run itself is none of its trials.

    Attributes:
        criterion: what the search made best.
        num_trials: settings that it tried in the run's cell, with those that failed or were stopped early.
        seconds: of training in these trials, each a share of its pack's; encodings are not counted.
        carried_from: the dataset on which the search was, where it was none of the run's own.
    """

    criterion: str
    num_trials: int
    seconds: float = 0.0
    carried_from: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run and its outcome. Metrics are shares in 0 .. 1, NaN where a run diverged.

    Attributes:
        config: the settings, defaults filled in.
        graph_digest: a hash of the temporal graph that was used.
        selection: what chose the epoch: ``train_loss``, ``validation_auc``, or ``none`` without epochs.
        best_epoch: the chosen epoch, 0 without epochs.
        test: the mean over test snapshots.
        test_new: the same for links that are not in the last training snapshot.
        test_new_step: the same for links that are not in the snapshot before, as HTGN counts them.
        by_negatives: the mean over test snapshots under each kind of negatives; training knows nothing of
            them, so one run tells all.
        per_snapshot: the metrics of each test snapshot.
        num_negatives: how many of each test snapshot; fewer than the links where fewer exist.
        validation: the mean over validation snapshots, None where there are none.
        num_parameters: trained numbers; 0 for boosted trees, which are not kept.
        coefficients: what ``logistic`` learned, see ``training.learned_scores.Logistic``; else empty.
        history: every epoch.
        diverged: whether training met a loss that is not finite.
        timings: seconds, the encoding apart from the training.
        encoding: what the encoder reports: channels, solver steps, largest residual. Empty without encoding.
        peak_memory: of the process, in bytes, None where the system does not tell.
        versions: of Python and the packages.
        machine: the processor and its cores, in words; empty in records of earlier versions.
        searched: the search that chose the settings, None where somebody else did.
    """

    config: Config
    graph_digest: str
    selection: str
    best_epoch: int
    test: Metrics
    test_new: Metrics
    test_new_step: Metrics
    per_snapshot: tuple[Metrics, ...]
    num_negatives: tuple[int, ...]
    by_negatives: dict[str, Metrics] = field(default_factory=dict)
    validation: Metrics | None = None
    num_parameters: int = 0
    coefficients: dict[str, Any] = field(default_factory=dict)
    history: tuple[EpochRecord, ...] = ()
    diverged: bool = False
    timings: Timings = field(default_factory=Timings)
    encoding: dict[str, Any] = field(default_factory=dict)
    peak_memory: int | None = None
    versions: dict[str, str] = field(default_factory=dict)
    machine: str = ""
    searched: Searched | None = None

    @property
    def seconds_per_epoch(self) -> float:
        """The mean over epochs; NaN without any."""
        return self.timings.training / len(self.history) if self.history else math.nan

    def outcome(self) -> dict[str, Any]:
        """What must be equal for two runs of one config, wherever they were made and whoever chose it."""
        values = self.to_dict()
        for name in ("timings", "peak_memory", "versions", "machine", "searched"):
            values.pop(name, None)
        values["encoding"].pop("seconds", None)
        values["history"] = [{**epoch, "seconds": None} for epoch in values["history"]]
        return values

    def to_dict(self) -> dict[str, Any]:
        """Plain values, NaN as None."""
        values = dataclasses.asdict(dataclasses.replace(self, config=Config()))
        values["config"] = self.config.to_dict()
        for name in ("machine", "searched"):  # as in earlier versions, where there is nothing to tell
            if not values[name]:
                del values[name]
        for epoch in values["history"]:
            if epoch["judged_auc"] is None:
                del epoch["judged_auc"]
        return _without_nan(values)

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(self.to_dict(), allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Self:
        """The way back from :meth:`to_json`.

        Raises:
            ExperimentError: text that is no record.
        """
        try:
            values = json.loads(line)
            values["config"] = Config.from_record(values["config"])
            for name in ("test", "test_new", "test_new_step"):
                values[name] = _metrics(values[name])
            values["by_negatives"] = {
                kind: _metrics(part) for kind, part in values.get("by_negatives", {}).items()
            }
            values["per_snapshot"] = tuple(map(_metrics, values["per_snapshot"]))
            values["num_negatives"] = tuple(values["num_negatives"])
            if values["validation"] is not None:
                values["validation"] = _metrics(values["validation"])
            values["history"] = tuple(map(_epoch, values["history"]))
            values["timings"] = Timings(**values["timings"])
            if values.get("searched") is not None:
                values["searched"] = Searched(**values["searched"])
            return cls(**values)
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ExperimentError(f"not a run record: {error} in {line[:60]!r}") from None


def read_records(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> Iterator[RunRecord]:
    """The records of one or more files of JSON lines, plain or ``.gz``.

    Raises:
        ExperimentError: a file that cannot be read, or a line that is no record.
    """
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        records, torn = read_record_file(path)
        if torn:
            raise ExperimentError(f"{path}: the last line is torn")
        yield from records


def read_record_file(path: str | os.PathLike[str]) -> tuple[list[RunRecord], bool]:
    """The records of a file, and whether there is a last line that was not written to its end."""
    try:
        content = Path(path).read_bytes()
        text = (gzip.decompress(content) if Path(path).suffix == ".gz" else content).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ExperimentError(f"{path}: cannot be read ({reason})") from None
    # Not splitlines(): a name may hold one of the other characters that it takes for the end of a line.
    lines = text.split("\n")
    records = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            records.append(RunRecord.from_json(line))
        except ExperimentError as error:
            if number == len(lines) and line.lstrip().startswith("{"):
                return records, True
            raise ExperimentError(f"{path}, line {number}: {error}") from None
    return records, False


@functools.cache
def versions() -> dict[str, str]:
    """The versions of Python and of the packages that a run depends on."""
    return {"python": platform.python_version()} | {
        name: importlib.metadata.version(name) for name in PACKAGES
    }


@functools.cache
def machine() -> str:
    """The processor of this machine and its cores, as in ``AMD EPYC 7B13, 2 cores``."""
    names = [platform.processor() or platform.machine()]
    with contextlib.suppress(OSError):  # only Linux has it, and only there platform does not know
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")] or names
    cores = os.cpu_count() or 1
    return f"{names[0]}, {cores} core{'s' * (cores > 1)}"


def peak_memory() -> int | None:
    """The most memory this process has held so far, in bytes; None where the system does not tell."""
    # On Linux, getrusage counts what the parent had before this process began as its own.
    with contextlib.suppress(OSError, KeyError):
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return 1024 * int(dict(line.split(":", 1) for line in status.splitlines())["VmHWM"].split()[0])
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if platform.system() == "Darwin" else 1024 * peak


def _metrics(values: dict[str, float | None]) -> Metrics:
    return Metrics(**{name: math.nan if value is None else value for name, value in values.items()})


def _epoch(values: dict[str, Any]) -> EpochRecord:
    loss = values["loss"]
    return EpochRecord(**{**values, "loss": math.nan if loss is None else loss})


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
