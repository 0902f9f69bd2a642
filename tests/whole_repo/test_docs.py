"""Examples in docstrings, READMEs and pages of the site run; what pages link to exists."""

import doctest
import importlib
import re

import pytest

from tools.page_code import run_page

from .packages import PACKAGES, ROOT

MODULES = [package.module_name(path) for package in PACKAGES for path in package.modules]
PAGES = [ROOT / "README.md", *ROOT.glob("packages/*/README.md"), *ROOT.glob("packages/supra-core/docs/*.md")]
PAGES += [page for page in ROOT.glob("docs/**/*.md") if page.parent.name != "made"]
READMES = sorted(path.relative_to(ROOT) for path in PAGES)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if name.endswith("__main__"):
        pytest.skip("runs the program")
    failed, _ = doctest.testmod(importlib.import_module(name), verbose=False)
    assert failed == 0


@pytest.mark.parametrize("readme", READMES, ids=str)
def test_examples_of_a_page(readme, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(ROOT / readme)
    for picture in re.findall(
        r"\]\((?:\.\./)?made/([\w.-]+\.svg)\)", (ROOT / readme).read_text(encoding="utf-8")
    ):
        drawn = (tmp_path / picture).exists() or readme.name == "index.md"
        assert drawn, f"{readme} shows {picture} and does not draw it"


def anchors(text: str) -> set[str]:
    """The names of a page's headings, as links have them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("readme", READMES, ids=str)
def test_readme_links_and_commands(readme):
    text = (ROOT / readme).read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", text):
        # What stands in docs/made is made by `make docs`, whose links test_site.py follows.
        if "://" in target or "made/" in target:
            continue
        there = (ROOT / readme).parent / target if target else ROOT / readme
        assert there.exists(), f"{readme} links to {target}"
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there.read_text(encoding="utf-8")), (
                f"{readme} links to {target}#{anchor}"
            )
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^\s*make ([\w-]+)|`make ([\w-]+)`", text, re.MULTILINE):
        assert re.search(rf"^{''.join(target)}:", makefile, re.MULTILINE), f"make {''.join(target)}"


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_every_package_has_a_readme_with_an_example(package):
    text = (package.folder / "README.md").read_text(encoding="utf-8")
    assert PYTHON.search(text)
