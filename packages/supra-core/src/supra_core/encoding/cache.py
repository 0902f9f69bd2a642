"""Eigenpairs kept on disk, found again by what determines them."""

import contextlib
import hashlib
import zipfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from supra_core.eigen.result import Array, EigenResult, Trajectory
from supra_core.files import replacing

_ARRAYS = ("eigenvalues", "eigenvectors", "residual_norms", "converged")


class EigenCache:
    """A folder of ``.npz`` files, one a decomposition; without a folder it holds nothing.

    Files are written to a temporary name and renamed, so that a run that is killed leaves no half file, and
    several processes may share a folder. A file that cannot be read is removed and computed again.
    """

    def __init__(self, folder: str | PathLike[str] | None) -> None:
        self.folder = None if folder is None else Path(folder)

    def key(self, digest: str, settings: str, x0: Array | None) -> str:
        """The name of a decomposition: a hash of the graph, the settings and the starting vectors."""
        content = hashlib.sha256(f"1 {digest} {settings}".encode())  # 1: the format's version
        if x0 is not None:
            content.update(np.ascontiguousarray(x0).tobytes())
        return content.hexdigest()

    def load(self, key: str) -> EigenResult | None:
        """The result kept under ``key``, or None."""
        if self.folder is None:
            return None
        path = self._path(key)
        try:
            with np.load(path, allow_pickle=False) as stored:
                steps = None
                if "trajectory_eigenvalues" in stored:
                    steps = Trajectory(stored["trajectory_eigenvalues"], stored["trajectory_eigenvectors"])
                return EigenResult(
                    **{name: stored[name] for name in _ARRAYS},
                    num_steps=int(stored["num_steps"]),
                    num_matvecs=int(stored["num_matvecs"]),
                    solver=str(stored["solver"]),
                    trajectory=steps,
                )
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            with contextlib.suppress(OSError):
                path.unlink()
            return None

    def save(self, key: str, result: EigenResult) -> None:
        """Keep a result under ``key``."""
        if self.folder is None:
            return
        arrays: dict[str, Any] = {name: getattr(result, name) for name in _ARRAYS}
        arrays |= {name: getattr(result, name) for name in ("num_steps", "num_matvecs", "solver")}
        if result.trajectory is not None:
            arrays["trajectory_eigenvalues"] = result.trajectory.eigenvalues
            arrays["trajectory_eigenvectors"] = result.trajectory.eigenvectors
        self.folder.mkdir(parents=True, exist_ok=True)
        with replacing(self._path(key)) as temporary:
            np.savez(temporary, **arrays)

    def _path(self, key: str) -> Path:
        if self.folder is None:
            raise RuntimeError("this cache has no folder")
        return self.folder / f"{key}.npz"
