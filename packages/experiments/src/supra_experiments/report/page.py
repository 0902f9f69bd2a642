"""The page: one HTML file that needs nothing else and may load nothing else."""

import base64
import hashlib
from importlib import resources

import jinja2

from supra_experiments import __version__
from supra_experiments.report.figures import Drawn
from supra_experiments.report.images import both_themes, data_uri, shortened
from supra_experiments.report.sections import Report


def html_page(report: Report) -> str:
    """The report as HTML; everything that came from records is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("supra_experiments.report", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    css, js = _own_file("page.css"), _own_file("page.js")
    return environment.get_template("page.html.j2").render(
        report=report,
        images=_images,
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
