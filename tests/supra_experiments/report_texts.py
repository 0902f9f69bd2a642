"""Every text of a report, without figures."""

from supra_experiments.report.latex import latex_tables
from supra_experiments.report.markdown import markdown_page, markdown_tables
from supra_experiments.report.page import html_page
from supra_experiments.report.records import read_inputs
from supra_experiments.report.sections import report_of
from supra_experiments.report.study import Study

from .report_records import write


def build(tmp_path, records, notes=""):
    """Every text of a report, without figures."""
    report = report_of(Study.of(read_inputs([write(tmp_path / "runs.jsonl", records)])), notes=notes)
    return {
        "html": html_page(report),
        "md": markdown_tables("Tables", report.tables()),
        "tex": latex_tables(report.tables()),
        "readme": markdown_page(report),
    }
