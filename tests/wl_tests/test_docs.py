"""The examples in the docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import wl_tests

MODULES = [module.name for module in pkgutil.walk_packages(wl_tests.__path__, "wl_tests.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name == "wl_tests.draw":
        pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_what_is_public_is_there():
    for name in wl_tests.__all__:
        assert getattr(wl_tests, name).__doc__
