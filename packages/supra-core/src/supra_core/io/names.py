"""What files and columns are called."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from supra_core.errors import InvalidArgumentError, InvalidGraphError

_PLAIN = (".csv", ".tsv", ".txt", ".edges")
TEXT_SUFFIXES = (*_PLAIN, *(suffix + ".gz" for suffix in _PLAIN))
PARQUET_SUFFIXES = (".parquet", ".pq")
SUFFIXES = TEXT_SUFFIXES + PARQUET_SUFFIXES

# What the columns are called elsewhere; u, i, ts is what many published temporal datasets use.
ALIASES = {
    "source": ("source", "src", "u", "from", "node1", "sender"),
    "target": ("target", "dst", "dest", "v", "i", "to", "node2", "receiver"),
    "time": ("time", "t", "ts", "timestamp", "date", "datetime", "snapshot", "year"),
    "weight": ("weight", "w"),
}
NEEDED = ("source", "target", "time")
_NAME_OF = {alias: name for name, aliases in ALIASES.items() for alias in aliases}


def is_parquet(path: Path) -> bool:
    """Whether the name is that of a Parquet file and not of text.

    Raises:
        InvalidArgumentError: the name of neither.
    """
    name = path.name.lower()
    if not name.endswith(SUFFIXES):
        raise InvalidArgumentError(f"path={str(path)!r}: must end in one of {', '.join(SUFFIXES)}")
    return name.endswith(PARQUET_SUFFIXES)


def is_edge_file(path: Path) -> bool:
    """Whether a file of this name can be an edge list.

    Example:
        >>> is_edge_file(Path("a.csv.gz")), is_edge_file(Path("enron10"))
        (True, False)
    """
    return path.name.lower().endswith(SUFFIXES)


def column_called(name: str) -> str | None:
    """The column that a name in a header stands for, if it is one of the usual ones.

    Example:
        >>> column_called("Src"), column_called("label")
        ('source', None)
    """
    return _NAME_OF.get(name.strip().lower())


def knows(names: Sequence[str], *, all_three: bool) -> bool:
    """Whether a row has names of the columns for source, target and time: all three, or any."""
    known = {column_called(name) for name in names}
    return known.issuperset(NEEDED) if all_three else not known.isdisjoint(NEEDED)


def choose_columns(names: Sequence[str], asked: Mapping[str, str | None], where: str) -> dict[str, int]:
    """Where each column stands, by the names in a header.

    Args:
        names: the header.
        asked: the name of a column where the caller gave it.
        where: the place of the header, for complaints.

    Returns:
        The positions of source, target, time and, where there is one, weight. Where no name is known and none
        is asked for, they stand in this order, and a weight is the fourth of four.

    Raises:
        InvalidGraphError: a column that is missing, or that two names claim.
    """
    found: dict[str, list[int]] = {name: [] for name in ALIASES}
    for position, field in enumerate(names):
        for name in ALIASES:
            wanted = asked.get(name)
            if field == wanted if wanted is not None else column_called(field) == name:
                found[name].append(position)
    if not any(found.values()) and not any(asked.values()) and len(names) >= 3:
        return dict(zip(ALIASES, range(4 if len(names) == 4 else 3), strict=False))
    claimed: dict[int, str] = {}
    for name, positions in found.items():
        wanted = asked.get(name)
        if len(positions) > 1:
            both = " and ".join(repr(names[position]) for position in positions[:2])
            hint = "" if wanted is not None else f"; choose with {name}='…'"
            raise InvalidGraphError(f"{where}: columns {both}: must be one column for {name}{hint}")
        if not positions and (wanted is not None or name in NEEDED):
            allowed = repr(wanted) if wanted is not None else f"{name} (or {', '.join(ALIASES[name][1:])})"
            raise InvalidGraphError(f"{where}: columns {_listed(names)}: must have {allowed}")
        if positions and claimed.setdefault(positions[0], name) != name:
            first = claimed[positions[0]]
            raise InvalidGraphError(f"{where}: {names[positions[0]]!r}: must not be both {first} and {name}")
    return {name: positions[0] for name, positions in found.items() if positions}


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:12]))
    return shown if len(names) <= 12 else f"{shown}, … ({len(names)} in all)"
