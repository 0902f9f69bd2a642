"""The page: one HTML file that needs nothing else and may load nothing else."""

import base64
import hashlib
import re
from importlib import resources

import jinja2
from markdown_it import MarkdownIt

from supra_experiments import __version__
from supra_experiments.report.figures import Drawn
from supra_experiments.report.sections import Report
from supra_experiments.report.table import Table

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_ID = re.compile(r' id="([^"]+)"')


def html_page(report: Report) -> str:
    """The report as HTML; everything that came from records and notes is escaped."""
    runs = [table for section in report.sections if section.runs for table in section.runs.tables()]
    css, js = own_file("page.css") + _labels(report.tables() + runs), own_file("page.js")
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


def data_uri(svg: str) -> str:
    """An SVG as an address that holds it, without double quotes.

    As an image, and not as part of the page, it needs no permission from the page's policy for its styles.

    Example:
        >>> data_uri('<svg fill="#ffffff"/>')
        "data:image/svg+xml,<svg fill='%23ffffff'/>"
    """
    text = svg.replace("'", "&apos;").replace('"', "'")
    return "data:image/svg+xml," + text.replace("%", "%25").replace("#", "%23")


def both_themes(light: str, dark: str) -> str | None:
    """One SVG that is light or dark as the page around it is; None where the two differ in more than colour.

    Each pair of a light and a dark colour becomes a variable, which a media query sets. An image's query is
    answered by the ``color-scheme`` of the element that shows it.

    Example:
        >>> print(both_themes('<svg><g fill="#ffffff"/></svg>', '<svg><g fill="#111111"/></svg>'))
        <svg><style>:root{--a:#ffffff}@media(prefers-color-scheme:dark){:root{--a:#111111}}</style><g \
fill="var(--a)"/></svg>
    """
    if _COLOUR.split(light) != _COLOUR.split(dark):
        return None
    pairs = list(zip(_COLOUR.findall(light), _COLOUR.findall(dark), strict=True))
    names = {pair: _name(place) for place, pair in enumerate(dict.fromkeys(pairs))}
    order = iter(pairs)
    body = _COLOUR.sub(lambda _: f"var(--{names[next(order)]})", light)
    bright, dim = (";".join(f"--{name}:{pair[i]}" for pair, name in names.items()) for i in (0, 1))
    style = f"<style>:root{{{bright}}}@media(prefers-color-scheme:dark){{:root{{{dim}}}}}</style>"
    start = body.index(">") + 1
    return body[:start] + style + body[start:]


def shortened(svg: str) -> str:
    """The same picture in fewer letters: what programs wrote for each other is left out."""
    text = svg[svg.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    # A hundredth of a point is less than a screen can show; numbers below one may be scales and stay.
    text = re.sub(r"\b([1-9]\d*\.\d\d)\d+", r"\1", text)
    text = " ".join(text.split()).replace("> <", "><")
    text = re.sub(r"(?<=\d) (?=[LQMCz])|(?<=[LQMC]) (?=[\d-])", "", text)
    text = re.sub(r"\b(fill|stroke|stroke-\w+|opacity): ", r"\1:", text).replace("; ", ";")
    return _renamed(text)


def _renamed(text: str) -> str:
    """Identifiers that something refers to become short, in the order they come; the others go."""
    used = set(re.findall(r"[\"(]#([^\")]+)[\")]", text))
    names = {name: f"i{place}" for place, name in enumerate(n for n in _ID.findall(text) if n in used)}
    text = _ID.sub(lambda found: f' id="{names[found[1]]}"' if found[1] in names else "", text)
    return re.sub(
        r"([\"(])#([^\")]+)(?=[\")])",
        lambda found: f"{found[1]}#{names[found[2]]}" if found[2] in names else found[0],
        text,
    )


def _name(place: int) -> str:
    """a, b, …, z, aa, ab, …"""
    before, letter = divmod(place, 26)
    return (_name(before - 1) if before else "") + chr(ord("a") + letter)
