"""What a report is made from: run records of files and folders, each run once, and times of encodings."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from supra_experiments.analysis.frame import KEYS, key_of, known_by
from supra_experiments.errors import ExperimentError
from supra_experiments.report.conflicts import (
    Origin,
    found_last,
    names_apart,
    refuse_two_graphs,
    refuse_two_scores,
    settings_that_matter,
)
from supra_experiments.report.files import find_files
from supra_experiments.sweep.journal import RECORDS, SPEC
from supra_experiments.sweep.spec import SweepSpec
from supra_experiments.training.record import RunRecord, read_record_file
from supra_experiments.words import counted


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
    kept: dict[tuple[object, ...], Origin] = {}
    for path in found.files:
        records, torn = read_record_file(path)
        wanted = _asked_for(records, path)
        found.num_torn += torn
        found.num_dropped += len(records) - len(wanted)
        for record in wanted:
            if not _has(record, where or {}):
                found.num_others += 1
                continue
            first, _ = kept.setdefault(known_by(record), (record, path))
            if first is not record:
                found.num_duplicates += 1
                found.num_different += _figures(first) != _figures(record)
    if not kept:
        raise ExperimentError(f"{', '.join(map(str, found.files))}: no run records")
    refuse_two_graphs(kept.values())
    refuse_two_scores(kept.values())
    records = found_last([record for record, _ in kept.values()])
    found.num_dropped += len(kept) - len(records)
    found.apart = names_apart(records)
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


def _has(record: RunRecord, where: Mapping[str, str]) -> bool:
    """Whether a run has these settings, where they matter to it."""
    settings = settings_that_matter(record)
    learned = record.config.model.is_learned
    applies = {name: value for name, value in where.items() if learned or name in settings}
    return all(str(settings.get(name)) == value for name, value in applies.items())


def _figures(record: RunRecord) -> dict[str, object]:
    values = record.to_dict()
    return {name: values[name] for name in ("test", "best_epoch", "diverged")}
