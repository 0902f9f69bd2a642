"""What a report is made from: run records of files and folders, each run once, and times of encodings."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from supra_experiments.analysis.frame import KEYS, cell_of, key_of, known_by, settings_of
from supra_experiments.errors import ExperimentError
from supra_experiments.sweep.journal import FAILURES, RECORDS, SEARCH, SPEC
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.record import RunRecord, read_record_file
from supra_experiments.words import counted

SUFFIXES = (".jsonl", ".jsonl.gz")
Known = tuple[str, str, bool]
"""By what a run is known, see :func:`~supra_experiments.analysis.frame.known_by`."""
NAMED = ("dataset", "model", "features", "pe", "seed")
"""Settings that say which run it is, not how it was made."""


@dataclass(slots=True)
class Inputs:
    """What was read.

    Attributes:
        records: each run once, in the order of the files, by its name as of ``analysis.frame.key_of``.
        files: all of them.
        num_duplicates: records of a run that was there already.
        num_different: those of them whose figures differ from the ones that were kept.
        num_torn: last lines that a killed process left unfinished.
        num_dropped: runs of a sweep that its file no longer asks for, and those with the settings of a search
            that went on and found others.
        num_others: runs with other settings than those that were asked for.
        folders: folders of records inside the ones that were given, which were not read.
        apart: by name of a run, what its model is called beside its own name, where one cell and seed was run
            with several settings of a person's choice, or of several searches: ``lr 0.01``.
    """

    records: dict[str, RunRecord] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    num_duplicates: int = 0
    num_different: int = 0
    num_torn: int = 0
    num_dropped: int = 0
    num_others: int = 0
    folders: list[Path] = field(default_factory=list)
    apart: dict[str, str] = field(default_factory=dict)

    def remarks(self) -> list[str]:
        """What a reader should know about them, a line each."""
        again = f"{counted(self.num_duplicates, 'record')} of a run that was there already, not counted again"
        if self.num_different:
            again += f"; the figures of {self.num_different} differ"
        names = ", ".join(folder.name for folder in self.folders)
        apart = (
            "runs of one cell and seed with different settings are kept apart: the model's name says which"
        )
        lines = (
            (self.num_duplicates, again),
            (self.num_torn, f"{counted(self.num_torn, 'unfinished last line')} left out"),
            (
                self.num_dropped,
                f"{counted(self.num_dropped, 'run')} that the sweep no longer asks for left out",
            ),
            (self.num_others, f"{counted(self.num_others, 'run')} with other settings left out"),
            (len(self.folders), f"folders inside that were not named, not read: {names}"),
            (len(self.apart), apart),
        )
        return [line for number, line in lines if number]


def read_inputs(paths: Iterable[str | os.PathLike[str]], where: Mapping[str, str] | None = None) -> Inputs:
    """The records of files of JSON lines and of folders of them.

    A run is known by its settings, its graph and whether a search chose them; of records of one run the first
    counts. Of a sweep on a grid those runs count that its file asks for: it may have changed since the first
    of them; of a search that went on, those with the settings that it found last. Where a model was run with
    several chosen settings in one cell and seed, these are kept apart.

    Args:
        paths: files, or folders: a folder stands for the files in it; one without any, for those of its
            sub-folders.
        where: settings, as text, that runs must have to count, where they have them at all.

    Raises:
        ExperimentError: a path that does not exist or holds no records, a line that is no record, two
            graphs by one name, a score without learning with different settings.

    Example:
        >>> read_inputs(["nowhere.jsonl"])
        Traceback (most recent call last):
        supra_experiments.errors.ExperimentError: nowhere.jsonl: no such file or folder
    """
    found = Inputs()
    found.files, found.folders = find_files(paths)
    kept: dict[Known, RunRecord] = {}
    origins: dict[Known, Path] = {}
    for path in found.files:
        records, torn = read_record_file(path)
        wanted = _asked_for(records, path)
        found.num_torn += torn
        found.num_dropped += len(records) - len(wanted)
        for record in wanted:
            if not _has(record, where or {}):
                found.num_others += 1
                continue
            first = kept.setdefault(known_by(record), record)
            if first is record:
                origins[known_by(record)] = path
            else:
                found.num_duplicates += 1
                found.num_different += _figures(first) != _figures(record)
    if not kept:
        raise ExperimentError(f"{', '.join(map(str, found.files))}: no run records")
    _check_graphs(kept.values(), origins)
    _check_scores(kept.values(), origins)
    records = _as_found_last(kept.values())
    found.num_dropped += len(kept) - len(records)
    found.apart = _apart(records)
    found.records = {key_of(record): record for record in records}
    return found


def read_encoding_times(path: Path) -> pd.DataFrame:
    """The rounds of a file of ``supra bench encodings``: one row for each dataset, encoding and round.

    A round stands in place of a seed: all encodings took their turn in each, so that rounds are pairs as
    seeds are. What costs was measured apart from the runs.
    """
    try:
        records = json.loads(path.read_text(encoding="utf-8"))["records"]
        rows = [
            (record["dataset"], "", "", record["pe"], turn, float(seconds))
            for record in records
            for turn, seconds in enumerate(record["seconds"])
        ]
    except OSError as error:
        raise ExperimentError(f"{path}: cannot be read ({error.strerror or error})") from None
    except (ValueError, KeyError, TypeError):
        raise ExperimentError(f"{path}: must be a file of `supra bench encodings`") from None
    if not rows:
        raise ExperimentError(f"{path}: no measurements of `supra bench encodings`")
    return pd.DataFrame(rows, columns=[*KEYS, "seed", "encoding_seconds"])


def find_files(paths: Iterable[str | os.PathLike[str]]) -> tuple[list[Path], list[Path]]:
    """The files that paths stand for, each once, and the folders of records inside that are left out."""
    found: dict[Path, Path] = {}
    left_out: list[Path] = []
    for given in map(Path, paths):
        if given.is_dir():
            inside, deeper = _in_folder(given)
            if not inside:
                raise ExperimentError(f"{given}: no {' or '.join(SUFFIXES)} file in this folder")
            left_out += deeper
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
    read = {path.parent for path in found}
    return list(found.values()), [folder for folder in left_out if folder.resolve() not in read]


def _in_folder(folder: Path) -> tuple[list[Path], list[Path]]:
    """The files of a folder, or without any those of its sub-folders; and sub-folders that are left out."""
    entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    files = [path for path in entries if path.name.endswith(SUFFIXES) and path.is_file()]
    if any(path.name == RECORDS for path in files):  # what a sweep keeps beside its records is none of them
        files = [path for path in files if path.name not in (FAILURES, SEARCH)]
    below = [(path, *_in_folder(path)) for path in entries if path.is_dir()]
    if files:
        return files, [path for path, inside, _ in below if inside]
    return [file for _, inside, _ in below for file in inside], [path for *_, out in below for path in out]


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


def _as_found_last(records: Iterable[RunRecord]) -> list[RunRecord]:
    """All but those of searches that went on and then found other settings in that cell."""
    records = list(records)
    last: dict[tuple[str, ...], dict[int, set[str]]] = {}  # the settings found, by cell and number of trials
    places = [(*cell_of(each).values(), each.config.replace(seed=0).identity) for each in records]
    for record, (*cell, settings) in zip(records, places, strict=True):
        if record.searched is not None:
            found = last.setdefault(tuple(cell), {})
            found.setdefault(record.searched.num_trials, set()).add(settings)
    return [
        record
        for record, (*cell, settings) in zip(records, places, strict=True)
        if record.searched is None or settings in max(last[tuple(cell)].items())[1]
    ]


def _has(record: RunRecord, where: Mapping[str, str]) -> bool:
    """Whether a run has these settings, where they matter to it."""
    settings = _settings(record)
    learned = record.config.model.is_learned
    applies = {name: value for name, value in where.items() if learned or name in settings}
    return all(str(settings.get(name)) == value for name, value in applies.items())


def _settings(record: RunRecord) -> dict[str, Any]:
    """The settings that a run depends on; a score without learning knows nothing of those of models."""
    if record.config.model.is_learned:
        return record.config.to_dict()
    settings = record.config.data.values()
    return {name: value for name, value in settings.items() if name not in ("features", "random_channels")}


def _check_graphs(records: Iterable[RunRecord], origins: Mapping[Known, Path]) -> None:
    """Refuse two graphs by one name, and say which files they are in."""
    first: dict[tuple[Any, ...], RunRecord] = {}
    for record in records:
        name = record.config.data.dataset, *record.config.data.binning.values()
        other = first.setdefault(name, record)
        if other.graph_digest != record.graph_digest:
            files = _both(other, record, origins)
            choice = "give records of one graph" if len(files) == 1 else "give one of these files, not both"
            raise ExperimentError(
                f"{name[0]}: records of two different graphs go by this name, in "
                f"{' and '.join(files)}; {choice}"
            )


def _check_scores(records: Iterable[RunRecord], origins: Mapping[Known, Path]) -> None:
    """Refuse two settings of one score without learning: by which of them would models be measured?"""
    first: dict[tuple[str, str], RunRecord] = {}
    for record in (each for each in records if not each.config.model.is_learned):
        dataset, score = record.config.data.dataset, record.config.model.name
        other = first.setdefault((dataset, score), record)
        if names := _differing(other, record):
            one, two = _settings(other), _settings(record)
            differ = ", ".join(f"{name} {one.get(name)} and {two.get(name)}" for name in names)
            raise ExperimentError(
                f"{dataset} {score}: two runs with different settings ({differ}), in "
                f"{' and '.join(_both(other, record, origins))}; give the files of one, or choose with "
                f"--where {names[0]}={two.get(names[0])}"
            )


def _apart(records: Iterable[RunRecord]) -> dict[str, str]:
    """By run, the settings that tell those of one cell and seed from each other, for all of that model.

    Runs at default settings, at chosen ones and after a search have columns of their own, so that they need
    no names for that.
    """
    models: dict[tuple[str, str, str], list[RunRecord]] = {}
    names: dict[tuple[str, str, str], dict[str, None]] = {}
    first: dict[tuple[object, ...], RunRecord] = {}
    for record in (each for each in records if each.config.model.is_learned):
        cell = cell_of(record)
        model = cell["dataset"], cell["model"], settings_of(record)
        models.setdefault(model, []).append(record)
        other = first.setdefault((*cell.values(), model[-1], record.config.training.seed), record)
        names.setdefault(model, {}).update(dict.fromkeys(_differing(other, record)))
    return {
        key_of(record): ", ".join(f"{name} {_settings(record).get(name)}" for name in names[model])
        for model, those in models.items()
        for record in those
        if names[model]
    }


def _differing(one: RunRecord, two: RunRecord) -> list[str]:
    """Settings in which two runs differ, but for what names a run."""
    first, second = _settings(one), _settings(two)
    return [name for name in {**first, **second} if name not in NAMED and first.get(name) != second.get(name)]


def _both(one: RunRecord, two: RunRecord, origins: Mapping[Known, Path]) -> list[str]:
    """The files that two runs came from; one, if they came from the same."""
    return list(dict.fromkeys(str(origins[known_by(record)]) for record in (one, two)))


def _figures(record: RunRecord) -> dict[str, object]:
    values = record.to_dict()
    return {name: values[name] for name in ("test", "best_epoch", "diverged")}
