"""Where a sweep keeps what it did: a folder, or storage that is reached by a URI and mirrored in a folder."""

import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from supra_experiments.datasets.fetch import user_cache
from supra_experiments.errors import ExperimentError, SweepError
from supra_experiments.files import write_atomically
from supra_experiments.sweep.checkpoints import CheckpointStore, is_uri, open_uri
from supra_experiments.sweep.journal import FAILURES, RECORDS, SEARCH, SPEC

_FILES = (RECORDS, FAILURES, SEARCH, SPEC)
_SHARE = 20
"""Copying may take one in so many seconds."""


@dataclass
class SweepStorage:
    """The place of one sweep.

    A checkpoint is removed only when the record that replaces it is in its final place, so that a finished
    run is never trained again.

    Attributes:
        place: the folder or URI of the sweep.
        folder: of the journal, on this machine: the place itself, or its mirror.
    """

    place: str
    folder: Path
    _done_with: list[str] = field(default_factory=list)
    _copied: dict[str, int] = field(default_factory=dict)
    _next_copy: float = 0.0

    @classmethod
    @contextmanager
    def open(cls, storage_path: str | os.PathLike[str], name: str) -> "Iterator[SweepStorage]":
        """The place of the sweep ``name``, which can be written.

        Raises:
            SweepError: a storage path that is missing or cannot be written.
        """
        given = os.fspath(storage_path)
        if not is_uri(given):
            folder = _checked_folder(given, name)
            yield cls(str(folder), folder)
            return
        place = f"{given.rstrip('/')}/{name}"
        folder = user_cache() / "supra" / "sweeps" / hashlib.sha256(place.encode()).hexdigest()[:16] / name
        storage = cls(place, folder)
        storage._fetch(given)
        try:
            yield storage
        finally:
            storage.settle(force=True)

    @property
    def checkpoints(self) -> CheckpointStore:
        """Of runs that are under way."""
        return CheckpointStore(f"{self.place}/checkpoints")

    @property
    def tune(self) -> str:
        """Where Ray keeps its own state."""
        return f"{self.place}/ray"

    def done_with(self, run: str) -> None:
        """The checkpoint of a run may go as soon as what replaces it is safe."""
        self._done_with.append(run)
        self.settle()

    def settle(self, *, force: bool = False) -> None:
        """Bring the journal to its place if that is due, then remove the checkpoints that it replaces."""
        if is_uri(self.place) and (force or (self._done_with and time.monotonic() >= self._next_copy)):
            start = time.monotonic()
            self._copy()
            self._next_copy = time.monotonic() + _SHARE * (time.monotonic() - start)
        elif is_uri(self.place):
            return
        for run in self._done_with:
            self.checkpoints.remove(run)
        self._done_with.clear()

    # ── the mirror ─────────────────────────────────────────────────────────────────────────────────────────

    def _fetch(self, given: str) -> None:
        try:
            filesystem, root = open_uri(self.place)
            filesystem.create_dir(root, recursive=True)
            self.folder.mkdir(parents=True, exist_ok=True)
            for name in _FILES:
                with suppress(FileNotFoundError), filesystem.open_input_stream(f"{root}/{name}") as file:
                    _merge(self.folder / name, file.read())
            _write(filesystem, f"{root}/.probe", b"")
            filesystem.delete_file(f"{root}/.probe")
        except (OSError, ExperimentError) as error:
            reason = getattr(error, "strerror", None) or " ".join(str(error).split())
            raise SweepError(f"storage_path={given!r}: cannot be written ({reason})") from None

    def _copy(self) -> None:
        filesystem, root = open_uri(self.place)
        for name in _FILES:
            file = self.folder / name
            size = file.stat().st_size if file.exists() else 0
            if size and self._copied.get(name) != size:
                _write(filesystem, f"{root}/{name}", file.read_bytes())
                self._copied[name] = size


def _merge(mirror: Path, content: bytes) -> None:
    """Add to what the storage holds the lines that only the mirror does: a kill came before their copy."""
    if mirror.suffix == ".jsonl" and mirror.exists():
        known = set(content.splitlines())
        content += b"".join(
            line for line in mirror.read_bytes().splitlines(keepends=True) if line.rstrip(b"\n") not in known
        )
    write_atomically(mirror, lambda file: file.write(content))


def _write(filesystem: Any, path: str, content: bytes) -> None:
    """Under a temporary name first: who reads the file finds the last one whole."""
    with filesystem.open_output_stream(f"{path}.tmp") as file:
        file.write(content)
    filesystem.move(f"{path}.tmp", path)


def _checked_folder(given: str, name: str) -> Path:
    root = Path(given).expanduser().absolute()
    if not root.parent.is_dir():
        # A folder two levels deep in nothing is more often a share that is not mounted than a wish.
        raise SweepError(f"storage_path={given!r}: there is no folder {root.parent}")
    folder = root / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise SweepError(f"storage_path={given!r}: cannot be written ({error.strerror or error})") from None
    return folder
