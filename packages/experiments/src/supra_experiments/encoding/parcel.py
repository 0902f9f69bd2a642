"""What processes of one machine share, in a file that each of them maps into its memory."""

import mmap
import pickle
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from supra_experiments.errors import ClusterError, told_as

_ALIGNMENT = 64  # the strictest that arrays ask for


@dataclass(frozen=True, slots=True)
class Parcel:
    """An object whose arrays are in the memory once, however many processes read them.

    Attributes:
        path: the file: the object as :mod:`pickle` writes it, then the arrays in it, each part padded.
        sizes: the bytes of each part without its padding.
    """

    path: Path
    sizes: tuple[int, ...]

    def open(self) -> Any:
        """The object; its arrays can be read, not written. The one opened last is kept."""
        return _opened(self)


@contextmanager
def parcel(shared: Any) -> Iterator[Parcel]:
    """A parcel for processes that this one starts; it is gone when the block ends.

    Raises:
        ClusterError: the folder for temporary files has no room for it.

    Example:
        >>> import numpy as np
        >>> with parcel({"values": np.arange(3.0)}) as contents:
        ...     contents.open()
        {'values': array([0., 1., 2.])}
    """
    arrays: list[pickle.PickleBuffer] = []
    body = pickle.dumps(shared, protocol=5, buffer_callback=arrays.append)
    parts = [memoryview(body), *(array.raw() for array in arrays)]
    # A process may still have the file open when it is removed, which Windows refuses.
    with tempfile.TemporaryDirectory(prefix="supra-", ignore_cleanup_errors=True) as folder:
        path = Path(folder, "shared")
        size = sum(part.nbytes for part in parts) / 1e6
        problem = (
            f"{folder}: cannot hold the {size:.0f} MB that processes share (TMPDIR names another folder)"
        )
        with told_as(ClusterError, problem), path.open("wb") as file:
            for part in parts:
                file.write(part)
                file.write(bytes(_padding(part.nbytes)))
        yield Parcel(path, tuple(part.nbytes for part in parts))


@lru_cache(maxsize=1)
def _opened(contents: Parcel) -> Any:
    with contents.path.open("rb") as file:
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    starts = accumulate((size + _padding(size) for size in contents.sizes), initial=0)
    body, *arrays = (whole[start : start + size] for start, size in zip(starts, contents.sizes, strict=False))
    # Of this process's own parent, never of a file that somebody else could have written.
    return pickle.loads(body, buffers=arrays)


def _padding(size: int) -> int:
    return -size % _ALIGNMENT
