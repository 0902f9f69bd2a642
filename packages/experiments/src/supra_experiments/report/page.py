"""The page: one HTML file that needs nothing else and may load nothing else."""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources

import jinja2
from markupsafe import Markup

from supra_experiments import __version__
from supra_experiments.report.run_list import RunList
from supra_experiments.report.table import Measured, Table, known, text_of, value_of


@dataclass(frozen=True, slots=True)
class Card:
    """A number that sums something up."""

    value: str
    text: str


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """A statement and what the records say to it.

    Attributes:
        statement: what is claimed.
        verdict: in a few words, with the p-value.
        tone: ``holds``, ``fails`` or ``open``.
        evidence: the figures behind the verdict.
    """

    statement: str
    verdict: str
    tone: str
    evidence: str


@dataclass(frozen=True, slots=True)
class ShownFigure:
    """A figure as SVG.

    Attributes:
        name: of its files.
        title: what it finds.
        caption: how to read it.
        light, dark: SVG texts; ``dark`` may be empty.
    """

    name: str
    title: str
    caption: str
    light: str
    dark: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page.

    Attributes:
        name: its anchor.
        title: its heading.
        text: paragraphs.
        tables, figures, claims: what it shows.
        items: a list, last.
        folded: whether its tables are folded away at first.
    """

    name: str
    title: str
    text: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[ShownFigure, ...] = ()
    claims: tuple[ShownClaim, ...] = ()
    items: tuple[str, ...] = ()
    folded: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show but words on how to read it."""
        return not (self.tables or self.figures or self.claims or self.items)


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
    environment.tests["measured"] = lambda cell: isinstance(cell, Measured)
    environment.globals |= {"text_of": text_of, "value_of": value_of, "known": known, "data_uri": data_uri}
    css, js = _own_file("page.css"), _own_file("page.js")
    return environment.get_template("page.html.j2").render(
        page=page,
        run_data=Markup(page.runs.json()),
        css=Markup(css),
        js=Markup(js),
        css_hash=_content_hash(css),
        js_hash=_content_hash(js),
        version=__version__,
    )


def data_uri(svg: str) -> str:
    """An SVG as an image that stands in the page itself.

    As an image, and not inline, its styles need no permission from the page's policy and its identifiers
    cannot clash with those of another figure.
    """
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _own_file(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def _content_hash(text: str) -> Markup:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Markup(f"'sha256-{digest}'")
