"""What several tests of the repository share."""

import sys
from pathlib import Path

import pytest

from .environments import run
from .packages import Package


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """A package's wheel, built once. ``build`` and the backend come from the development environment."""
    folder = tmp_path_factory.mktemp("wheels")
    built: dict[Package, Path] = {}

    def wheel_of(package: Package) -> Path:
        if package not in built:
            output = folder / package.folder.name
            build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", output]
            run(*build, package.folder, cwd=folder)
            [built[package]] = output.glob("*.whl")
        return built[package]

    return wheel_of
