"""Where the checkpoints of a sweep's runs are: a folder, or any storage that Arrow can reach."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supra_experiments.config import Config
from supra_experiments.errors import ExperimentError


def is_uri(place: str) -> bool:
    """Whether a place is a URI such as ``s3://bucket/runs``, and not a folder.

    Example:
        >>> is_uri("s3://bucket/runs"), is_uri("runs"), is_uri("C:/runs")
        (True, False, False)
    """
    return "://" in place


def run_name(config: Config, graph_digest: str) -> str:
    """A name for a run: its settings and its graph."""
    return f"{config.digest}-{graph_digest[:16]}"


@dataclass(frozen=True)
class CheckpointStore:
    """Checkpoints by the name of their run, each one file.

    In a folder the run writes its file directly. Elsewhere it writes a file of its own machine, which is
    fetched from the storage at the start and copied to it after each write.

    Args:
        place: a folder or a URI; created with the first checkpoint.

    Example:
        >>> store = CheckpointStore(tempfile.mkdtemp())
        >>> with store.open("0123") as checkpoint:
        ...     checkpoint.path.name
        '0123.pt'
    """

    place: str

    @contextmanager
    def open(self, run: str) -> "Iterator[OpenCheckpoint]":
        """The file that a run goes on from if it exists, and writes to."""
        name = f"{run}.pt"
        if not is_uri(self.place):
            yield OpenCheckpoint(Path(self.place) / name, None, "")
            return
        filesystem, root = self._filesystem()
        with tempfile.TemporaryDirectory(prefix="supra-checkpoint-") as folder:
            local, remote = Path(folder) / name, f"{root}/{name}"
            with suppress(FileNotFoundError), filesystem.open_input_stream(remote) as file:
                local.write_bytes(file.read())
            yield OpenCheckpoint(local, filesystem, remote)

    def remove(self, run: str) -> None:
        """Remove a run's checkpoint, if there is one."""
        name = f"{run}.pt"
        if not is_uri(self.place):
            (Path(self.place) / name).unlink(missing_ok=True)
            return
        filesystem, root = self._filesystem()
        with suppress(FileNotFoundError):
            filesystem.delete_file(f"{root}/{name}")

    def _filesystem(self) -> tuple[Any, str]:
        return open_uri(self.place)


class OpenCheckpoint:
    """A run's checkpoint while the run goes on.

    Attributes:
        path: of the file on this machine.
    """

    def __init__(self, path: Path, filesystem: Any, remote: str) -> None:
        self.path, self._filesystem, self._remote = path, filesystem, remote
        self._copied = self._written()

    def copy(self) -> None:
        """Copy the file to the storage if it was written since the last time."""
        written = self._written()
        if self._filesystem is None or written is None or written == self._copied:
            return
        # Under a temporary name first: who reads the checkpoint finds the last one whole.
        temporary = f"{self._remote}.{os.getpid()}.tmp"
        self._filesystem.create_dir(self._remote.rpartition("/")[0], recursive=True)
        with self._filesystem.open_output_stream(temporary) as file:
            file.write(self.path.read_bytes())
        self._filesystem.move(temporary, self._remote)
        self._copied = written

    def _written(self) -> int | None:
        return self.path.stat().st_mtime_ns if self.path.exists() else None


def open_uri(uri: str) -> tuple[Any, str]:
    """The Arrow filesystem of a URI, and the path in it.

    Raises:
        ExperimentError: a URI that no filesystem of this machine answers to.

    Example:
        >>> open_uri("file:///tmp/runs")[1]
        '/tmp/runs'
    """
    from pyarrow import ArrowInvalid, fs

    try:
        filesystem, path = fs.FileSystem.from_uri(uri)
    except (ArrowInvalid, OSError, NotImplementedError, ImportError) as error:
        raise ExperimentError(f"{uri}: cannot be reached ({' '.join(str(error).split())})") from None
    return filesystem, path.rstrip("/")
