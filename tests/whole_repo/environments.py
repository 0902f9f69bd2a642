"""Fresh environments that hold a wheel and what it declares, with nothing to download.

What comes from elsewhere is linked from the environment that runs the tests: only the distributions that the
wheel's metadata ask for, those that they ask for in turn, and no other.
"""

import os
import subprocess
import sys
import venv
from collections.abc import Iterable
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path, PurePosixPath

import pytest
from packaging.requirements import Requirement

from .packages import BY_DISTRIBUTION, normal


def run(*command: object, cwd: Path, **extra: str) -> str:
    """What a command prints; the test fails with all of it where the command does."""
    # Nothing of the repository or its environment may leak in; one BLAS thread, since tests run side by side.
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    leaks = ("PYTHON", "PYTEST", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(leaks)} | threads
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=kept | extra, capture_output=True, text=True
    )
    if done.returncode:
        pytest.fail(f"{' '.join(map(str, command))}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}")
    return done.stdout


def needed(requirements: Iterable[str]) -> set[str]:
    """Distributions of elsewhere that meet ``requirements``, with all that these need: names in normal form.

    A requirement that is not installed here, or in another version, fails the test that asks for it.
    """
    found: set[str] = set()
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(Requirement(text), frozenset[str]()) for text in requirements]
    while waiting:
        requirement, extras = waiting.pop()
        if requirement.marker and not any(
            requirement.marker.evaluate({"extra": extra}) for extra in extras | {""}
        ):
            continue
        name = normal(requirement.name)
        if (name, frozenset(requirement.extras)) in seen or name in BY_DISTRIBUTION:
            continue
        seen.add((name, frozenset(requirement.extras)))
        try:
            there = distribution(name)
        except PackageNotFoundError:
            pytest.fail(f"{requirement} is declared and not installed here")
        fits = requirement.specifier.contains(there.version, prereleases=True)
        assert fits, f"{requirement}: {there.version} is installed here"
        found.add(name)
        inner = frozenset(requirement.extras)
        waiting += [(Requirement(text), inner) for text in there.requires or ()]
    return found


@cache
def _owners() -> dict[PurePosixPath, frozenset[str]]:
    """Who installed each file, and something within each folder, of the environment that runs the tests."""
    owners: dict[PurePosixPath, set[str]] = {}
    for there in distributions():
        name = normal(there.name)
        for file in there.files or ():
            path = PurePosixPath(file)
            if ".." not in path.parts and "__pycache__" not in path.parts:
                for part in (path, *path.parents):
                    owners.setdefault(part, set()).add(name)
    return {path: frozenset(names) for path, names in owners.items()}


@cache
def _children() -> dict[PurePosixPath, list[PurePosixPath]]:
    children: dict[PurePosixPath, list[PurePosixPath]] = {}
    for path in _owners():
        if path.parts:
            children.setdefault(path.parent, []).append(path)
    return children


def link(names: set[str], site: Path) -> None:
    """Link the distributions ``names`` into ``site``: whole folders where all in them belongs to these."""
    source = Path(str(_any_of(names).locate_file(""))) if names else Path()

    def visit(path: PurePosixPath) -> None:
        owners = _owners()[path]
        target = site / path
        if not owners & names:
            return
        if path.parts and owners <= names and not target.exists():
            target.symlink_to(source / path)
        elif path in _children() and not target.is_symlink():
            target.mkdir(exist_ok=True)
            for child in _children()[path]:
                visit(child)

    visit(PurePosixPath())


def _any_of(names: set[str]) -> Distribution:
    return distribution(min(names))


class Environment:
    """A fresh environment without pip.

    Attributes:
        python: its interpreter.
        site: where its packages are.
    """

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False)
        self.python = folder / "bin" / "python"
        [self.site] = folder.glob("lib/python*/site-packages")

    def install(self, *wheels: Path) -> None:
        """Install wheels as they are, without what they need."""
        pip = [sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check"]
        run(*pip, "install", "--quiet", "--no-compile", "--no-index", "--no-deps", *wheels, cwd=self.site)

    def installed(self) -> set[str]:
        """Names of all distributions in it, in normal form."""
        return {normal(there.name) for there in distributions(path=[str(self.site)])}

    def requirements(self, name: str, *extras: str) -> list[str]:
        """What an installed wheel's own metadata ask for, as text, with these of its extras."""
        [there] = [each for each in distributions(path=[str(self.site)]) if normal(each.name) == normal(name)]
        parsed = [Requirement(text) for text in there.requires or ()]
        kept = [
            each
            for each in parsed
            if not each.marker or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras))
        ]
        for each in kept:
            each.marker = None
        return [str(each) for each in kept]
