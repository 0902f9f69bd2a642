"""The documentation site: what is generated is whole, and every link of the built pages leads somewhere."""

import importlib.util
import inspect
import json
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from supra_experiments.config.run_config import SETTINGS
from tools.page_code import main as run_pages
from tools.site_reference import command_page, settings_page

from .environments import run
from .packages import PACKAGES, ROOT

yaml = pytest.importorskip("yaml")  # it comes with Ray

MADE = {"command.md", "settings.md"}
NOTEBOOKS = sorted(ROOT.glob("docs/notebooks/*.ipynb"))


def pages_of(nav):
    for entry in nav:
        [value] = entry.values() if isinstance(entry, dict) else [entry]
        if isinstance(value, list):
            yield from pages_of(value)
        else:
            yield value


def test_every_page_is_in_the_navigation_and_there():
    nav = list(pages_of(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    assert len(nav) == len(set(nav))
    for page in nav:
        made = page.startswith("made/") and page.removeprefix("made/") in MADE
        made |= (ROOT / "docs" / page).with_suffix(".ipynb").exists()
        assert made or (ROOT / "docs" / page).exists() or (ROOT / page).exists(), page
    notebooks = {f"notebooks/{path.stem}.md" for path in NOTEBOOKS}
    assert notebooks <= set(nav)
    written = {path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")}
    assert {page for page in written if not page.startswith("made/")} <= set(nav)


def test_every_setting_and_command_has_its_place():
    settings, commands = settings_page(), command_page()
    for name in SETTINGS:
        assert f"| `{name}` |" in settings
    for name in (
        "demo",
        "encode",
        "advise",
        "train",
        "sweep",
        "wl",
        "check",
        "report",
        "data info",
        "bench wl",
    ):
        assert f"\n## supra {name}\n" in commands
    for page in (settings, commands):
        for line in page.splitlines():
            if line.startswith("| "):
                assert line.endswith(" |")
        assert not re.search(r"\[/|\[cyan|object at 0x|Sentinel", page)


def is_there(name: str) -> bool:
    """Whether a module has this name, or something in a module."""
    if importlib.util.find_spec(name.rpartition(".")[0] or name) is None:
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # what stands before the last dot is no package
        module, _, attribute = name.rpartition(".")
        return hasattr(importlib.import_module(module), attribute)


def test_every_package_has_its_reference():
    for package in PACKAGES:
        text = (ROOT / f"docs/reference/{package.project['name']}.md").read_text(encoding="utf-8")
        assert f"::: {package.import_name}\n" in text
        for name in re.findall(r"^::: (\S+)$", text, re.MULTILINE):
            assert is_there(name), f"{name} is described and not there"


class Links(HTMLParser):
    """What a page links to, what it loads, and the names that can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        elif tag == "link" and given.get("rel") in {"stylesheet", "icon", "next", "prev"}:
            self.loaded.add(given["href"])
        elif "src" in given:
            self.loaded.add(given["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site as `make docs` builds it, where its generator is installed."""
    environment = Path(os.environ.get("SUPRA_DOCS", ROOT / ".venv-docs"))
    mkdocs = environment / "bin" / "mkdocs"
    if not mkdocs.exists():
        pytest.skip("the site's generator is not installed: make docs")
    folder = tmp_path_factory.mktemp("site")
    # A copy, so that nothing is written into the repository.
    for name in ("docs", "packages", "results"):
        ignored = shutil.ignore_patterns("made", "__pycache__", "*.jsonl.gz")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for path in (*ROOT.glob("*.md"), *ROOT.glob("*.yml"), ROOT / "Makefile", ROOT / "LICENSE"):
        shutil.copy(path, folder)
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copytree(ROOT / "proofs", folder / "proofs", ignore=shutil.ignore_patterns("*.vo*", "*.glob"))
    made = folder / "docs" / "made"
    made.mkdir()
    (made / "command.md").write_text(command_page(), encoding="utf-8")
    (made / "settings.md").write_text(settings_page(), encoding="utf-8")
    here = Path.cwd()
    drawing = [
        page for page in ROOT.glob("docs/**/*.md") if re.search(r"made/[\w.-]+\.svg", page.read_text())
    ]
    run_pages([str(made), *map(str, drawing)])
    os.chdir(here)
    run(mkdocs, "build", "--strict", "--quiet", cwd=folder, NO_MKDOCS_2_WARNING="1")
    return folder / "site"


@pytest.mark.long
def test_links_lead_somewhere_and_nothing_is_loaded_from_elsewhere(site):
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert len(pages) > 30
    for path, page in pages.items():
        if path.name == "404.html":  # its addresses are those of a server
            continue
        for address in page.loaded | page.links:
            if urlsplit(address).scheme:
                assert address not in page.loaded, f"{path} loads {address}"
                continue
            target, name = urldefrag(address)
            there = (path.parent / unquote(target)).resolve() if target else path
            assert there.exists(), f"{path.relative_to(site)} links to {address}"
            if name and there in pages and name != "__skip" and not name.startswith("__"):
                assert unquote(name) in pages[there].names, f"{path.relative_to(site)} links to {address}"


@pytest.mark.long
def test_prompts_are_marked_so_that_they_are_not_copied(site):
    """A reader who copies a session from a page can paste it into a program."""
    assert "site.css" in (site / "start.html").read_text(encoding="utf-8")
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    marked = '<span class="gp">&gt;&gt;&gt; </span>'
    assert pages[site / "start.html"].count(marked) > 5
    for path, text in pages.items():
        for code in re.findall(r"<pre[^>]*>(.*?)</pre>", text, re.DOTALL):
            assert code.count("&gt;&gt;&gt; ") == code.count(marked), path.relative_to(site)


def public(module) -> list[str]:
    """The functions and classes of a module for everybody."""
    own = [
        name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
    ]
    return getattr(module, "__all__", [name for name in own if not name.startswith("_")])


@pytest.mark.long
def test_the_reference_has_every_public_name(site):
    for package in PACKAGES:
        page = Links((site / f"reference/{package.project['name']}.html").read_text(encoding="utf-8"))
        module = importlib.import_module(package.import_name)
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.ismodule(value):
                for each in public(value):
                    # A module that is named like the function in it is described apart.
                    places = {f"{value.__name__}.{each}", f"{value.__name__}.{each}.{each}"}
                    assert places & page.names, f"{value.__name__}.{each}"
            elif inspect.isclass(value) or inspect.isroutine(value):
                found = [each for each in page.names if each.rpartition(".")[2] == name]
                assert found, f"{package.import_name}.{name}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_with_its_output(path):
    """And with nothing of the machine that ran it."""
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert sum(bool(cell["outputs"]) for cell in code) > len(code) / 2
    kinds = {output["output_type"] for cell in code for output in cell["outputs"]}
    assert kinds <= {"stream", "display_data", "execute_result"}
    assert not re.search(r"site-packages|/home/|/tmp/|/work/", text)


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    pytest.importorskip("nbclient", reason="notebooks are run with nbclient")
    pytest.importorskip("ipykernel", reason="notebooks are run with ipykernel")
    from tools.notebooks import run as run_notebook

    before = json.loads(path.read_text(encoding="utf-8"))
    after = run_notebook(path)
    assert [cell["source"] for cell in after.cells] == ["".join(cell["source"]) for cell in before["cells"]]
    assert not [
        each for cell in after.cells for each in cell.get("outputs", []) if each.output_type == "error"
    ]
