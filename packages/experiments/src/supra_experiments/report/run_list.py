"""Every run with its settings and versions; what runs share is kept once, which keeps the page small."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from supra_experiments.report.facts import common_settings, version_sets
from supra_experiments.report.study import Study
from supra_experiments.report.table import Column, Row, Table
from supra_experiments.training.record import RunRecord

_COLUMNS = (
    Column("run", help="opens its settings and versions"),
    Column("dataset"),
    Column("model"),
    Column("features"),
    Column("encoding"),
    Column("seed", number=True),
    Column("AUC", number=True),
    Column("AP", number=True),
    Column("epoch", number=True, help="the one that was chosen"),
    Column("epochs", number=True),
    Column("encoding s", number=True),
    Column("training s", number=True, digits=1),
)


@dataclass(frozen=True, slots=True)
class RunList:
    """The runs of a page.

    Attributes:
        table: one row a run.
        common: settings that every run shares.
        versions: the sets of versions and how many runs had each.
        data: for each run its own settings, outcome, encoding and the index of its versions, as plain
            values; the names of outcomes stand apart.
    """

    table: Table
    common: Mapping[str, Any]
    versions: Sequence[tuple[Mapping[str, str], int]]
    data: Mapping[str, Any]

    def json(self) -> str:
        """The data as JSON that may stand inside an HTML ``script`` element."""
        text = json.dumps(self.data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
        # Whatever a dataset is called, no `</script>` or `<!--` can come about.
        return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def run_list(study: Study) -> RunList:
    """The list of the runs of a study."""
    records = study.inputs.records
    common = common_settings(study.settings)
    versions = version_sets(records)
    places = {json.dumps(names): place for place, (names, _) in enumerate(versions)}
    outcomes = [_outcome(record) for record in records]
    names = list(dict.fromkeys(name for outcome in outcomes for name in outcome))
    data = {
        "common": common,
        "versions": [names for names, _ in versions],
        "names": names,
        "runs": [
            {
                "settings": {name: value for name, value in settings.items() if name not in common},
                "outcome": [outcome.get(name) for name in names],
                "encoding": _rounded(record.encoding),
                "versions": places[json.dumps(dict(sorted(record.versions.items())))],
            }
            for record, settings, outcome in zip(records, study.settings, outcomes, strict=True)
        ],
    }
    rows = tuple(_row(run) for run in study.runs.to_dict("records"))
    return RunList(Table("runs-table", "Every run", _COLUMNS, rows), common, versions, data)


def _outcome(record: RunRecord) -> dict[str, Any]:
    kinds = {f"AUC, {kind} negatives": part.auc for kind, part in record.by_negatives.items()}
    values: dict[str, Any] = {
        "AUC": record.test.auc,
        "AP": record.test.ap,
        "AUC, new links": record.test_new.auc,
        **kinds,
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
    }
    for name in ("AUC", "AP", "AUC, new links", *kinds):
        values[name] = 100 * values[name]
    return _rounded(values)


def _rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values of four digits, which is more than anything here is known to."""
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}") if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return json.dumps(value, default=str)


def _row(run: Mapping[Any, Any]) -> Row:
    learned = run["features"] != ""
    keys = {"dataset": run["dataset"], "model": run["model"]}
    if learned:
        keys |= {"features": run["features"], "pe": run["pe"]}
    pe = run["pe"] if learned else ""
    name = " ".join(filter(None, (run["model"], run["features"], pe)))
    return Row(
        (
            run["digest"][:8],
            run["dataset"],
            run["model"],
            run["features"],
            pe,
            int(run["seed"]),
            float(run["auc"]),
            float(run["ap"]),
            int(run["best_epoch"]) if learned else None,
            int(run["num_epochs"]) if learned else None,
            float(run["encoding_seconds"]) if learned else None,
            float(run["training_seconds"]) if learned else None,
        ),
        keys,
        learned,
        label=f"{name} on {run['dataset']}, seed {run['seed']}",
    )
