"""A page of a small study, and a browser that shows it."""

import dataclasses

import pytest

from supra_experiments.report.figures import Drawn
from supra_experiments.report.page import html_page
from supra_experiments.report.records import read_inputs
from supra_experiments.report.sections import report_of
from supra_experiments.report.study import Study

from ..report_records import HOSTILE, record, small_study, unlearned, write

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><style>p{{}}</style>'
    '<rect fill="{}" width="9" height="{}"/></svg>'
)
# One whose themes differ by colour alone, which makes one image of them, and one that needs two.
FIGURES = [
    Drawn(
        name,
        "Title",
        "What it shows",
        "How it is read",
        SVG.format("#ff0000", 9),
        SVG.format("#0000ff", high),
    )
    for name, high in (("gains", 9), ("auc_dblp", 8))
]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    # The first run is there under both names of its model: rows of the list must open their own run even so.
    twice = [each for each in small_study() if each.config.model.name == "egcn-h"][:1]
    twice = [dataclasses.replace(each, config=each.config.replace(model="egcn")) for each in twice]
    records = twice + small_study() + unlearned(HOSTILE)
    records += [record(64.0, dataset=HOSTILE, pe="slpe-t", lr=0.125)]
    study = Study.of(read_inputs([write(folder / "runs.jsonl", records)]))
    path = folder / "index.html"
    notes = (
        "| a | b |\n| --: | :-- |\n| 1 | 2 |\n\n![x](https://example.org/x.png) <img src=x onerror=alert(1)>"
    )
    path.write_text(html_page(report_of(study, FIGURES, notes)))
    return path


@pytest.fixture
def browser(chromium, page):
    chromium.requests.clear()
    chromium.resize(1280, 900)
    chromium.prefer("light")
    chromium.open(page)
    chromium.js("localStorage.clear()")
    yield chromium
    assert chromium.errors == []
    assert {request.partition("#")[0] for request in chromium.requests} <= {
        page.resolve().as_uri(),
        "about:blank",
    }
