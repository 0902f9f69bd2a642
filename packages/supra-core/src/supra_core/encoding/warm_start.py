"""Starting vectors for a window from those of the window before."""

from typing import Any

import numpy as np

from supra_core.eigen.result import Array
from supra_core.supra_graph import SupraGraph


def warm_start(previous: SupraGraph, vectors: Any, following: SupraGraph, shift: int) -> Array:
    """Move vectors, shape (N, k), of one window's rows to the next one's, ``shift`` layers later.

    A row that is new takes the value of its node in the newest layer known, zero where there is none.
    """
    layers = previous.scatter(vectors)
    source = np.minimum(np.arange(following.num_snapshots) + shift, previous.num_snapshots - 1)
    return following.gather(layers[source])
