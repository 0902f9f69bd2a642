"""From a study to the files of a report."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from supra_core.files import write_whole
from supra_experiments.report.content import make_page
from supra_experiments.report.drawing import Extras, draw_figures
from supra_experiments.report.latex import latex_tables
from supra_experiments.report.markdown import markdown_tables
from supra_experiments.report.page import render_page
from supra_experiments.report.readme import readme
from supra_experiments.report.study import Study
from supra_experiments.report.tables import Tables

Report = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class Built:
    """The files of a report: the page, and all of them."""

    page: Path
    files: tuple[Path, ...]


def build_report(
    study: Study,
    folder: Path,
    *,
    markdown: Path | None = None,
    notes: str = "",
    extras: Extras | None = None,
    report: Report = lambda share, text: None,
) -> Built:
    """Write ``index.html``, ``tables.md``, ``tables.tex`` and ``figures/``, each whole or not at all.

    Args:
        study: what it is about.
        folder: made where it does not exist.
        markdown: where a Markdown page goes as well.
        notes: Markdown that stands in that page as it is.
        extras: what figures show beside the runs.
        report: told how far things are, 0 .. 1, and what is being done.
    """
    report(0.1, "tables")
    tables = Tables.of(study)
    texts = {
        folder / "tables.md": markdown_tables("Tables", tables.all()),
        folder / "tables.tex": latex_tables(tables.all()),
    }
    figures = draw_figures(
        study, folder / "figures", extras or Extras(), lambda name: report(0.5, f"figure {name}")
    )
    if markdown is not None:
        links = os.path.relpath(folder / "figures", markdown.parent)
        texts[markdown] = readme(study, tables, figures, links=links, notes=notes)
    report(0.8, "page")
    page = folder / "index.html"
    texts[page] = render_page(make_page(study, tables, figures))
    for path, text in texts.items():
        write_whole(path, text)
    report(1.0, "written")
    names = [f"{figure.name}{end}" for figure in figures for end in (".svg", "-dark.svg", ".png")]
    return Built(page, (*texts, *(folder / "figures" / name for name in names)))
