"""What belongs to a report beside its figures: what was not run, with which settings, on what."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from supra_experiments.analysis.frame import DATASETS, FEATURES, MODELS, VARIANTS
from supra_experiments.analysis.table import label
from supra_experiments.report.study import Study
from supra_experiments.training.record import RunRecord

NAMED = ("dataset", "model", "features", "pe", "seed")
"""Settings that say which run it is, not how it was made."""


def ordered(values: Iterable[str], first: Iterable[str]) -> list[str]:
    """The distinct values, those that are known in their order, others after them.

    Example:
        >>> ordered(["b", "x", "a", "b"], ["a", "b", "c"])
        ['a', 'b', 'x']
    """
    found = list(dict.fromkeys(values))
    known = [name for name in first if name in found]
    return known + [name for name in found if name not in known]


def not_run(study: Study) -> list[str]:
    """The paper's cells without a run, in as few words as they take: a line a dataset."""
    lines = []
    for dataset in DATASETS:
        missing = study.missing[study.missing["dataset"] == dataset]
        if len(missing):
            total = int((study.paper["dataset"] == dataset).sum())
            cells: dict[str, dict[str, list[str]]] = {}
            for row in missing.to_dict("records"):
                cells.setdefault(row["model"], {}).setdefault(row["features"], []).append(row["pe"])
            what = (
                "all"
                if len(missing) == total
                else "; ".join(_by_features(cells, model) for model in MODELS if model in cells)
            )
            lines.append(f"{label(dataset)} ({len(missing)} of {total}): {what}")
    return lines


def _by_features(cells: Mapping[str, Mapping[str, Sequence[str]]], model: str) -> str:
    """``HTGN all``, or ``HTGN random (all), zeros (LPE-T, SLPE-T)``."""
    parts = {}
    for features in FEATURES:
        found = cells[model].get(features, ())
        if found:
            parts[features] = "all" if len(found) == len(VARIANTS) else ", ".join(map(label, found))
    if list(parts.values()) == ["all"] * len(FEATURES):
        return f"{label(model)} all"
    if len(parts) == len(FEATURES) and len(set(parts.values())) == 1:
        return f"{label(model)} {next(iter(parts.values()))} with all features"
    return f"{label(model)} " + ", ".join(f"{features} ({found})" for features, found in parts.items())


def seeds_text(study: Study) -> str:
    """How many runs the cells of each dataset have."""
    parts = []
    learned = study.learned[study.learned["num_runs"] > 0]
    for dataset in ordered(learned["dataset"], DATASETS):
        counts = learned.loc[learned["dataset"] == dataset, "num_runs"]
        low, high = int(counts.min()), int(counts.max())
        span = f"{low}" if low == high else f"{low} to {high}"
        parts.append(f"{label(dataset)} {span}")
    return ", ".join(parts)


def common_settings(settings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all of several settings have in common, but for what names a run.

    Example:
        >>> common_settings([{"seed": 0, "lr": 0.1, "k": 8}, {"seed": 1, "lr": 0.2, "k": 8}])
        {'k': 8}
    """
    return {
        name: value
        for name, value in settings[0].items()
        if name not in NAMED and all(name in other and other[name] == value for other in settings)
    }


def settings_by_model(settings: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, list[str]]]:
    """For each setting that is not the same everywhere, the values that each model had.

    Example:
        >>> settings_by_model([{"model": "htgn", "lr": 0.1}, {"model": "slate", "lr": 0.2}])
        {'lr': {'htgn': ['0.1'], 'slate': ['0.2']}}
    """
    known = {*NAMED, *common_settings(settings)}
    names = [name for name in dict.fromkeys(name for each in settings for name in each) if name not in known]
    found: dict[str, dict[str, list[str]]] = {name: {} for name in names}
    for each in settings:
        for name in names:
            values = found[name].setdefault(str(each["model"]), [])
            text = str(each[name]) if name in each else "–"
            if text not in values:
                values.append(text)
    return found


def version_sets(records: Sequence[RunRecord]) -> list[tuple[dict[str, str], int]]:
    """The sets of versions, and how many runs had each, the most frequent first."""
    counts = Counter(tuple(sorted(record.versions.items())) for record in records)
    return [(dict(names), number) for names, number in counts.most_common()]
