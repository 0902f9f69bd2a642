"""What a reader finds in a file or a table, and the graph that is made of it."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supra_core import checks
from supra_core.canonical import DUPLICATES
from supra_core.errors import InvalidArgumentError, InvalidGraphError, SupraError
from supra_core.io.own_header import Stated, checked
from supra_core.times import SnapshotTimes, Times, snapshots_of, times_of

if TYPE_CHECKING:
    from supra_core.temporal_graph import TemporalGraph


@dataclass(frozen=True)
class Binning:
    """How times become snapshots, and what an edge listed twice counts; see :func:`supra_core.read_edges`."""

    num_snapshots: int | None = None
    width: Any = None
    every: str | None = None
    unit: str | None = None
    duplicates: str | None = None
    max_snapshots: int | None = None

    @classmethod
    def of(cls, given: dict[str, Any]) -> "Binning":
        """Keyword arguments of a caller.

        Raises:
            InvalidArgumentError: a name that is none of these.
        """
        known = [field.name for field in fields(cls)]
        for name, value in given.items():
            if name not in known:
                raise InvalidArgumentError(f"{name}={value!r}: must be one of {', '.join(known)}")
        return cls(**given)

    @property
    def is_asked(self) -> bool:
        """Whether there are bins at all."""
        return not (self.num_snapshots is None and self.width is None and self.every is None)


@dataclass(frozen=True, eq=False)
class RawEdges:
    """The columns of an edge list, nothing merged yet.

    Attributes:
        source, target: ids, shape (m,).
        times: when each edge was, shape (m,).
        weight: shape (m,), or None.
        labels: what each id is called; None where ids are ids.
        stated: what our own header says; ``times`` are then indices of snapshots.
    """

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    times: Times
    weight: NDArray[Any] | None
    labels: NDArray[Any] | None = None
    stated: Stated | None = None

    def graph(self, where: str, binning: Binning, cls: "type[TemporalGraph]") -> "TemporalGraph":
        """The graph of these edges.

        Args:
            where: the name of the file, for complaints.
            binning: how times become snapshots.
            cls: the class of the graph, handed in since it is built on the readers.

        Raises:
            InvalidGraphError, InvalidArgumentError: what cannot be one.
        """
        if binning.duplicates is not None:
            checks.check_choice("duplicates", binning.duplicates, DUPLICATES)
        duplicates = binning.duplicates or ("once" if self.weight is None else "sum")
        if self.stated is not None:
            return self._stated_graph(where, binning, duplicates, self.stated, cls)
        labels = np.arange(0) if self.labels is None else self.labels
        if len(self.source) == 0:
            raise InvalidGraphError(f"{where}: has no edges")
        index, names, count = self._snapshots(self.times, binning)
        if binning.max_snapshots is not None and not binning.is_asked and count > binning.max_snapshots:
            allowed = f"at most {binning.max_snapshots}, or put into bins (every, num_snapshots)"
            raise InvalidGraphError(f"{where}: has {count} distinct times: must be {allowed}")
        return self._build(where, cls, index, duplicates, len(labels), count, labels, names)

    def _stated_graph(
        self, where: str, binning: Binning, duplicates: str, stated: Stated, cls: "type[TemporalGraph]"
    ) -> "TemporalGraph":
        """The graph as the header says that it was."""
        index = self.times.values
        num_nodes = stated.num_nodes
        if num_nodes is None:
            if len(self.source) == 0:
                raise InvalidGraphError(f"{where}: has no edges")
            num_nodes = int(max(self.source.max(), self.target.max())) + 1
        count = stated.num_snapshots or (int(index.max()) + 1 if len(index) else 1)
        more = checked(stated, num_nodes, count, where)
        names: SnapshotTimes | None = more.get("snapshot_times")
        if (binning.is_asked or binning.unit is not None) and len(index):
            # Our own files always have weights: where each is the integer 1, the graph had none.
            if binning.duplicates is None and self.weight is not None and self.weight.dtype.kind == "i":
                duplicates = "once" if (self.weight == 1).all() else "sum"
            # Its snapshots are put into bins by their times; bins, by their beginnings.
            values = index if names is None else names.values[index]
            index, names, count = self._snapshots(
                Times(values, None if names is None else names.zone), binning
            )
        elif binning.is_asked:
            raise InvalidGraphError(f"{where}: has no edges to put into bins")
        labels = more.get("node_labels")
        return self._build(where, cls, index, duplicates, num_nodes, count, labels, names)

    def _build(
        self,
        where: str,
        cls: "type[TemporalGraph]",
        index: NDArray[np.int64],
        duplicates: str,
        num_nodes: int,
        count: int,
        labels: Any,
        names: SnapshotTimes | None,
    ) -> "TemporalGraph":
        try:
            weight = None if self.weight is None else checks.check_weights("weight", self.weight)
            columns = (self.source, self.target, index, weight)
            return cls._from_checked(columns, num_nodes, count, duplicates, labels, names)
        except SupraError as error:
            raise InvalidGraphError(f"{where}: {error}") from None

    def _snapshots(
        self, times: Times, binning: Binning
    ) -> tuple[NDArray[np.int64], SnapshotTimes | None, int]:
        if binning.unit is not None:
            times = times_of("time", times.values, unit=binning.unit)
        return snapshots_of(
            times, num_snapshots=binning.num_snapshots, width=binning.width, every=binning.every
        )
