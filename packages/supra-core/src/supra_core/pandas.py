"""Conversion from pandas (the extra ``pandas``)."""

from typing import TYPE_CHECKING, Any

from supra_core.errors import InvalidArgumentError
from supra_core.io.raw_edges import RawEdges
from supra_core.io.table_columns import names_of, times_in, weights_of
from supra_core.labels import ids_of

if TYPE_CHECKING:
    import pandas

_WHERE = "frame"


def edges_of_pandas(
    frame: "pandas.DataFrame", source: str, target: str, time: str, weight: str | None = None
) -> RawEdges:
    """The edges in the rows of a table.

    Args:
        frame: one edge a row.
        source, target, time, weight: the names of its columns.

    Raises:
        InvalidArgumentError: a column that is not there.
        InvalidGraphError: an entry that is missing or not what it must be.

    Example:
        >>> import pandas
        >>> frame = pandas.DataFrame({"a": ["x", "y"], "b": ["y", "z"], "t": [2001, 2005]})
        >>> edges_of_pandas(frame, "a", "b", "t").labels.tolist()
        ['x', 'y', 'z']
    """
    columns: dict[str, Any] = {}
    for argument, name in (("source", source), ("target", target), ("time", time), ("weight", weight)):
        if name is None:
            continue
        if name not in frame.columns:
            known = ", ".join(map(repr, frame.columns[:12].tolist()))
            raise InvalidArgumentError.of(argument, name, f"a column of frame, one of {known}")
        columns[argument] = frame[name]
        if columns[argument].ndim != 1:
            raise InvalidArgumentError.of(argument, name, "the name of one column of frame")
    ends = [names_of(_WHERE, name, columns[name].to_numpy()) for name in ("source", "target")]
    ids, labels = ids_of(ends)
    weights = weights_of(_WHERE, columns["weight"].to_numpy()) if "weight" in columns else None
    return RawEdges(ids[0], ids[1], times_in(_WHERE, columns["time"]), weights, labels)
