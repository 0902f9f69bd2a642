"""What a report says, from its study: the numbers on top, the sections, the list of runs."""

from collections.abc import Iterator, Sequence

from supra_experiments import __version__
from supra_experiments.analysis.compare import MARGIN, agreement
from supra_experiments.analysis.frame import DATASETS, FEATURES, MODELS, VARIANTS, is_learned
from supra_experiments.analysis.table import label
from supra_experiments.report.facts import not_run, ordered, seeds_text
from supra_experiments.report.figures import Drawn
from supra_experiments.report.findings import findings
from supra_experiments.report.inputs import counted
from supra_experiments.report.page import Card, Page, Section
from supra_experiments.report.run_list import run_list
from supra_experiments.report.shown_claims import shown_claims
from supra_experiments.report.study import Study
from supra_experiments.report.tables import Tables, with_rows


def make_page(study: Study, tables: Tables, figures: Sequence[Drawn] = ()) -> Page:
    """The page of a study."""
    learned = study.runs[is_learned(study.runs)]
    return Page(
        title="Positional encodings for temporal GNNs: what the runs say",
        summary=summary(study),
        cards=cards(study),
        sections=tuple(section for section in sections(study, tables, figures) if not section.is_empty),
        runs=run_list(study),
        runs_text=". ".join(sources(study))
        + ". The name of a run opens its settings, outcome and versions; the "
        "search looks into them as well.",
        footer=f"Made by supra-experiments {__version__} from {counted(len(study.runs), 'run record')}.",
        filters={
            "dataset": ordered(study.runs["dataset"], DATASETS),
            "model": ordered(learned["model"], MODELS),
            "features": ordered(learned["features"], FEATURES),
            "pe": ordered(learned["pe"], VARIANTS),
        },
    )


def summary(study: Study) -> str:
    """A sentence or two on top."""
    datasets = ", ".join(map(label, ordered(study.cells["dataset"], DATASETS)))
    if study.learned.empty:
        return (
            f"{counted(len(study.unlearned), 'score')} without learning on {datasets}; no model was trained."
        )
    return (
        f"{counted(len(study.runs), 'run')} on {datasets}; runs a cell: {seeds_text(study)}. Figures are AUC "
        "of links in the test snapshots, in percent. Scores that need no learning stand beside every model."
    )


def cards(study: Study) -> tuple[Card, ...]:
    """The numbers on top; those that cannot be told are left out."""
    shown = [
        Card(f"{len(study.runs):,}", "runs, each with its settings and versions"),
        Card(f"{len(study.compared)} of {len(study.paper)}", "cells of the paper were run here"),
    ]
    if len(study.compared):
        overall = agreement(study.compared).iloc[0]
        median = study.compared["difference"].abs().median()
        text = f"of them are at most {MARGIN:g} points below the paper, or better"
        shown.append(Card(f"{overall['share']:.0f} %", text))
        shown.append(Card(f"{median:.2f}", "points of AUC between ours and the paper's, the median cell"))
    return tuple(shown)


def sections(study: Study, tables: Tables, figures: Sequence[Drawn]) -> Iterator[Section]:
    """The sections, in the order to read them."""
    yield Section("findings", "In short", findings=findings(study))
    yield Section(
        "claims",
        "The paper's claims, tested",
        (
            "Differences are in AUC points. Each setting of dataset, model and features counts once; the p "
            "beside a verdict is adjusted for the number of claims (Holm).",
        ),
        claims=shown_claims(study.claims, study.paper_claims),
        figures=_named(figures, "ranks"),
        tables=with_rows(tables.ranking),
        folded=with_rows(tables.claims[0]),
    )
    yield Section(
        "counting",
        "Learning against counting",
        (
            "Scores without learning: edgebank (seen before), degree (product of degrees), count (how often, "
            "recent ones more), neighbours (count and common neighbours). Uniform negatives, the published "
            "ones, are easy; active and historical ones are harder.",
        ),
        with_rows(tables.learning, tables.negatives),
        folded=with_rows(tables.claims[1]),
    )
    yield Section(
        "results",
        "Beside the paper",
        tables=with_rows(tables.agreement, tables.beside),
        figures=_named(figures, "agreement"),
    )
    yield Section("averages", "What encodings bring", tables=tables.derived, figures=_named(figures, "auc_"))
    yield Section(
        "cost",
        "What encodings cost",
        tables=with_rows(*tables.cost),
        figures=_named(figures, "cost", "solver_time"),
    )
    yield Section("smooth", "How encodings work", figures=_named(figures, "smoothness", "matrices"))
    yield Section("tables", "The paper's tables", folded=tables.auc)
    missing = len(study.missing)
    yield Section(
        "missing",
        "What was not run",
        (f"{missing} of the paper's {len(study.paper)} cells have no run here.",) if missing else (),
        items=not_run(study),
    )


def sources(study: Study) -> list[str]:
    """Where the runs came from, where they were made, what was left out; sentences without their stops."""
    files = ", ".join(path.name for path in study.inputs.files)
    lines = [f"{counted(len(study.runs), 'run')} from {files}"]
    if study.origin:
        lines.append(f"Run on {study.origin.rstrip('.')}")
    return [*lines, *study.inputs.remarks()]


def _named(figures: Sequence[Drawn], *starts: str) -> list[Drawn]:
    return [figure for figure in figures if figure.name.startswith(starts)]
