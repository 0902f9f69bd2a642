"""What a report says, once: its sections, in the order to read them, for whatever format."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from supra_experiments import __version__
from supra_experiments.analysis.agreement import MARGIN, agreement
from supra_experiments.analysis.frame import DATASETS, FEATURES, MODELS, VARIANTS, is_learned, ordered
from supra_experiments.report import study_tables as tables
from supra_experiments.report.figures import Drawn
from supra_experiments.report.findings import Finding, Verdict, findings, verdicts
from supra_experiments.report.settings import Runs, runs_of
from supra_experiments.report.study import Study
from supra_experiments.report.table import Table
from supra_experiments.words import counted, label


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report.

    Attributes:
        name: its anchor.
        title: its heading.
        text: a paragraph on how to read it.
        findings, verdicts, figures, tables: what it shows.
        folded: tables that are folded away at first.
        items: a list.
        runs: every run and its settings.
    """

    name: str
    title: str
    text: str = ""
    findings: Sequence[Finding] = ()
    verdicts: Sequence[Verdict] = ()
    figures: Sequence[Drawn] = ()
    tables: Sequence[Table] = ()
    folded: Sequence[Table] = ()
    items: Sequence[str] = ()
    runs: Runs | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show but words on how to read it."""
        shown = (self.findings, self.verdicts, self.figures, self.tables, self.folded, self.items, self.runs)
        return not any(shown)


@dataclass(frozen=True, slots=True)
class Card:
    """A number that sums something up."""

    value: str
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """All that a report says.

    Attributes:
        title, summary: the top.
        cards: numbers below it; those that cannot be told are left out.
        sections: one after another, none of them empty.
        filters: the keys that occur, for each kind of key.
        footer: the last line.
    """

    title: str
    summary: str
    cards: tuple[Card, ...]
    sections: tuple[Section, ...]
    filters: dict[str, list[str]]
    footer: str

    def tables(self) -> list[Table]:
        """Every table, in the order of the sections."""
        return [table for section in self.sections for table in (*section.tables, *section.folded)]


def report_of(study: Study, figures: Sequence[Drawn] = ()) -> Report:
    """The report of a study, with the figures that were drawn of it."""
    learned = study.runs[is_learned(study.runs)]
    return Report(
        "Positional encodings for temporal GNNs: what the runs say",
        _summary(study),
        _cards(study),
        tuple(section for section in _sections(study, figures) if not section.is_empty),
        {
            "dataset": ordered(study.runs["dataset"], DATASETS),
            "model": ordered(learned["model"], MODELS),
            "features": ordered(learned["features"], FEATURES),
            "pe": ordered(learned["pe"], VARIANTS),
        },
        f"Made by supra-experiments {__version__} from {counted(len(study.runs), 'run record')}.",
    )


def _sections(study: Study, figures: Sequence[Drawn]) -> Iterator[Section]:
    def drawn(*starts: str) -> list[Drawn]:
        return [figure for figure in figures if figure.name.startswith(starts)]

    yield Section("findings", "Findings", findings=findings(study))
    yield Section(
        "claims",
        "The paper's claims, tested",
        "Differences are in AUC points. Each setting of dataset, model and features counts once; the p "
        "beside a verdict is adjusted for the number of claims (Holm).",
        verdicts=verdicts(study),
        figures=drawn("ranks"),
        tables=_filled([tables.ranking_table(study.learned)]),
        folded=_filled([tables.claims_table(study.claims)]),
    )
    yield Section(
        "results",
        "Beside the paper",
        figures=drawn("agreement"),
        tables=_filled(
            [
                tables.agreement_table(study.compared),
                tables.furthest_table(study),
                tables.beside_table(study),
            ]
        ),
    )
    yield Section(
        "counting",
        "Learning against counting",
        "Scores without learning: edgebank (seen before), degree (product of degrees), count (how often, "
        "recent ones more), neighbours (count and common neighbours). Uniform negatives, the published "
        "ones, are easy; active and historical ones are harder.",
        tables=_filled([tables.learning_table(study.cells), tables.negatives_table(study.cells)]),
        folded=_filled(
            [tables.claims_table(study.counting_claims, "counting", "Learning against counting, tested")]
        ),
    )
    derived = _filled(tables.derived_tables(study))
    others = _filled(tables.other_tables(study))
    open_ones = [*derived[:3], *others[:3]] if not derived else derived[:3]
    yield Section(
        "averages",
        "What encodings bring",
        figures=drawn("auc_"),
        tables=open_ones,
        folded=[table for table in (*derived, *others) if table not in open_ones],
    )
    yield Section(
        "cost",
        "What encodings cost",
        figures=drawn("cost", "solver_time"),
        tables=_filled(tables.cost_tables(study)),
    )
    yield Section("smooth", "How encodings work", figures=drawn("smoothness", "matrices"))
    yield Section("tables", "Every cell", folded=_filled(tables.auc_tables(study)))
    missing, total = len(study.missing), len(study.paper)
    yield Section(
        "missing",
        "What was not run",
        f"{missing} of the paper's {total} cells have no run here." if missing else "",
        items=_not_run(study) or [f"Nothing: all {total} cells of the paper have runs."],
    )
    yield Section("runs", "Runs and their settings", _sources(study), runs=runs_of(study))


def _filled(tables: Iterable[Table]) -> list[Table]:
    """Tables that have something to show."""
    return [table for table in tables if len(table)]


def _summary(study: Study) -> str:
    """A sentence or two on top."""
    datasets = ", ".join(map(label, ordered(study.cells["dataset"], DATASETS)))
    if study.learned.empty:
        return (
            f"{counted(len(study.unlearned), 'score')} without learning on {datasets}; no model was trained."
        )
    seeds = []
    measured = study.learned[study.learned["num_runs"] > 0]
    for dataset in ordered(measured["dataset"], DATASETS):
        counts = measured.loc[measured["dataset"] == dataset, "num_runs"]
        low, high = int(counts.min()), int(counts.max())
        seeds.append(f"{label(dataset)} {low}" if low == high else f"{label(dataset)} {low} to {high}")
    return (
        f"{counted(len(study.runs), 'run')} on {datasets}; runs a cell: {', '.join(seeds)}. Figures are AUC "
        "of links in the test snapshots, in percent. Scores that need no learning stand beside every model."
    )


def _cards(study: Study) -> tuple[Card, ...]:
    shown = [
        Card(f"{len(study.runs):,}", "runs, each with its settings and versions"),
        Card(f"{len(study.compared)} of {len(study.paper)}", "cells of the paper were run here"),
    ]
    if len(study.compared):
        share = agreement(study.compared)["share"].iloc[0]
        median = study.compared["difference"].abs().median()
        shown.append(
            Card(f"{share:.0f} %", f"of them are at most {MARGIN:g} points below the paper, or better")
        )
        shown.append(Card(f"{median:.2f}", "points of AUC between ours and the paper's, the median cell"))
    return tuple(shown)


def _sources(study: Study) -> str:
    """Where the runs came from, where they were made, what was left out."""
    files = ", ".join(path.name for path in study.inputs.files)
    lines = [f"{counted(len(study.runs), 'run')} from {files}"]
    if study.origin.strip():
        lines.append(f"Run on {' '.join(study.origin.split()).rstrip('.')}")
    return ". ".join([*lines, *(line[:1].upper() + line[1:] for line in study.inputs.remarks())]) + "."


def _not_run(study: Study) -> list[str]:
    """The paper's cells without a run, in as few words as they take: a line a dataset."""
    lines = []
    for dataset, missing in study.missing.groupby("dataset", sort=False):
        total = int((study.paper["dataset"] == dataset).sum())
        models = [
            _missing_of(label(model), missing[missing["model"] == model])
            for model in ordered(missing["model"], MODELS)
        ]
        what = "all" if len(missing) == total else "; ".join(models)
        lines.append(f"{label(str(dataset))} ({len(missing)} of {total}): {what}")
    return lines


def _missing_of(model: str, cells: pd.DataFrame) -> str:
    """``HTGN all``, or ``HTGN random (all), zeros (LPE-T, SLPE-T)``."""
    parts = {}
    for features in ordered(cells["features"], FEATURES):
        pes = cells.loc[cells["features"] == features, "pe"]
        parts[features] = "all" if len(pes) == len(VARIANTS) else ", ".join(map(label, pes))
    if len(parts) == len(FEATURES) and len(set(parts.values())) == 1:
        what = next(iter(parts.values()))
        return f"{model} all" if what == "all" else f"{model} {what} with all features"
    return f"{model} " + ", ".join(f"{features} ({what})" for features, what in parts.items())
