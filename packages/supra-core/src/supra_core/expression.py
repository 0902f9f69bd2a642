"""A small graph as the expression that builds it."""

import math
from typing import TYPE_CHECKING, Any

from supra_core.labels import is_plain

if TYPE_CHECKING:
    from supra_core.temporal_graph import TemporalGraph

_MAX_ENTRIES, _MAX_LENGTH = 100, 2000


def expression_of(graph: "TemporalGraph") -> str | None:
    """Python that evaluates to an equal graph; None where it would be too long to read.

    Example:
        >>> from supra_core.temporal_graph import TemporalGraph
        >>> expression_of(TemporalGraph.from_edges([0], [1], [0], [0.5], node_labels=["a", "b"]))
        "TemporalGraph.from_edges([0], [1], [0], [0.5], num_nodes=2, num_snapshots=1, node_labels=['a', 'b'])"
    """
    if graph.num_edges > _MAX_ENTRIES:
        return None
    columns = [graph.source, graph.target, graph.time]
    if graph.weight.dtype.kind == "f" or (graph.weight != 1).any():
        columns.append(graph.weight)
    parts = [repr(column.tolist()) for column in columns]
    parts += [f"num_nodes={graph.num_nodes}", f"num_snapshots={graph.num_snapshots}"]
    labels, times = graph._labels, graph._times
    if labels is not None:
        if len(labels) > _MAX_ENTRIES or not is_plain(labels.tolist()):
            return None
        parts.append(f"node_labels=[{', '.join(map(_literal, labels.tolist()))}]")
    if times is not None:
        if len(times.values) > _MAX_ENTRIES:
            return None
        parts.append(f"snapshot_times={times.texts()!r}")
        if times.zone is not None:
            parts.append(f"time_zone={times.zone!r}")
    text = f"TemporalGraph.from_edges({', '.join(parts)})"
    return text if len(text) <= _MAX_LENGTH else None


def _literal(label: Any) -> str:
    """A label as Python reads it; infinity has no literal of its own."""
    if isinstance(label, tuple):
        return f"({', '.join(map(_literal, label))}{',' if len(label) == 1 else ''})"
    return f"float('{label}')" if isinstance(label, float) and math.isinf(label) else repr(label)
