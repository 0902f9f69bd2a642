"""Errors put into the mathematics on purpose, one at a time: which of them no test notices?

``python tools/mutants.py [words ...]`` applies every mutant of ``mutants.toml``, or those whose name holds
one of the words, in a copy of the repository, and runs the tests that are named beside it. A mutant that they
pass has survived: a test is missing. The exit code says whether one has.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_name("mutants.toml")


@dataclass(frozen=True)
class Mutant:
    """One change of one place.

    Args:
        name: what is wrong with the program afterwards.
        file: the module below ``packages/*/src``.
        old: text that is there exactly once.
        new: what is put in its place.
        tests: files or folders below ``tests`` that should notice.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def apply(self, root: Path) -> "Applied":
        """Change the module in a copy of the repository.

        Raises:
            LookupError: the text is not there, or more than once.
        """
        [path] = root.glob(f"packages/*/src/{self.file}") or [root / self.file]
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if text.count(self.old) != 1:
            raise LookupError(f"{self.name}: its text is {text.count(self.old)} times in {self.file}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")
        return Applied(path, text)


@dataclass(frozen=True)
class Applied:
    """A module that was changed, and what was in it."""

    path: Path
    text: str

    def undo(self) -> None:
        """Put back what was there."""
        self.path.write_text(self.text, encoding="utf-8")


def read(path: Path = LIST) -> list[Mutant]:
    """The mutants of a list, as it orders them."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    return [Mutant(**entry | {"tests": tuple(entry["tests"])}) for entry in entries]


def copy(folder: Path) -> None:
    """What tests need of the repository, without what was built or recorded."""
    for name in ("packages", "tests", "pyproject.toml"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "dist"))
        else:
            shutil.copy(source, folder / name)


def passes(folder: Path, tests: tuple[str, ...]) -> tuple[bool, str]:
    """Whether all these tests pass in a copy, and the first that does not."""
    sources = os.pathsep.join(str(path) for path in folder.glob("packages/*/src"))
    # The same examples every time, so that what is noticed once is noticed again.
    environment = os.environ | {"PYTHONPATH": sources, "HYPOTHESIS_PROFILE": "ci"}
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *(f"tests/{name}" for name in tests)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 1, 2):  # all pass, some fail, or a module cannot even be imported
        raise RuntimeError(f"pytest: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return done.returncode == 0, (failed or [""])[0].partition(" - ")[0]


def main(words: list[str]) -> int:
    """Try each mutant, print its fate, and count those that are left."""
    mutants = [each for each in read() if not words or any(word in each.name for word in words)]
    survivors, moved = [], []
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name)
        copy(folder)
        checked: set[tuple[str, ...]] = set()
        for mutant in mutants:
            if mutant.tests not in checked:
                is_sound, failed = passes(folder, mutant.tests)
                if not is_sound:
                    print(f"the tests do not pass as they are: {failed}")
                    return 2
                checked.add(mutant.tests)
            try:
                applied = mutant.apply(folder)
            except LookupError as error:
                moved.append(mutant)
                print(f"moved     {error}", flush=True)
                continue
            has_survived, failed = passes(folder, mutant.tests)
            applied.undo()
            survivors += [mutant] if has_survived else []
            print(f"{'SURVIVED' if has_survived else 'killed  '}  {mutant.name}  {failed}", flush=True)
    print(f"{len(mutants)} mutants: {len(survivors)} survived, {len(moved)} no longer found in the sources")
    return 1 if survivors or moved else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
