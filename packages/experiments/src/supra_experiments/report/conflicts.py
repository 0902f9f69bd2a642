"""Records that are of one name and not of one run: refused, left out, or kept apart by their settings."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from supra_experiments.analysis.frame import NAMED, cell_of, key_of, settings_of
from supra_experiments.errors import ExperimentError
from supra_experiments.training.record import RunRecord

Origin = tuple[RunRecord, Path]
"""A record and the file that it is from."""


def settings_that_matter(record: RunRecord) -> dict[str, Any]:
    """The settings that a run depends on; a score without learning knows nothing of those of models."""
    if record.config.model.is_learned:
        return record.config.to_dict()
    settings = record.config.data.values()
    return {name: value for name, value in settings.items() if name not in ("features", "random_channels")}


def refuse_two_graphs(origins: Iterable[Origin]) -> None:
    """Refuse two graphs by one name, and say which files they are in."""
    first: dict[tuple[Any, ...], Origin] = {}
    for record, path in origins:
        name = record.config.data.dataset, *record.config.data.binning.values()
        other, there = first.setdefault(name, (record, path))
        if other.graph_digest != record.graph_digest:
            files = list(dict.fromkeys(map(str, (there, path))))
            choice = "give records of one graph" if len(files) == 1 else "give one of these files, not both"
            raise ExperimentError(
                f"{name[0]}: records of two different graphs go by this name, in "
                f"{' and '.join(files)}; {choice}"
            )


def refuse_two_scores(origins: Iterable[Origin]) -> None:
    """Refuse two settings of one score without learning: by which of them would models be measured?"""
    first: dict[tuple[str, str], Origin] = {}
    for record, path in origins:
        if record.config.model.is_learned:
            continue
        dataset, score = record.config.data.dataset, record.config.model.name
        other, there = first.setdefault((dataset, score), (record, path))
        if names := _differing(other, record):
            one, two = settings_that_matter(other), settings_that_matter(record)
            files = " and ".join(dict.fromkeys(map(str, (there, path))))
            differ = ", ".join(f"{name} {one.get(name)} and {two.get(name)}" for name in names)
            raise ExperimentError(
                f"{dataset} {score}: two runs with different settings ({differ}), in {files}; give the files "
                f"of one, or choose with --where {names[0]}={two.get(names[0])}"
            )


def found_last(records: list[RunRecord]) -> list[RunRecord]:
    """All but those of searches that went on and then found other settings in that cell."""
    trials: dict[tuple[str, ...], int] = {}
    for record in records:
        cell = tuple(cell_of(record).values())
        trials[cell] = max(trials.get(cell, 0), _num_trials(record))
    kept = {
        _setting(record)
        for record in records
        if _num_trials(record) and _num_trials(record) == trials[tuple(cell_of(record).values())]
    }
    return [record for record in records if not _num_trials(record) or _setting(record) in kept]


def _num_trials(record: RunRecord) -> int:
    return 0 if record.searched is None else record.searched.num_trials


def _setting(record: RunRecord) -> tuple[str, ...]:
    """The cell and the settings that seeds share."""
    return *cell_of(record).values(), record.config.replace(seed=0).identity


def names_apart(records: Iterable[RunRecord]) -> dict[str, str]:
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
        key_of(record): ", ".join(f"{name} {settings_that_matter(record).get(name)}" for name in names[model])
        for model, those in models.items()
        for record in those
        if names[model]
    }


def _differing(one: RunRecord, two: RunRecord) -> list[str]:
    """Settings in which two runs differ, but for what names a run."""
    first, second = settings_that_matter(one), settings_that_matter(two)
    return [name for name in {**first, **second} if name not in NAMED and first.get(name) != second.get(name)]
