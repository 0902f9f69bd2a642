"""Lines and files of Python by folder, now and at commits: ``python tools/lines.py [commit ...]``."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
PATTERNS = ("packages/*/src/*.py", "tests/*.py", "tools/*.py")


def counts(commit: str | None = None, root: Path = ROOT) -> dict[str, tuple[int, int]]:
    """Lines and files by folder: of a commit, or of what git follows in the working tree.

    Empty files, as most ``__init__.py`` of tests, are not counted.
    """
    command = ["git", "grep", "-c", "", *([commit] if commit else []), "--", *PATTERNS]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for line in listed.splitlines():
        path, _, number = line.removeprefix(f"{commit}:").rpartition(":")
        folder = _folder(PurePosixPath(path))
        lines[folder] += int(number)
        files[folder] += 1
    return {folder: (lines[folder], files[folder]) for folder in sorted(lines)}


def _folder(path: PurePosixPath) -> str:
    """``supra_core/eigen`` for what is in a package's sources; for tests and tools as it is."""
    parts = path.parent.parts
    return "/".join(parts[3:] if parts[0] == "packages" else parts)


def table(columns: dict[str, dict[str, tuple[int, int]]]) -> str:
    """A Markdown table: one row a folder, lines and files for each of ``columns``, and their sums.

    Args:
        columns: what :func:`counts` gave, by heading.
    """
    rows = [["folder", *(f"{name}: {what}" for name in columns for what in ("lines", "files"))]]
    rows.append(["---", *["---:"] * (len(rows[0]) - 1)])
    folders = sorted(set().union(*columns.values()), key=lambda name: (name.startswith("tests"), name))
    for folder in folders:
        rows.append([folder, *_numbers(column.get(folder, (0, 0)) for column in columns.values())])
    for name, is_test in (("all but tests", False), ("all tests", True)):
        kept = [
            [v for f, v in column.items() if f.startswith("tests") == is_test] for column in columns.values()
        ]
        sums = [tuple(map(sum, zip(*values, strict=True))) for values in kept]
        rows.append([f"**{name}**", *_numbers(sums)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _numbers(pairs: Iterable[tuple[int, ...]]) -> list[str]:
    return [f"{number:,}" for pair in pairs for number in pair]


def main(commits: list[str]) -> None:
    """Print the table."""
    print(table({commit: counts(commit) for commit in commits} | {"now": counts()}))


if __name__ == "__main__":
    main(sys.argv[1:])
