"""What a report says, once: its sections, in the order to read them, for whatever format."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from supra_experiments import __version__
from supra_experiments.analysis.frame import DATASETS, FEATURES, MODELS, VARIANTS, is_learned, ordered
from supra_experiments.config.model import LEARNED_SCORES
from supra_experiments.report import findings, tables
from supra_experiments.report.derived import derived_tables
from supra_experiments.report.figures import Drawn
from supra_experiments.report.runs import Runs, runs_of
from supra_experiments.report.study import Study
from supra_experiments.report.table import Table
from supra_experiments.words import capital, counted, label, listed


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report.

    Attributes:
        name: its anchor.
        title: its heading.
        text: what it finds, or how to read it.
        notes: Markdown by a person.
        figures, tables: what it shows.
        folded: tables that are folded away at first.
        missing: a sentence on what was not run, and a list of it.
        runs: every run and its settings.
    """

    name: str
    title: str
    text: str = ""
    notes: str = ""
    figures: Sequence[Drawn] = ()
    tables: Sequence[Table] = ()
    folded: Sequence[Table] = ()
    missing: Sequence[str] = ()
    runs: Runs | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show but words on how to read it."""
        return not any((self.notes, self.figures, self.tables, self.folded, self.missing, self.runs))


@dataclass(frozen=True, slots=True)
class Report:
    """All that a report says.

    Attributes:
        question, answer: the top, a sentence each.
        summary: what was run.
        sections: one after another, none of them empty; the first one stands behind the answer.
        filters: for each kind of key those that occur, where there are several.
        footer: the last line.
    """

    question: str
    answer: str
    summary: str
    sections: tuple[Section, ...]
    filters: dict[str, list[str]]
    footer: str

    def tables(self) -> list[Table]:
        """Every table, in the order of the sections."""
        return [table for section in self.sections for table in (*section.tables, *section.folded)]


def report_of(study: Study, figures: Sequence[Drawn] = (), notes: str = "") -> Report:
    """The report of a study, with the figures that were drawn of it and the notes of a person."""
    learned = study.all_runs[is_learned(study.all_runs)]
    keys = {
        "dataset": ordered(study.all_runs["dataset"], DATASETS),
        "model": ordered(learned["model"], MODELS),
        "features": ordered(set(learned["features"]) - {""}, FEATURES),
        "pe": ordered(learned["pe"], VARIANTS),
    }
    return Report(
        findings.question(study),
        findings.answer(study),
        _summary(study),
        tuple(section for section in _sections(study, figures, notes) if not section.is_empty),
        {name: values for name, values in keys.items() if len(values) > 1},
        f"Made by supra-experiments {__version__} from {counted(len(study.all_runs), 'run record')}.",
    )


def _sections(study: Study, figures: Sequence[Drawn], notes: str) -> Iterator[Section]:
    def drawn(*starts: str) -> list[Drawn]:
        return [figure for figure in figures if figure.name.startswith(starts)]

    cells = _filled(tables.cells_table(study))
    if study.gain is None:
        yield Section("answer", "Cells", tables=cells)
        cells = []
    else:
        first = _filled(tables.gain_table(study))
        yield Section("answer", "Encodings", figures=drawn("gains"), tables=first)
    counting = [tables.learning_table(study.cells)] if len(study.unlearned) and len(study.learned) else []
    yield Section(
        "datasets",
        "By dataset",
        findings.on_counting(study),
        figures=drawn("auc_"),
        tables=_filled(tables.dataset_gain_table(study), *counting),
        folded=_filled(tables.negatives_table(study.cells)) + cells,
    )
    derived = _filled(*derived_tables(study)) if len(study.compared) > 1 else []
    yield Section(
        "paper",
        "Beside the paper",
        findings.on_agreement(study),
        figures=drawn("agreement"),
        tables=derived[:1] + _filled(tables.agreement_table(study.compared_sides)),
        folded=derived[1:],
        missing=_not_run(study) if study.is_reproduction and len(study.missing) else (),
    )
    yield Section("notes", "Notes", notes=notes.strip())
    claims = tables.claims_table(study.claims, "claims", "The paper's claims, tested", study.paper_claims)
    of_counting = tables.claims_table(study.counting_claims, "counting", "Learning against counting, tested")
    yield Section(
        "statistics",
        "Statistics",
        " ".join(filter(None, (findings.on_claims(study), findings.on_ranks(study)))),
        figures=drawn("ranks") if study.ranking.num_settings > 1 else (),
        tables=_filled(claims),
        folded=_filled(of_counting),
    )
    yield Section(
        "cost",
        "What encodings cost",
        findings.on_cost(study),
        figures=drawn("cost", "solver_time"),
        tables=_filled(tables.exact_cost_table(study)),
    )
    yield Section("smooth", "How encodings work", figures=drawn("smoothness", "matrices"))
    yield Section("runs", "Runs and their settings", _sources(study), runs=runs_of(study))


def _filled(*tables: Table) -> list[Table]:
    """Tables that have something to show, without columns that have not."""
    return [table.trimmed() for table in tables if len(table)]


def _summary(study: Study) -> str:
    """What was run, in a sentence or two."""
    datasets = ", ".join(map(label, ordered(study.all_runs["dataset"], DATASETS)))
    if study.learned.empty:
        scores = counted(len(study.unlearned), "score")
        return f"{scores} without learning on {datasets}; no model was trained."
    counts = sorted({int(count) for count in study.learned["num_runs"] if count > 0})
    seeds = ""
    if counts:
        several = f" to {counts[-1]}" if len(counts) > 1 else ""
        seeds = f", {counts[0]}{several} a cell"
    beside = "; scores that learn nothing stand beside models" if len(study.unlearned) else ""
    return (
        f"{counted(len(study.all_runs), 'run')} on {datasets}{seeds}. AUC is of links in the test snapshots, "
        f"in percent{beside}. {' '.join((findings.on_sides(study), *_other_models(study)))}"
    ).strip()


def _other_models(study: Study) -> Iterator[str]:
    """A word on each kind of model that the paper does not have."""
    names = set(study.learned["model"])
    if any(", next" in name for name in names):
        yield "A model called next learns to predict the next snapshot, not the one that it sees."
    if any(", history" in name for name in names):
        yield "One called history does so and sees the pair's past in its decoder."
    scores = [name for name in LEARNED_SCORES if any(each.startswith(name) for each in names)]
    if scores:
        learn = "learns" if len(scores) == 1 else "learn"
        yield f"{capital(listed(scores))} {learn} from the pasts of pairs alone, without a network."


def _sources(study: Study) -> str:
    """Where the runs came from, where they were made, what was left out."""
    files = ", ".join(path.name for path in study.inputs.files)
    lines = [f"{counted(len(study.all_runs), 'run')} from {files}"]
    if study.origin.strip():
        lines.append(f"Run on {' '.join(study.origin.split()).rstrip('.')}")
    lines += findings.on_time(study)
    return ". ".join([*lines, *map(capital, study.inputs.remarks())]) + "."


def _not_run(study: Study) -> list[str]:
    """How many of the paper's cells have no run, and which, dataset by dataset."""
    lines = [f"{len(study.missing)} of the paper's {len(study.paper)} cells have no run here"]
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
