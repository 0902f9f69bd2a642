"""The study as a Markdown page: findings first, evidence after, everything from the records."""

from collections.abc import Iterator, Sequence

from supra_experiments import __version__
from supra_experiments.analysis.compare import MARGIN, agreement
from supra_experiments.analysis.table import label
from supra_experiments.report.content import summary
from supra_experiments.report.facts import common_settings, not_run, settings_by_model, version_sets
from supra_experiments.report.inputs import counted
from supra_experiments.report.learning import Ladder, ladders
from supra_experiments.report.markdown import escape, markdown_table
from supra_experiments.report.study import Study
from supra_experiments.report.table import Column, Row, Table, known
from supra_experiments.report.tables import Tables, with_rows

NOTES_BEGIN, NOTES_END = "<!-- notes: begin -->", "<!-- notes: end -->"


def readme(study: Study, tables: Tables, *, notes: str = "") -> str:
    """The page.

    Args:
        study: what it is about.
        tables: its tables.
        notes: Markdown by a person; stands between two comments, as it is.
    """
    parts = ["# Results", escape(summary(study)), "## Findings", _list(findings(study))]
    if notes.strip():
        parts += [NOTES_BEGIN, notes.strip(), NOTES_END]
    parts += _part("Beside the paper", with_rows(tables.agreement))
    parts += _part("Learning against counting", with_rows(tables.learning, tables.negatives))
    parts += _part("What encodings bring", tables.derived[:3], tables.derived[3:])
    parts += _part("Every cell", (), [*tables.auc, *with_rows(tables.beside)])
    parts += _missing(study)
    parts += _settings(study)
    return "\n\n".join(part for part in parts if part) + "\n"


def findings(study: Study) -> Iterator[str]:
    """What the records say, a sentence or two each."""
    if len(study.compared):
        overall = agreement(study.compared).iloc[0]
        yield (
            f"**Agreement.** {int(overall['num_reproduced'])} of the {int(overall['num_cells'])} cells that "
            f"were run ({overall['share']:.1f} %) are at most {MARGIN:g} AUC points below the paper's, or "
            f"better; {overall['share_close']:.1f} % are within {MARGIN:g} points either way."
        )
    for rung in ladders(study):
        if rung.negatives == "uniform" and known(rung.learning_adds):
            yield _learning(rung)


def _learning(rung: Ladder) -> str:
    adds = rung.learning_adds
    where = "above" if adds > 0 else "below"
    text = (
        f"**Learning on {escape(label(rung.dataset))}.** The score {rung.counting.name}, which learns "
        f"nothing, has {rung.counting.value:.2f}; the best model is {abs(adds):.2f} points {where} it"
    )
    if known(rung.encodings_add):
        sign = "more" if rung.encodings_add > 0 else "less"
        text += (
            f". With an encoding the best model has {abs(rung.encodings_add):.2f} points {sign} than without"
        )
    return text + "."


def _part(title: str, shown: Sequence[Table], folded: Sequence[Table] = ()) -> list[str]:
    """A heading and its tables; nothing where there are none."""
    tables = [*map(_shown, shown), *map(_folded, folded)]
    return [f"## {title}", *tables] if tables else []


def _missing(study: Study) -> list[str]:
    lines = not_run(study)
    if not lines:
        return ["## What was not run", f"Nothing: all {len(study.paper)} cells of the paper have runs."]
    text = f"{len(study.missing)} of the paper's {len(study.paper)} cells have no run here."
    return ["## What was not run", text, _list(map(escape, lines))]


def _settings(study: Study) -> list[str]:
    learned = study.learned_settings
    parts = ["## Settings and versions"]
    names = ", ".join(f"`{path.name}`" for path in study.inputs.files)
    remarks = [f"{counted(len(study.runs), 'run')} from {names}", *study.inputs.remarks()]
    parts.append(". ".join(remarks) + f". This page was made from them by supra-experiments {__version__}.")
    if learned:
        shared = ", ".join(f"{name} = {value}" for name, value in common_settings(learned).items())
        parts.append(f"Every model: `{shared.replace('`', '')}`.")
        parts.append(_by_model(settings_by_model(learned)))
    for versions, number in version_sets(study.inputs.records):
        words = ", ".join(f"{name} {version}" for name, version in versions.items())
        parts.append(f"{counted(number, 'run')} with {escape(words)}.")
    return parts


def _by_model(settings: dict[str, dict[str, list[str]]]) -> str:
    models = list(dict.fromkeys(model for values in settings.values() for model in values))
    rows = tuple(
        Row((name, *(", ".join(values.get(model, ["–"])) for model in models)))
        for name, values in settings.items()
    )
    columns = (Column("setting"), *(Column(model) for model in models))
    return _shown(Table("settings", "Settings that differ", columns, rows)) if rows else ""


def _shown(table: Table) -> str:
    note = f"\n\n{escape(table.note)}" if table.note else ""
    return f"### {escape(table.title)}\n\n{markdown_table(table)}{note}"


def _folded(table: Table) -> str:
    note = f"{escape(table.note)}\n\n" if table.note else ""
    return (
        f"<details>\n<summary>{_html(table.title)}</summary>\n\n{note}{markdown_table(table)}\n\n</details>"
    )


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _list(lines: Iterator[str] | Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
