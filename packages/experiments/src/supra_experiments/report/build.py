"""From a study to the files of a report."""

import os
from collections.abc import Callable
from pathlib import Path

from supra_core.files import write_whole
from supra_experiments.report.figures import draw_figures
from supra_experiments.report.latex import latex_tables
from supra_experiments.report.markdown import markdown_page, markdown_tables
from supra_experiments.report.page import html_page
from supra_experiments.report.sections import report_of
from supra_experiments.report.study import Study

PAGE = "index.html"


def build_report(
    study: Study,
    folder: Path,
    *,
    markdown: Path | None = None,
    notes: str = "",
    progress: Callable[[float, str], None] = lambda share, text: None,
) -> list[Path]:
    """Write ``index.html``, ``tables.md``, ``tables.tex`` and ``figures/``, each whole or not at all.

    Args:
        study: what it is about.
        folder: made where it does not exist.
        markdown: where a Markdown page goes as well.
        notes: Markdown that stands in the pages.
        progress: told how far things are, 0 .. 1, and what is being done.

    Returns:
        All files.
    """
    figures = draw_figures(study, folder / "figures", lambda name: progress(0.4, f"figure {name}"))
    progress(0.8, "tables and pages")
    report = report_of(study, figures, notes)
    texts = {
        folder / "tables.md": markdown_tables("Tables", report.tables()),
        folder / "tables.tex": latex_tables(report.tables()),
        folder / PAGE: html_page(report),
    }
    if markdown is not None:
        links = os.path.relpath(folder / "figures", markdown.parent)
        texts[markdown] = markdown_page(report, links=links)
    for path, text in texts.items():
        write_whole(path, text)
    progress(1.0, "written")
    names = [f"{figure.name}{end}" for figure in figures for end in (".svg", "-dark.svg", ".png")]
    return [*texts, *(folder / "figures" / name for name in names)]
