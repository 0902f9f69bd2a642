"""The published files: found in a folder or downloaded, and never used unless every byte is right."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import platformdirs

from supra_experiments.datasets.registry import Entry
from supra_experiments.errors import DatasetError

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
    return user_cache() / "datasets"


def user_cache() -> Path:
    """The platform's folder for what this package keeps of the user's."""
    return platformdirs.user_cache_path("supra", appauthor=False)


def is_here(entry: Entry, root: str | os.PathLike[str] | None = None) -> bool:
    """Whether a dataset comes with the package, or the folder holds its file."""
    return entry.ships or (data_root(root) / entry.file_name).is_file()


def fetch(
    entry: Entry,
    root: str | os.PathLike[str] | None = None,
    *,
    url: str | None = None,
    retries: int = 2,
    progress: Progress | None = None,
) -> Path:
    """The path of a published file, downloaded first where the folder does not hold it yet.

    Args:
        entry: the dataset.
        root: the folder; see :func:`data_root`.
        url: where to download from instead of upstream, e.g. a mirror.
        retries: further attempts at a download that fails.
        progress: told about the download as it goes.

    Raises:
        DatasetError: the file was altered or cut short (it is then removed), or there is no way to get it.
    """
    path = data_root(root) / entry.file_name
    if path.exists():
        return _verified(path, entry)
    _download(entry, path, url or entry.url, retries, progress)
    return path


def _verified(path: Path, entry: Entry) -> Path:
    """The same path, if the file has the right content; otherwise it is removed and reported."""
    try:
        content = path.read_bytes()
    except OSError as error:
        found = f"cannot be read ({error.strerror or error})"
    else:
        actual = hashlib.sha256(content).hexdigest()
        if actual == entry.sha256:
            return path
        found = (
            f"is not the published file ({len(content)} of {entry.num_bytes} bytes; its SHA-256 is "
            f"{actual[:12]}…, must be {entry.sha256[:12]}…)"
        )
    removed = "it was removed: run this again to download it, or put the right file there"
    try:
        path.unlink()
    except OSError as error:
        reason = error.strerror or error
        removed = f"it is not used, and could not be removed ({reason}): remove it, then run this again"
    raise DatasetError(f"{path} {found}; {removed}")


def _download(entry: Entry, path: Path, url: str, retries: int, progress: Progress | None) -> None:
    """By way of a temporary name: the file is there once all of it is right, and not before."""
    import pooch  # takes a while, and most have their files already
    import requests

    pooch.get_logger().disabled = True  # the command says what is to be said
    catalogue = pooch.create(
        path=path.parent,
        base_url="",
        registry={path.name: f"sha256:{entry.sha256}"},
        urls={path.name: url},
        retry_if_failed=retries,
    )
    bar = False if progress is None else _Bar(progress, entry.num_bytes)
    elsewhere = "with --data-root or SUPRA_DATA"
    try:
        catalogue.fetch(path.name, downloader=pooch.HTTPDownloader(progressbar=bar, timeout=TIMEOUT))
    except ValueError as error:
        raise DatasetError(f"{url}: not the published file ({_short(error)}); nothing was kept") from None
    except requests.RequestException as error:
        raise DatasetError(
            f"{entry.name}: cannot download {url} ({_short(error)}); without network, put the file at {path} "
            f"or name a folder that holds it {elsewhere}"
        ) from None
    except OSError as error:
        reason = error.strerror or error
        raise DatasetError(f"{path}: cannot be written ({reason}); choose a folder {elsewhere}") from None


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


class _Bar:
    """What pooch asks of a progress bar."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def update(self, size: int) -> None:
        """So many bytes more."""
        self.done += size
        self.progress(min(self.done, self.total), self.total)

    def reset(self) -> None:
        """From the beginning."""
        self.done = 0

    def close(self) -> None:
        """Nothing is left open."""
