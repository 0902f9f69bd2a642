"""The files that a report is made from: what paths of files and folders stand for."""

import os
from collections.abc import Iterable
from pathlib import Path

from supra_experiments.errors import ExperimentError
from supra_experiments.sweep.journal import FAILURES, RECORDS, SEARCH

SUFFIXES = (".jsonl", ".jsonl.gz")


def find_files(paths: Iterable[str | os.PathLike[str]]) -> tuple[list[Path], list[Path]]:
    """The files that paths stand for, each once, and the folders of records inside that are left out."""
    found: dict[Path, Path] = {}
    left_out: list[Path] = []
    for given in map(Path, paths):
        if given.is_dir():
            inside, deeper = _in_folder(given)
            if not inside:
                raise ExperimentError(f"{given}: no {' or '.join(SUFFIXES)} file in this folder")
            left_out += deeper
        elif not given.exists():
            raise ExperimentError(f"{given}: no such file or folder")
        elif not given.name.endswith(SUFFIXES):
            raise ExperimentError(f"{given}: must be a {' or '.join(SUFFIXES)} file or a folder of them")
        else:
            inside = [given]
        for path in inside:
            found.setdefault(path.resolve(), path)
    if not found:
        raise ExperimentError("RUNS: at least one file or folder of run records is needed")
    read = {path.parent for path in found}
    return list(found.values()), [folder for folder in left_out if folder.resolve() not in read]


def _in_folder(folder: Path) -> tuple[list[Path], list[Path]]:
    """The files of a folder, or without any those of its sub-folders; and sub-folders that are left out."""
    entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    files = [path for path in entries if path.name.endswith(SUFFIXES) and path.is_file()]
    if any(path.name == RECORDS for path in files):  # what a sweep keeps beside its records is none of them
        files = [path for path in files if path.name not in (FAILURES, SEARCH)]
    below = [(path, *_in_folder(path)) for path in entries if path.is_dir()]
    if files:
        return files, [path for path, inside, _ in below if inside]
    return [file for _, inside, _ in below for file in inside], [path for *_, out in below for path in out]
