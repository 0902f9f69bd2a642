"""Every version has its entry in the changelog."""

import importlib
import re

import pytest
from packaging.requirements import Requirement

from .packages import PACKAGES

HEADING = re.compile(r"^## (\S+)", re.MULTILINE)


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_the_version_has_an_entry(package):
    text = (package.folder / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = HEADING.findall(text)
    assert headings[:1] == [package.version], "the newest entry is on top"
    assert len(headings) == len(set(headings))
    for entry in re.split(HEADING, text)[2::2]:
        assert re.search(r"^[-*] \S", entry, re.MULTILINE), "an entry that says nothing"


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_the_version_is_written_in_one_place(package):
    """The wheel takes it from the sources, and siblings ask for a range that it is in."""
    assert "version" not in package.project
    assert package.project["dynamic"] == ["version"]
    assert importlib.import_module(package.import_name).__version__ == package.version
    for other in PACKAGES:
        for text in other.project["dependencies"]:
            requirement = Requirement(text)
            if requirement.name == package.project["name"]:
                assert requirement.specifier.contains(package.version), f"{other} asks for {requirement}"
