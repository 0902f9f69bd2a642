"""The page: one HTML file that needs nothing else and may load nothing else."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

import jinja2

from supra_experiments import __version__
from supra_experiments.analysis.table import Score
from supra_experiments.report.figures import Drawn
from supra_experiments.report.findings import Finding
from supra_experiments.report.images import both_themes, data_uri, shortened
from supra_experiments.report.run_list import RunList
from supra_experiments.report.shown_claims import ShownClaim
from supra_experiments.report.table import Table, known, text_of


@dataclass(frozen=True, slots=True)
class Card:
    """A number that sums something up."""

    value: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page.

    Attributes:
        name: its anchor.
        title: its heading.
        text: paragraphs.
        findings, claims, figures, tables: what it shows.
        folded: tables that are folded away at first.
        items: a list, last.
    """

    name: str
    title: str
    text: Sequence[str] = ()
    tables: Sequence[Table] = ()
    folded: Sequence[Table] = ()
    figures: Sequence[Drawn] = ()
    findings: Sequence[Finding] = ()
    claims: Sequence[ShownClaim] = ()
    items: Sequence[str] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show but words on how to read it."""
        return not (self.tables or self.folded or self.figures or self.findings or self.claims or self.items)


@dataclass(frozen=True, slots=True)
class Page:
    """All that stands on the page.

    Attributes:
        title, summary: the top.
        cards: numbers below it.
        sections: one after another.
        runs: the list of all runs.
        runs_text: a paragraph on them.
        footer: the last line.
        filters: what each filter offers: dataset, model, features, pe.
    """

    title: str
    summary: str
    cards: tuple[Card, ...]
    sections: tuple[Section, ...]
    runs: RunList
    runs_text: str
    footer: str
    filters: Mapping[str, list[str]] = field(default_factory=dict)


def render_page(page: Page) -> str:
    """The page as HTML; everything that came from records is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("supra_experiments.report", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["measured"] = lambda cell: isinstance(cell, Score)
    environment.globals |= {"text_of": text_of, "known": known, "images": _images}
    css, js = _own_file("page.css"), _own_file("page.js")
    return environment.get_template("page.html.j2").render(
        page=page,
        run_data=page.runs.json(),
        css=css,
        js=js,
        css_hash=_content_hash(css),
        js_hash=_content_hash(js),
        version=__version__,
    )


def _images(figure: Drawn) -> list[tuple[str, str]]:
    """The class and the source of each image of a figure, to stand between double quotes."""
    light, dark = shortened(figure.light), shortened(figure.dark)
    one = both_themes(light, dark)
    found = [("any-theme", one)] if one else [("for-light", light), ("for-dark", dark)]
    return [(name, data_uri(svg).replace("&", "&amp;")) for name, svg in found]


def _own_file(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def _content_hash(text: str) -> str:
    """What a policy calls a script or style that may run: the hash of its text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
