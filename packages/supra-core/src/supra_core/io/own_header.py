"""What a file of our own says of its graph: sizes, names and times."""

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from supra_core.errors import InvalidGraphError, SupraError
from supra_core.labels import check_json, check_labels
from supra_core.times import SnapshotTimes, times_of

if TYPE_CHECKING:
    from supra_core.temporal_graph import TemporalGraph

SIZES = ("num_nodes", "num_snapshots")


@dataclass(frozen=True)
class Stated:
    """What the header says; None where it says nothing.

    Attributes:
        num_nodes, num_snapshots: sizes of the graph.
        weights: ``integer`` or ``float``.
        node_labels: the names of the nodes.
        snapshot_times: numbers or ISO dates.
        time_zone: the zone of the dates.
    """

    num_nodes: int | None = None
    num_snapshots: int | None = None
    weights: str | None = None
    node_labels: list[Any] | None = None
    snapshot_times: list[Any] | None = None
    time_zone: str | None = None

    def names_and_times(self, num_nodes: int, num_snapshots: int) -> dict[str, Any]:
        """Labels and times, checked, as :meth:`TemporalGraph.from_edges` takes them.

        Raises:
            SupraError: labels or times that do not go with the sizes.
        """
        found: dict[str, Any] = {}
        if self.node_labels is not None:
            check_labels(self.node_labels, num_nodes)
            found["node_labels"] = self.node_labels
        if self.snapshot_times is not None:
            times = times_of("snapshot_times", self.snapshot_times, zone=self.time_zone)
            found["snapshot_times"] = SnapshotTimes.of(times, num_snapshots)
        return found


def entries_of(graph: "TemporalGraph") -> dict[str, str]:
    """What the header says of a graph, as text by name.

    Raises:
        InvalidGraphError: names that a file cannot give back.
    """
    kind = "float" if graph.weight.dtype.kind == "f" else "integer"
    entries = {"num_nodes": str(graph.num_nodes), "num_snapshots": str(graph.num_snapshots), "weights": kind}
    if graph._labels is not None:
        check_json(graph._labels)
        entries["node_labels"] = json.dumps(graph._labels.tolist())
    if graph._times is not None:
        entries["snapshot_times"] = json.dumps(graph._times.texts())
        if graph._times.zone is not None:
            entries["time_zone"] = graph._times.zone
    return entries


def stated_by(entries: dict[str, str], where: str) -> Stated | None:
    """The way back from :func:`entries_of`; None where the entries are not of our own.

    Raises:
        InvalidGraphError: an entry that is not what it must be.
    """
    if not any(name in entries for name in SIZES):
        return None
    found: dict[str, Any] = {name: entries[name] for name in ("weights", "time_zone") if name in entries}
    for name in SIZES:
        if name in entries:
            if not re.fullmatch(r"[0-9]{1,19}", entries[name]) or not 1 <= int(entries[name]) < 2**62:
                raise InvalidGraphError(f"{where}: {name}={entries[name]}: must be an integer >= 1")
            found[name] = int(entries[name])
    for name in ("node_labels", "snapshot_times"):
        if name in entries:
            found[name] = _list(name, entries[name], where)
    return Stated(**found)


def stated_in_comments(lines: list[str], where: str) -> Stated | None:
    """What the comments at the top of a text file say, the first line's first."""
    if not lines or not re.search(r"\b(num_nodes|num_snapshots)=", lines[0]):
        return None
    entries = dict(re.findall(r"\b(num_nodes|num_snapshots|weights|time_zone)=(\S*)", lines[0]))
    for line in lines[1:]:
        found = re.fullmatch(r"\s*#\s*(node_labels|snapshot_times)=(.*)", line)
        if found is None:
            break
        entries[found[1]] = found[2]
    return stated_by(entries, where)


def _list(name: str, text: str, where: str) -> list[Any]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or any(isinstance(value, (list, dict)) for value in values):
        raise InvalidGraphError(f"{where}: {name}: must be a JSON list of names or numbers")
    return values


def checked(stated: Stated, num_nodes: int, num_snapshots: int, where: str) -> dict[str, Any]:
    """:meth:`Stated.names_and_times`, with the file's name in complaints."""
    try:
        return stated.names_and_times(num_nodes, num_snapshots)
    except SupraError as error:
        raise InvalidGraphError(f"{where}: {error}") from None
