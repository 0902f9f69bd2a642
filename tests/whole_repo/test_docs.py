"""Examples in docstrings and READMEs run; pictures and commands that READMEs name exist."""

import doctest
import importlib
import re

import pytest

from .packages import PACKAGES, ROOT

MODULES = [package.module_name(path) for package in PACKAGES for path in package.modules]
PAGES = [ROOT / "README.md", *ROOT.glob("packages/*/README.md"), *ROOT.glob("packages/supra-core/docs/*.md")]
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
def test_readme_examples(readme, tmp_path, monkeypatch):
    """The blocks of one README are one story: each may use what those before it made."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / readme).read_text(encoding="utf-8")
    names: dict = {"__name__": "__main__"}
    for block in PYTHON.finditer(text):
        line = text.count("\n", 0, block.start(1))
        where = f"{readme}, line {line + 1}"
        if ">>>" in block[1]:
            test = doctest.DocTestParser().get_doctest(block[1], names, where, str(readme), line)
            runner = doctest.DocTestRunner(verbose=False)
            runner.run(test, clear_globs=False)
            assert runner.summarize(verbose=False).failed == 0
            names = test.globs
        else:
            exec(compile("\n" * line + block[1], str(ROOT / readme), "exec"), names)


@pytest.mark.parametrize("readme", READMES, ids=str)
def test_readme_links_and_commands(readme):
    text = (ROOT / readme).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert ((ROOT / readme).parent / target).exists(), f"{readme} links to {target}"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^\s*make ([\w-]+)|`make ([\w-]+)`", text, re.MULTILINE):
        assert re.search(rf"^{''.join(target)}:", makefile, re.MULTILINE), f"make {''.join(target)}"


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_every_package_has_a_readme_with_an_example(package):
    text = (package.folder / "README.md").read_text(encoding="utf-8")
    assert PYTHON.search(text)
