"""The page: one HTML file that needs nothing else and may load nothing else."""

import base64
import hashlib
import re
from importlib import resources

import jinja2
from markdown_it import MarkdownIt

from supra_experiments import __version__
from supra_experiments.report.figures import Drawn
from supra_experiments.report.images import both_themes, data_uri, shortened
from supra_experiments.report.sections import Report
from supra_experiments.report.table import Table


def html_page(report: Report) -> str:
    """The report as HTML; everything that came from records and notes is escaped."""
    tables = report.tables() + [
        table for section in report.sections if section.runs for table in section.runs.tables()
    ]
    css, js = own_file("page.css") + _labels(tables), own_file("page.js")
    return environment("supra_experiments.report").get_template("page.html.j2").render(
        report=report,
        images=images,
        notes_html=notes_html,
        css=css,
        js=js,
        css_hash=content_hash(css),
        js_hash=content_hash(js),
        version=__version__,
    )  # fmt: skip


def environment(package: str) -> jinja2.Environment:
    """Templates of a package: what is put into them is escaped, and what is missing is an error."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader(package, "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def notes_html(text: str) -> str:
    """Markdown as HTML, tables included: HTML inside it is text, images are links, scripts are no links.

    Example:
        >>> notes_html("**so** <b>it</b>")
        '<p><strong>so</strong> &lt;b&gt;it&lt;/b&gt;</p>\\n'
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    # The page's policy allows no styles of elements; quotes in the text itself are escaped.
    return re.sub(r' style="text-align:(\w+)"', r' class="\1"', markdown.render(text))


def own_file(name: str) -> str:
    """A file of this package."""
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def content_hash(text: str) -> str:
    """What a policy calls a script or style that may run: the hash of its text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _labels(tables: list[Table]) -> str:
    """On a phone a row is a card, in which each cell says its column: style sheets can, without a script."""
    rules = [
        f'#{table.name} tr>:nth-child({place})::before{{content:"{_css_text(column.name)}"}}'
        for table in tables
        for place, column in enumerate(table.columns, 1)
    ]
    return "@media (max-width: 600px) {\n" + "\n".join(rules) + "\n}\n"


def _css_text(text: str) -> str:
    """Text inside quotes of a style sheet, in an HTML file: letters and digits, the rest by number.

    Example:
        >>> _css_text("95 %")
        '95\\\\20 \\\\25 '
    """
    return "".join(c if c.isascii() and c.isalnum() else f"\\{ord(c):x} " for c in text)


def images(figure: Drawn) -> list[tuple[str, str]]:
    """The class and the source of each image of a figure, to stand between double quotes."""
    light, dark = shortened(figure.light), shortened(figure.dark)
    one = both_themes(light, dark)
    found = [("any-theme", one)] if one else [("for-light", light), ("for-dark", dark)]
    return [(name, data_uri(svg).replace("&", "&amp;")) for name, svg in found]
