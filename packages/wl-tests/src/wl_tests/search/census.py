"""How many temporal graphs of a size there are, and how many of them each test tells apart."""

from dataclasses import dataclass

import numpy as np

from supra_core.checks import check_count
from wl_tests.search.batches import batches
from wl_tests.search.isomorphism_classes import MAX_NODES, classes


@dataclass(frozen=True)
class Census:
    """How many classes of temporal graphs there are, and how many a test makes of them.

    Attributes:
        num_nodes, num_snapshots: the size of the graphs counted.
        isomorphism: classes up to renaming the nodes.
        supra: classes that Supra-WL tells apart.
        layer: classes that Layer-WL tells apart.
    """

    num_nodes: int
    num_snapshots: int
    isomorphism: int
    supra: int
    layer: int


def census(num_nodes: int, num_snapshots: int) -> Census:
    """Count all temporal graphs of a size: up to isomorphism, up to Supra-WL and up to Layer-WL.

    Work grows with the number of isomorphism classes, about 2^(T·n(n-1)/2) / n!.

    Raises:
        InvalidArgumentError: sizes that are no integers >= 1, or more than 8 nodes.

    Example:
        >>> census(3, 2)
        Census(num_nodes=3, num_snapshots=2, isomorphism=20, supra=20, layer=16)
    """
    table = classes(check_count("num_nodes", num_nodes, 1, MAX_NODES))
    check_count("num_snapshots", num_snapshots)
    total = supra = layer = 0
    for batch in batches(table, num_snapshots):
        total += len(batch.masks)
        supra += int(batch.supra_class().max()) + 1
        layer += len(np.unique(batch.layer_class))
    return Census(num_nodes, num_snapshots, total, supra, layer)
