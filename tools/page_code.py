"""The examples of a page run: blocks of Python, and commands of ``supra``, in the order in which they stand.

``python tools/page_code.py FOLDER PAGE …`` runs pages and leaves the pictures that they draw in a folder.
"""

import doctest
import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run_page(page: Path) -> None:
    """Run all examples of a page in the folder of the process.

    The blocks of one page are one story: each may use what those before it made. Blocks marked ``python`` are
    run, sessions (``>>>``) with their output compared. In blocks marked ``sh`` each line is a command of
    ``supra``.

    Raises:
        AssertionError: a session that prints something else, or a command that fails.
    """
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start(2))
        if block[1] == "sh":
            _run_commands(block[2])
        elif ">>>" in block[2]:
            where = f"{page.name}, line {line + 1}"
            test = doctest.DocTestParser().get_doctest(block[2], names, where, str(page), line)
            runner = doctest.DocTestRunner(verbose=False)
            runner.run(test, clear_globs=False)
            assert runner.summarize(verbose=False).failed == 0, where
            names = test.globs
        else:
            exec(compile("\n" * line + block[2], str(page), "exec"), names)


def _run_commands(block: str) -> None:
    from supra_experiments.cli.main import main as supra

    for line in block.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            assert words[0] == "supra", f"{line}: only commands of supra are run; mark other blocks otherwise"
            assert supra(words[1:]) == 0, line


def main(arguments: list[str]) -> None:
    """Run pages, each in a folder of its own, and keep the pictures that they draw."""
    folder, *pages = [Path(argument).resolve() for argument in arguments]
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages:
        with TemporaryDirectory() as place:
            os.chdir(place)
            run_page(page)
            os.chdir(folder)
            for picture in Path(place).glob("*.svg"):
                shutil.copy(picture, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
