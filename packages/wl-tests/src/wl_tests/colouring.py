"""The colours of all rounds of a test, and which of two colourings is finer."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supra_core import InvalidArgumentError, TemporalGraph
from supra_core.checks import check_count, check_index
from wl_tests import inputs, neighbourhoods
from wl_tests.refine import Refinement, refine
from wl_tests.verdict import Verdict

Round = tuple[NDArray[Any], ...]
"""One integer array (num_snapshots, num_nodes) for each graph."""


class Rounds(Sequence[Round]):
    """Every round of a refinement, made when asked for; ``rounds[r][g]`` is (num_snapshots, num_nodes)."""

    def __init__(self, refinement: Refinement, shapes: Sequence[tuple[int, int]]) -> None:
        self._refinement = refinement
        self._shapes = tuple(shapes)

    def __len__(self) -> int:
        return self._refinement.num_rounds + 1

    @overload
    def __getitem__(self, r: int) -> Round: ...
    @overload
    def __getitem__(self, r: slice) -> list[Round]: ...
    def __getitem__(self, r: int | slice) -> Round | list[Round]:
        if isinstance(r, slice):
            return [self[i] for i in range(*r.indices(len(self)))]
        if not -len(self) <= r < len(self):
            raise IndexError(f"r={r}: must be in 0 .. {len(self) - 1}")
        colours = self._refinement.at(r % len(self))
        ends = np.cumsum([height * width for height, width in self._shapes])
        parts = np.split(colours, ends[:-1])
        return tuple(part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True))

    def __iter__(self) -> Iterator[Round]:
        return (self[r] for r in range(len(self)))

    def __repr__(self) -> str:
        return f"Rounds({len(self)} rounds of {len(self._shapes)} graphs)"


@dataclass(frozen=True, eq=False, repr=False)
class Colouring:
    """The colours of all nodes in all layers of all graphs refined together, round by round.

    Equal colours mean equal across graphs too. Colours of a round are consecutive integers from 0; they
    depend on the graphs alone, not on the order of nodes or edges, and later rounds number finer classes in
    the same order.

    Attributes:
        test: the name of the update rule.
        rounds: ``rounds[r][g]`` is an int array (num_snapshots, num_nodes); ``rounds[0]`` is the start.
        stable: whether one more round would change nothing. If not, ``max_rounds`` ended the refinement.
    """

    test: str
    rounds: Rounds
    stable: bool
    _refinement: Refinement

    @classmethod
    def of(
        cls,
        test: str,
        graphs: Sequence[TemporalGraph],
        node_features: inputs.NodeFeatures | None,
        edge_labels: inputs.EdgeLabels | None,
        max_rounds: int | None,
        *,
        temporal: bool,
    ) -> "Colouring":
        """Check what a test was given, and refine. The rules differ only in what a node sees.

        Args:
            test: the name of the rule.
            temporal: whether a node also sees itself one layer earlier and one layer later.
            graphs, node_features, edge_labels, max_rounds: as in :func:`~wl_tests.supra_wl`.
        """
        checked = inputs.check_graphs(graphs)
        limit = None if max_rounds is None else check_count("max_rounds", max_rounds, 0)
        start = inputs.initial_colours(checked, node_features)
        labels = inputs.interned_labels(checked, edge_labels)
        refinement = refine(neighbourhoods.of_graphs(checked, labels, temporal=temporal), start, limit)
        rounds = Rounds(refinement, [(graph.num_snapshots, graph.num_nodes) for graph in checked])
        return cls(test, rounds, refinement.stable, refinement)

    @property
    def num_rounds(self) -> int:
        """How many rounds changed the partition: ``len(rounds) - 1``."""
        return self._refinement.num_rounds

    @property
    def num_graphs(self) -> int:
        """How many graphs were refined together."""
        return len(self.rounds._shapes)

    def at(self, r: int) -> Round:
        """``rounds[r]`` for any r >= 0: a stable colouring stays as it is.

        Raises:
            InvalidArgumentError: a round beyond the last one of a colouring that is not stable.
        """
        return self.rounds[self._known(r)]

    def num_colours(self, r: int | None = None) -> int:
        """The number of colours after round ``r`` (the last where not given), all graphs together."""
        return self._refinement.num_colours(self._known(r))

    def histogram(self, g: int = 0, r: int | None = None) -> dict[int, int]:
        """The multiset of colours of graph ``g`` after round ``r`` (else the last): colour -> count."""
        g = check_index("g", g, self.num_graphs)
        colours, counts = np.unique(self.rounds[self._known(r)][g], return_counts=True)
        return dict(zip(colours.tolist(), counts.tolist(), strict=True))

    def parting_round(self, g: int, h: int) -> int | None:
        """The first round after which graphs ``g`` and ``h`` have different multisets of colours, or None."""
        g, h = check_index("g", g, self.num_graphs), check_index("h", h, self.num_graphs)
        last = self.rounds[-1]
        size = self.num_colours()
        surplus = np.bincount(last[g].ravel(), minlength=size) - np.bincount(last[h].ravel(), minlength=size)
        if surplus.sum() != 0:
            return 0  # different numbers of nodes
        # Classes of every round are intervals of final colours; a cut before colour c leaves equal counts on
        # its left in all rounds, or parts the multisets in the round it is made.
        left = np.cumsum(surplus) - surplus
        parted = self._refinement.born[left != 0]
        return int(parted.min()) if len(parted) else None

    def verdict(self, g: int = 0, h: int = 1) -> Verdict:
        """Whether graphs ``g`` and ``h`` are told apart, and when."""
        parted = self.parting_round(g, h)
        return Verdict(parted is not None, parted, self.num_rounds, self.stable, self.test)

    def _known(self, r: int | None) -> int:
        if r is None:
            return self.num_rounds
        r = check_count("r", r, 0)
        if r > self.num_rounds and not self.stable:
            raise InvalidArgumentError.of("r", r, f"at most {self.num_rounds}: refinement was stopped there")
        return min(r, self.num_rounds)

    def __repr__(self) -> str:
        counts = [str(self.num_colours(r)) for r in _few(self.num_rounds)]
        if self.num_rounds > 7:
            counts.insert(4, "…")
        graphs = f"{self.num_graphs} graph{'s' if self.num_graphs > 1 else ''}"
        state = "stable" if self.stable else f"stopped at max_rounds={self.num_rounds}"
        return (
            f"Colouring({self.test}, {graphs}, {len(self._refinement.colours)} supra-nodes, "
            f"colours by round {' → '.join(counts)}, {state})"
        )


def _few(last: int) -> list[int]:
    return list(range(last + 1)) if last <= 7 else [0, 1, 2, 3, last - 1, last]


def refines(fine: Colouring | Iterable[ArrayLike], coarse: Colouring | Iterable[ArrayLike]) -> bool:
    """Whether every class of ``fine`` lies in one class of ``coarse``: equal there implies equal here.

    Args:
        fine, coarse: colourings of the same graphs (their last rounds are compared), or single rounds, such
            as ``colouring.rounds[r]``.

    Raises:
        InvalidArgumentError: colourings of different shapes.

    Example:
        >>> from wl_tests import gallery, layer_wl, supra_wl
        >>> pair = gallery.moved_edge()
        >>> supra, layer = supra_wl(pair.first, pair.second), layer_wl(pair.first, pair.second)
        >>> refines(supra, layer), refines(layer, supra)
        (True, False)
    """
    fine_parts, coarse_parts = _last_round(fine), _last_round(coarse)
    shapes = [part.shape for part in fine_parts], [part.shape for part in coarse_parts]
    if shapes[0] != shapes[1]:
        raise InvalidArgumentError.of("coarse", shapes[1], f"of the shapes of fine, {shapes[0]}")
    if not fine_parts:
        return True
    a = np.concatenate([part.ravel() for part in fine_parts])
    b = np.concatenate([part.ravel() for part in coarse_parts])
    classes, a = np.unique(a, return_inverse=True)
    # Every member of a class of `fine` must have the colour that the last one written has in `coarse`.
    representative = np.zeros(len(classes), dtype=b.dtype)
    representative[a] = b
    return bool((representative[a] == b).all())


def _last_round(colouring: Any) -> list[NDArray[Any]]:
    parts = colouring.rounds[-1] if isinstance(colouring, Colouring) else colouring
    return [np.asarray(part) for part in parts]
