"""Every run with its settings, outcome and versions; what runs share is kept once."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from supra_experiments.analysis.frame import NAMED, is_learned
from supra_experiments.report.columns import columns
from supra_experiments.report.study import Study
from supra_experiments.report.table import TEXT, WORD, Column, Table
from supra_experiments.training.record import RunRecord, Searched
from supra_experiments.words import counted

_FIELDS = (
    *("short", "dataset", "model", "features", "pe", "seed", "auc", "ap", "best_epoch", "num_epochs"),
    *("encoding_seconds", "training_seconds"),
)


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of a report and how they were made.

    Attributes:
        table: one row a run, which opens its details by its digest.
        common: settings that every run shares, but for what names a run.
        common_of_models: the same of runs that learned something, but for those of searches beside others.
        by_model: for each setting that they do not share, the values that each model had.
        versions: the sets of versions and how many runs had each, the most frequent first.
        names: of what an outcome tells.
        details: by digest, a run's own settings, its outcome in the order of the names, its encoding and the
            index of its versions.
    """

    table: Table
    common: Mapping[str, Any]
    common_of_models: Mapping[str, Any]
    by_model: Table
    versions: Sequence[tuple[Mapping[str, str], int]]
    names: Sequence[str]
    details: Mapping[str, Mapping[str, Any]]

    def tables(self) -> list[Table]:
        """Both tables."""
        return [self.by_model, self.table]

    def json(self) -> str:
        """The details, and what they share, as JSON that may stand inside an HTML ``script`` element."""
        versions = [names for names, _ in self.versions]
        data = {"common": self.common, "versions": versions, "names": self.names, "runs": self.details}
        text = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
        # Whatever a dataset is called, no `</script>` or `<!--` can come about.
        return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def runs_of(study: Study) -> Runs:
    """The runs of a study."""
    records = study.inputs.records
    settings = {digest: record.config.to_dict() for digest, record in records.items()}
    common = common_settings(list(settings.values()))
    learned = [record for record in records.values() if record.config.model.is_learned]
    # What a search found is different in each cell; a run's own settings tell it.
    shown = [record for record in learned if record.searched is None] or learned
    of_models = [record.config.to_dict() for record in shown]
    versions = Counter(_versions(record) for record in records.values()).most_common()
    places = {names: place for place, (names, _) in enumerate(versions)}
    outcomes = {digest: _plain(_outcome(record)) for digest, record in records.items()}
    outcome_names = list(dict.fromkeys(name for outcome in outcomes.values() for name in outcome))
    details = {
        digest: {
            "settings": {name: value for name, value in settings[digest].items() if name not in common},
            "outcome": [outcomes[digest].get(name) for name in outcome_names],
            "encoding": _plain(record.encoding),
            "versions": places[_versions(record)],
        }
        for digest, record in records.items()
    }
    return Runs(
        _table(study.all_runs),
        common,
        common_settings(of_models),
        _by_model(of_models),
        [(dict(names), number) for names, number in versions],
        outcome_names,
        details,
    )


def common_settings(settings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all of several settings have in common, but for what names a run.

    Example:
        >>> common_settings([{"seed": 0, "lr": 0.1, "k": 8}, {"seed": 1, "lr": 0.2, "k": 8}])
        {'k': 8}
    """
    first = settings[0] if settings else {}
    return {
        name: value
        for name, value in first.items()
        if name not in NAMED and all(name in other and other[name] == value for other in settings)
    }


def _by_model(settings: Sequence[Mapping[str, Any]]) -> Table:
    known = {*NAMED, *common_settings(settings)}
    names = [name for name in dict.fromkeys(name for each in settings for name in each) if name not in known]
    models = list(dict.fromkeys(str(each["model"]) for each in settings))
    rows = []
    for name in names:
        row = {"setting": name}
        for model in models:
            values = [str(each.get(name, "–")) for each in settings if each["model"] == model]
            row[f"of {model}"] = ", ".join(dict.fromkeys(values))
        rows.append(row)
    shown = (Column("setting", "setting", WORD), *(Column(name, f"of {name}", TEXT) for name in models))
    frame = pd.DataFrame(rows, columns=[column.field for column in shown])
    return Table("settings", "Settings that differ", shown, frame)


def _table(runs: pd.DataFrame) -> Table:
    learned = is_learned(runs)
    of_learning = ["best_epoch", "num_epochs", "encoding_seconds", "training_seconds"]
    shown = runs.assign(
        short=runs["digest"].str[:8],
        shown_pe=runs["pe"].where(learned, ""),
        **{name: runs[name].where(learned) for name in of_learning},
    )
    names = shown[["model", "features", "shown_pe"]].apply(lambda row: " ".join(filter(None, row)), axis=1)
    words = names + " on " + runs["dataset"] + ", seed " + runs["seed"].astype(str)
    several = runs.loc[learned, "settings"].nunique() > 1
    fields = [*_FIELDS[:6], *["settings"] * several, *_FIELDS[6:]]
    shown_columns = columns(*fields, pe={"field": "shown_pe", "instead": ""}, auc={"spread": ""})
    return Table("runs-table", "Every run", shown_columns, shown.assign(words=words), opens="digest")


def _versions(record: RunRecord) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(record.versions.items()))


def _outcome(record: RunRecord) -> dict[str, Any]:
    return {
        "AUC": 100 * record.test.auc,
        "AP": 100 * record.test.ap,
        "AUC, new links": 100 * record.test_new.auc,
        **{f"AUC, {kind} negatives": 100 * part.auc for kind, part in record.by_negatives.items()},
        "AUC by snapshot": " ".join(f"{100 * part.auc:.2f}" for part in record.per_snapshot),
        "epoch chosen by": record.selection,
        "epoch": record.best_epoch,
        "epochs": len(record.history),
        "parameters": record.num_parameters,
        "diverged": record.diverged,
        "seconds encoding": record.timings.encoding,
        "seconds training": record.timings.training,
        "peak memory, MiB": None if record.peak_memory is None else round(record.peak_memory / 2**20),
        "graph": record.graph_digest[:16],
        "machine": record.machine or None,
        **({} if record.searched is None else {"settings found by": _search(record.searched)}),
    }


def _search(found: Searched) -> str:
    if found.carried_from is not None:
        return f"the search on {found.carried_from} by {found.criterion}"
    return f"a search by {found.criterion} with {counted(found.num_trials, 'trial')}"


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values; floats of four digits, which is more than anything here is known to."""

    def plain(value: Any) -> Any:
        if isinstance(value, float):
            return float(f"{value:.4g}") if math.isfinite(value) else None
        as_it_is = value is None or isinstance(value, (bool, int, str))
        return value if as_it_is else json.dumps(value, default=str)

    return {name: plain(value) for name, value in values.items()}
