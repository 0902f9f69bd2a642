"""Run records from files and folders, each run once."""

import gzip
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supra_experiments.errors import ExperimentError
from supra_experiments.sweep.journal import FAILURES, RECORDS, SEARCH, SPEC
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.record import RunRecord

SUFFIXES = (".jsonl", ".jsonl.gz")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What was read.

    Attributes:
        records: each run once, in the order of the files.
        files: where they came from.
        num_duplicates: records of a run that was there already.
        num_different: those of them whose figures differ from the ones that were kept.
        num_torn: last lines that a killed process left unfinished.
        num_dropped: runs of a sweep that its file no longer asks for.
    """

    records: list[RunRecord]
    files: list[Path]
    num_duplicates: int = 0
    num_different: int = 0
    num_torn: int = 0
    num_dropped: int = 0

    def remarks(self) -> list[str]:
        """What a reader should know about them, a line each."""
        lines = []
        if self.num_duplicates:
            line = (
                f"{counted(self.num_duplicates, 'record')} of a run that was there already, not counted again"
            )
            lines.append(
                line + (f"; the figures of {self.num_different} differ" if self.num_different else "")
            )
        if self.num_torn:
            lines.append(f"{counted(self.num_torn, 'unfinished last line')} left out")
        if self.num_dropped:
            lines.append(f"{counted(self.num_dropped, 'run')} that the sweep no longer asks for left out")
        return lines


def counted(number: int, noun: str) -> str:
    """A number and its noun.

    Example:
        >>> counted(1, "run"), counted(1200, "run")
        ('1 run', '1,200 runs')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def read_inputs(paths: Iterable[str | os.PathLike[str]]) -> Inputs:
    """The records of files of JSON lines and of folders of them.

    A run is known by its settings and its graph; where it is there several times, the first one counts. Of a
    sweep on a grid those runs count that its file asks for: it may have changed since the first of them.

    Raises:
        ExperimentError: a path that does not exist or holds no records, a line that is no record, two
            graphs by one name.

    Example:
        >>> read_inputs(["nowhere.jsonl"])
        Traceback (most recent call last):
        supra_experiments.errors.ExperimentError: nowhere.jsonl: no such file or folder
    """
    files = find_files(paths)
    kept: dict[tuple[object, ...], RunRecord] = {}
    num_duplicates = num_different = num_torn = num_dropped = 0
    for path in files:
        records, torn = _read(path)
        wanted = _asked_for(records, path)
        num_torn, num_dropped = num_torn + torn, num_dropped + len(records) - len(wanted)
        for record in wanted:
            first = kept.setdefault(_key(record), record)
            if first is not record:
                num_duplicates += 1
                num_different += _figures(first) != _figures(record)
    if not kept:
        raise ExperimentError(f"{', '.join(map(str, files))}: no run records")
    _check_graphs(kept.values())
    return Inputs(list(kept.values()), files, num_duplicates, num_different, num_torn, num_dropped)


def find_files(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The files that paths stand for: themselves, or all below a folder, sorted; each once.

    Raises:
        ExperimentError: a path that does not exist, a file with another ending, a folder without any.
    """
    found: dict[Path, Path] = {}
    for given in map(Path, paths):
        if given.is_dir():
            inside = sorted(path for path in given.rglob("*") if _is_records(path))
            # What a sweep keeps beside its records is none of them.
            sweeps = {path.parent for path in inside if path.name == RECORDS}
            inside = [
                path for path in inside if path.parent not in sweeps or path.name not in (FAILURES, SEARCH)
            ]
            if not inside:
                raise ExperimentError(f"{given}: no {' or '.join(SUFFIXES)} file in this folder")
        elif not given.exists():
            raise ExperimentError(f"{given}: no such file or folder")
        elif not given.name.endswith(SUFFIXES):
            raise ExperimentError(f"{given}: must be a {' or '.join(SUFFIXES)} file or a folder of them")
        else:
            inside = [given]
        for path in inside:
            found.setdefault(path.resolve(), path)
    if not found:
        raise ExperimentError("RUNS: at least one file or folder of run records is needed")
    return list(found.values())


def _is_records(path: Path) -> bool:
    return path.name.endswith(SUFFIXES) and not path.name.startswith(".") and path.is_file()


def _read(path: Path) -> tuple[list[RunRecord], bool]:
    """The records of a file, and whether its last line was torn."""
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ExperimentError(
            f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})"
        ) from None
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


def _asked_for(records: list[RunRecord], path: Path) -> list[RunRecord]:
    """Of the records of a sweep on a grid, those that its file asks for; of others, all."""
    file = path.with_name(SPEC)
    if path.name != RECORDS or not file.is_file():
        return records
    spec = SweepSpec.read(file)
    if spec.mode != "grid":
        return records
    digests = {config.digest for config in spec.runs()}
    return [each for each in records if not each.config.model.is_learned or each.config.digest in digests]


def _key(record: RunRecord) -> tuple[object, ...]:
    config = record.config
    if config.model.is_learned:
        return config.digest, record.graph_digest
    # A score without learning knows nothing of the settings of models, so runs of them agree.
    return (
        config.data.dataset,
        config.model.name,
        config.data.num_snapshots,
        config.data.every,
        config.data.unit,
        config.data.test_snapshots,
        config.data.validation_snapshots,
        config.data.negatives,
        config.data.test_seed,
        record.graph_digest,
    )


def _check_graphs(records: Iterable[RunRecord]) -> None:
    graphs: dict[tuple[Any, ...], str] = {}
    for record in records:
        name = record.config.data.dataset, *record.config.data.binning.values()
        if graphs.setdefault(name, record.graph_digest) != record.graph_digest:
            raise ExperimentError(
                f"{name[0]}: records of two different graphs go by this name; give those of one"
            )


def _figures(record: RunRecord) -> dict[str, object]:
    values = record.to_dict()
    return {name: values[name] for name in ("test", "best_epoch", "diverged")}
