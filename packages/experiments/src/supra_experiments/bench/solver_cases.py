"""The matrices that solvers are compared on: a generated temporal graph of any size, and the real ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from supra_core import TemporalGraph, generators, laplacian, layer_graph, supra_graph
from supra_experiments.datasets import load
from supra_experiments.datasets.fetch import is_here
from supra_experiments.datasets.registry import REGISTRY

NUM_LAYERS = 5
NORMALIZATIONS = ("combinatorial", "sym")


@dataclass(frozen=True, eq=False)
class Case:
    """One matrix.

    Attributes:
        graph: ``generated`` or a dataset's name.
        part: ``supra`` (all layers of a window, coupled) or ``layer`` (the newest snapshot alone).
        normalization: ``combinatorial`` or ``sym``.
        matrix: the Laplacian, in double precision.
    """

    graph: str
    part: str
    normalization: str
    matrix: sp.csr_array

    @property
    def num_rows(self) -> int:
        """Rows of the matrix: active supra-nodes."""
        return int(self.matrix.shape[0])


def generated_graph(num_nodes: int, *, seed: int = 0) -> TemporalGraph:
    """Five layers of a preferential-attachment graph (m = 3); a fifth of the edges moves from layer to layer.

    The bulk of its spectrum starts where eigenvalues lie close together: of 50,005 supra-nodes, the eighth
    and the ninth differ by nine thousandths, where the largest is ten thousand.

    Example:
        >>> generated_graph(100).num_snapshots
        5
    """
    return generators.barabasi_albert(num_nodes, NUM_LAYERS, m=3, rewire=0.2, seed=seed)


def cases(
    sizes: Sequence[int], *, seed: int = 0, names: Sequence[str] = (), root: str | Path | None = None
) -> Iterator[Case]:
    """Generated graphs of about ``sizes`` active supra-nodes, then datasets, each with both Laplacians."""
    for size in sizes:
        graph = generated_graph(max(4, size // NUM_LAYERS), seed=seed)
        for normalization in NORMALIZATIONS:
            yield _case("generated", "supra", normalization, graph)
    for name in names:
        graph = load(name, root=root).graph
        window = graph.window(graph.num_snapshots - 1, NUM_LAYERS)
        for part in ("supra", "layer"):
            for normalization in NORMALIZATIONS:
                yield _case(name, part, normalization, window)


def warm_up_case() -> Case:
    """A small matrix that every method can do."""
    return _case("generated", "supra", "sym", generated_graph(100))


def present_datasets(root: str | Path | None = None, names: Sequence[str] | None = None) -> list[str]:
    """The published datasets (of these names) that are here; nothing is downloaded."""
    chosen = REGISTRY if names is None else {name: REGISTRY[name] for name in names}
    return [name for name, entry in chosen.items() if is_here(entry, root)]


def _case(name: str, part: str, normalization: str, graph: TemporalGraph) -> Case:
    joined = supra_graph(graph) if part == "supra" else layer_graph(graph, graph.num_snapshots - 1)
    matrix = laplacian(joined.adjacency, "sym" if normalization == "sym" else None)
    return Case(name, part, normalization, sp.csr_array(matrix.astype(np.float64)))
