"""The published files: found in a folder or downloaded, and never used unless every byte is right."""

import hashlib
import http.client
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from supra_experiments.datasets.registry import Entry
from supra_experiments.errors import DatasetError
from supra_experiments.files import remove_leftovers, written_atomically

CHUNK = 1 << 16
TIMEOUT = 30.0

Progress = Callable[[int, int], None]
"""Called with the bytes so far and the bytes in all."""


def data_root(root: str | os.PathLike[str] | None = None) -> Path:
    """The folder that holds the datasets: ``root``, else ``$SUPRA_DATA``, else the user's cache folder.

    Example:
        >>> data_root("/somewhere").name
        'somewhere'
    """
    if root is not None:
        return Path(root).expanduser()
    if from_environment := os.environ.get("SUPRA_DATA"):
        return Path(from_environment).expanduser()
    return user_cache() / "supra" / "datasets"


def fetch(
    entry: Entry,
    root: str | os.PathLike[str] | None = None,
    *,
    url: str | None = None,
    progress: Progress | None = None,
) -> Path:
    """The path of a published file, downloaded first where the folder does not hold it yet.

    Args:
        entry: the dataset.
        root: the folder; see :func:`data_root`.
        url: where to download from instead of upstream, e.g. a mirror.
        progress: told about the download as it goes.

    Raises:
        DatasetError: the file was altered or cut short (it is then removed), or there is no way to get it.
    """
    folder = data_root(root)
    path = folder / entry.file_name
    if path.exists():
        return _verified(path, entry)
    _download(entry, path, url or entry.url, progress)
    return path


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _verified(path: Path, entry: Entry) -> Path:
    """The same path, if the file has the right content; otherwise it is removed and reported."""
    try:
        actual = sha256_of(path)
    except OSError as error:
        found = f"cannot be read ({error.strerror or error})"
    else:
        if actual == entry.sha256:
            return path
        size = path.stat().st_size
        found = (
            f"is not the published file ({size} of {entry.num_bytes} bytes; its SHA-256 is {actual[:12]}…, "
            f"must be {entry.sha256[:12]}…)"
        )
    raise DatasetError(f"{path} {found}; {_remove(path)}")


def _remove(path: Path) -> str:
    try:
        path.unlink()
    except OSError as error:
        reason = error.strerror or error
        return f"it is not used, and could not be removed ({reason}): remove it, then run this again"
    return "it was removed: run this again to download it, or put the right file there"


def _download(entry: Entry, path: Path, url: str, progress: Progress | None) -> None:
    """Stream the file to a temporary name, counting and hashing, and rename it only if all is right."""
    digest, received = hashlib.sha256(), 0
    remove_leftovers(path)
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "supra-experiments"})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response, written_atomically(path) as file:
            while chunk := response.read(CHUNK):
                file.write(chunk)
                digest.update(chunk)
                received += len(chunk)
                if received > entry.num_bytes:
                    break
                if progress is not None:
                    progress(received, entry.num_bytes)
            if received < entry.num_bytes:
                raise DatasetError(
                    f"{url}: the download stopped after {received} of {entry.num_bytes} bytes; "
                    "nothing was kept: try again"
                )
            if received > entry.num_bytes or digest.hexdigest() != entry.sha256:
                raise DatasetError(
                    f"{url}: not the published file (its SHA-256 is {digest.hexdigest()[:12]}…, "
                    f"must be {entry.sha256[:12]}…); nothing was kept"
                )
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", None) or error
        raise DatasetError(
            f"{entry.name}: cannot download {url} ({reason}); without network, put the file at {path} "
            "or name a folder that holds it with --data-root or SUPRA_DATA"
        ) from None
    except OSError as error:
        raise DatasetError(
            f"{path}: cannot be written ({error.strerror or error}); "
            "choose a folder with --data-root or SUPRA_DATA"
        ) from None


def user_cache() -> Path:
    """The platform's folder for caches of the user."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
