"""What benchmarks have in common: records, what is kept and shown of them, and what measured them."""

import os
import platform
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure


OURS, OTHERS = "#2b6cb0", "#a0aec0"
"""The colours of this project's tools and of those beside them."""


class Report(Protocol):
    """Is told how many steps are done, of how many, and what comes next."""

    def __call__(self, done: float, total: float | None = None, text: str | None = None) -> None:
        """What is not given stays as it was."""


def silent(done: float, total: float | None = None, text: str | None = None) -> None:
    """A :class:`Report` that nobody hears."""


@dataclass(frozen=True)
class Measured:
    """A record of measurements; ``derived`` names the properties that go to JSON with its fields.

    Example:
        >>> @dataclass(frozen=True)
        ... class Square(Measured):
        ...     side: float
        ...     derived = ("area",)
        ...     @property
        ...     def area(self): return self.side**2
        >>> Square(3.0).to_dict()
        {'side': 3.0, 'area': 9.0}
    """

    derived: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, ready for JSON."""
        return asdict(self) | {name: getattr(self, name) for name in self.derived}


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a benchmark found.

    Attributes:
        records: a row of the table each; None is a rule between rows.
        title: of the table.
        columns: by their headers, from a record to what the cell shows.
        result: for the JSON file; the records where not given.
        left: so many columns lean to the left; the others are figures.
        lines: to be read below the table.
        figures: by the names of their files.
        failed: whether it found what must not be.
    """

    records: Sequence[Any]
    title: str
    columns: Mapping[str, Callable[[Any], object]]
    result: Mapping[str, Any] = field(default_factory=dict)
    left: int = 1
    lines: Sequence[str] = ()
    figures: Mapping[str, "Figure"] = field(default_factory=dict)
    failed: bool = False

    def __post_init__(self) -> None:
        if not self.result:
            object.__setattr__(self, "result", records_of(self.records))

    @property
    def rows(self) -> list[list[object] | None]:
        """What the table shows."""
        return [None if r is None else [show(r) for show in self.columns.values()] for r in self.records]


def records_of(records: Sequence[Measured]) -> dict[str, Any]:
    """Records as most benchmarks keep them."""
    return {"records": [record.to_dict() for record in records]}


def figure_or_dash(value: float | None, form: str, dash: str = "–") -> str:
    """A number in a given form; a dash where there is none.

    Example:
        >>> figure_or_dash(1234.5, ",.0f"), figure_or_dash(None, ".1e")
        ('1,234', '–')
    """
    return dash if value is None else format(value, form)


def gib(size: int | None) -> float | None:
    """Bytes as gibibytes; None where the system does not tell.

    Example:
        >>> gib(3 * 2**29)
        1.5
    """
    return None if size is None else size / 2**30


def bars(values: Mapping[str, float], form: str, xlabel: str, colours: Any = OURS) -> "Figure":
    """A bar for each name, with its value beside it in a given form; the first on top."""
    from matplotlib.figure import Figure

    chart = Figure(figsize=(6.4, 0.8 + 0.5 * len(values)), layout="constrained")
    axes = chart.subplots()
    drawn = axes.barh(list(values), list(values.values()), color=colours)
    axes.bar_label(drawn, [form.format(value) for value in values.values()], padding=4)
    axes.margins(x=0.25)
    axes.invert_yaxis()
    axes.set_xlabel(xlabel)
    return chart


def machine() -> dict[str, Any]:
    """What figures were measured on: the platform, and the libraries that do the arithmetic."""
    import numpy
    import scipy

    return {
        "platform": platform.platform(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
    }


def commit() -> str | None:
    """The commit of the source that runs, marked where it was changed since; None outside a repository."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() or None
    except (OSError, subprocess.CalledProcessError):
        return None
