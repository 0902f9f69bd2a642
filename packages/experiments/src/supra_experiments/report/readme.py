"""The study as a Markdown page: findings first, evidence after, everything from the records."""

import html
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from supra_experiments import __version__
from supra_experiments.report.content import sources, summary
from supra_experiments.report.facts import common_settings, not_run, settings_by_model, version_sets
from supra_experiments.report.figures import Drawn
from supra_experiments.report.findings import findings
from supra_experiments.report.inputs import counted
from supra_experiments.report.markdown import escape, markdown_table
from supra_experiments.report.shown_claims import verdict_table
from supra_experiments.report.study import Study
from supra_experiments.report.table import Column, Row, Table
from supra_experiments.report.tables import Tables, furthest_table, with_rows

NOTES_BEGIN, NOTES_END = "<!-- notes: begin -->", "<!-- notes: end -->"


def readme(
    study: Study, tables: Tables, figures: Sequence[Drawn] = (), *, links: str = "figures", notes: str = ""
) -> str:
    """The page.

    Args:
        study: what it is about.
        tables: its tables.
        figures: that were drawn.
        links: the folder of their files, as seen from the page.
        notes: Markdown by a person; stands between two comments, as it is.
    """
    shown = {figure.name: _figure(figure, links) for figure in figures}
    verdicts = verdict_table(study.claims, study.paper_claims)
    auc = [text for name, text in shown.items() if name.startswith("auc_")]
    parts = ["# Results", escape(summary(study)), "## Findings"]
    parts.append(_list(f"**{escape(each.head)}.** {escape(each.text)}" for each in findings(study)))
    if notes.strip():
        parts += [NOTES_BEGIN, notes.strip(), NOTES_END]
    claims = [_shown(table) for table in with_rows(verdicts)]
    parts += _part("The paper's claims, tested", [*claims, shown.get("ranks", "")], with_rows(tables.ranking))
    parts += _part(
        "Beside the paper",
        [shown.get("agreement", "")],
        with_rows(tables.agreement, furthest_table(study)),
    )
    parts += _part(
        "Learning against counting",
        [],
        with_rows(tables.learning, tables.negatives),
        with_rows(tables.claims[1]),
    )
    parts += _part("What encodings bring", auc, tables.derived[:3], tables.derived[3:])
    parts += _part(
        "What encodings cost",
        [shown.get(name, "") for name in ("cost", "solver_time")],
        with_rows(*tables.cost),
    )
    parts += _part("How encodings work", [shown.get(name, "") for name in ("smoothness", "matrices")])
    parts += _part(
        "Every cell", [], [], [*with_rows(tables.claims[0]), *tables.auc, *with_rows(tables.beside)]
    )
    parts += _missing(study)
    parts += _settings(study)
    return "\n\n".join(part for part in parts if part) + "\n"


def _figure(figure: Drawn, links: str) -> str:
    """A picture that follows the reader's theme, with its caption."""
    place = html.escape(quote(f"{links}/{figure.name}"))
    return (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="{place}-dark.svg">'
        f'<img src="{place}.svg" alt="{html.escape(figure.alt)}" width="640"></picture>\n\n'
        f"{escape(figure.caption)}"
    )


def _part(
    title: str, texts: Sequence[str], shown: Sequence[Table] = (), folded: Sequence[Table] = ()
) -> list[str]:
    """A heading and what stands under it; nothing where there is nothing."""
    content = [*filter(None, texts), *map(_shown, shown), *map(_folded, folded)]
    return [f"## {title}", *content] if content else []


def _missing(study: Study) -> list[str]:
    lines = not_run(study)
    if not lines:
        return ["## What was not run", f"Nothing: all {len(study.paper)} cells of the paper have runs."]
    text = f"{len(study.missing)} of the paper's {len(study.paper)} cells have no run here."
    return ["## What was not run", text, _list(map(escape, lines))]


def _settings(study: Study) -> list[str]:
    learned = study.learned_settings
    parts = ["## Settings and versions"]
    made = f"This page was made from them by supra-experiments {__version__}."
    parts.append(escape(". ".join(sources(study)) + f". {made}"))
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
    summary = html.escape(table.title)
    return f"<details>\n<summary>{summary}</summary>\n\n{note}{markdown_table(table)}\n\n</details>"


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
