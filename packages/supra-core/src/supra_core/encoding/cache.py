"""Eigenpairs kept on disk, found again by what determines them."""

import contextlib
import dataclasses
import hashlib
import io
import zipfile
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from supra_core.eigen.result import EigenResult, Spare, Trajectory
from supra_core.files import replacing
from supra_core.temporal_graph import TemporalGraph
from supra_core.version import __version__

FORMAT = 4
_CHECKSUM = 32  # bytes of SHA-256 at the end of a file


class EigenCache:
    """A folder of ``.npz`` files, one a decomposition; without a folder it holds nothing.

    Files are written to a temporary name and renamed, so that a run that is killed leaves no half file, and
    several processes may share a folder. Each ends with a checksum of its name and content: a file that is
    damaged in any way is removed and computed again.
    """

    def __init__(self, folder: str | PathLike[str] | None) -> None:
        self.folder = None if folder is None else Path(folder)

    def key(self, graph: TemporalGraph, settings: Any, start: Any) -> str | None:
        """The name of a decomposition: a hash of the graph, the settings, the start and the versions.

        Args:
            graph: what is decomposed.
            settings: plain values, arrays and dataclasses of those.
            start: what the starting vectors are chosen from, likewise.

        Returns:
            None where there is no folder, or a setting (a function, say) whose content cannot be told.
        """
        if self.folder is None:
            return None
        parts = fingerprint((FORMAT, __version__, graph.digest, settings, start))
        return None if parts is None else hashlib.sha256(parts.encode()).hexdigest()

    def load(self, key: str | None) -> tuple[EigenResult, float] | None:
        """The result kept under ``key`` and the seconds that it took, or None."""
        if self.folder is None or key is None:
            return None
        path = self.folder / f"{key}.npz"
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            content = b""
        body, checksum = content[:-_CHECKSUM], content[-_CHECKSUM:]
        if hashlib.sha256(key.encode() + body).digest() == checksum:
            try:
                with np.load(io.BytesIO(body), allow_pickle=False) as stored:
                    return unpack(stored), float(stored["seconds"])
            except (ValueError, KeyError, zipfile.BadZipFile):
                pass  # whole, but not one of ours
        with contextlib.suppress(OSError):
            path.unlink()
        return None

    def save(self, key: str | None, result: EigenResult, seconds: float) -> None:
        """Keep a result under ``key``, and the seconds that it took."""
        if self.folder is None or key is None:
            return
        with replacing(self.folder / f"{key}.npz") as temporary:
            np.savez(temporary, seconds=seconds, **pack(result))
            with temporary.open("r+b") as file:
                checksum = hashlib.sha256(key.encode())
                while block := file.read(1 << 20):
                    checksum.update(block)
                file.write(checksum.digest())


def pack(result: EigenResult) -> dict[str, Any]:
    """The fields of a result as arrays by name."""
    arrays = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    trajectory, spare = arrays.pop("trajectory"), arrays.pop("spare")
    if trajectory is not None:
        arrays["trajectory_eigenvalues"] = trajectory.eigenvalues
        arrays["trajectory_eigenvectors"] = trajectory.eigenvectors
    if spare is not None:
        arrays["spare_values"], arrays["spare_vectors"] = spare.values, spare.vectors
    return {name: np.asarray(value) for name, value in arrays.items()}


def unpack(arrays: Mapping[str, Any]) -> EigenResult:
    """The way back from :func:`pack`."""
    values: dict[str, Any] = {}
    for field in dataclasses.fields(EigenResult):
        if field.name not in ("trajectory", "spare"):
            array = arrays[field.name]
            values[field.name] = array if array.ndim else array.item()
    if "trajectory_eigenvalues" in arrays:
        values["trajectory"] = Trajectory(arrays["trajectory_eigenvalues"], arrays["trajectory_eigenvectors"])
    if "spare_values" in arrays:
        values["spare"] = Spare(arrays["spare_values"], arrays["spare_vectors"])
    return EigenResult(**values)


def fingerprint(value: Any) -> str | None:
    """Text that is equal for equal content and for no other; None where content cannot be told.

    Example:
        >>> fingerprint((1, "a", None))
        "(1, 'a', None)"
        >>> fingerprint(np.zeros(2)) == fingerprint(np.ones(2))
        False
        >>> fingerprint(lambda block: block) is None
        True
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"{value.dtype.str}{value.shape}{content}"
    parts: Any
    if isinstance(value, tuple):
        parts, name = value, ""
    elif sp.issparse(value):
        entries: Any = sp.csr_array(cast(Any, value))
        parts, name = (entries.shape, entries.data, entries.indices, entries.indptr), "csr"
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        parts = tuple((field.name, getattr(value, field.name)) for field in fields)
        name = f"{type(value).__module__}.{type(value).__qualname__}"
    else:
        return None
    texts = [fingerprint(part) for part in parts]
    known = [text for text in texts if text is not None]
    return f"{name}({', '.join(known)})" if len(known) == len(texts) else None
