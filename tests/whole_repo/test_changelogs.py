"""Every version has its entry in the changelog."""

import importlib
import re

import pytest

from .packages import PACKAGES

HEADING = re.compile(r"^## (\S+)", re.MULTILINE)


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_the_version_has_an_entry(package):
    text = (package.folder / "CHANGELOG.md").read_text(encoding="utf-8")
    version = package.project["version"]
    headings = HEADING.findall(text)
    assert headings[:1] == [version], "the newest entry is on top"
    assert len(headings) == len(set(headings))
    for entry in re.split(HEADING, text)[2::2]:
        assert re.search(r"^[-*] \S", entry, re.MULTILINE), "an entry that says nothing"


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_versions_agree(package):
    assert importlib.import_module(package.import_name).__version__ == package.project["version"]
