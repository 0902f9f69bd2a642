"""The values that a setting may take in a search, as a sweep's file writes them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from supra_experiments.errors import ConfigError

Value = str | bool | int | float


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some values, none likelier than another; a list in the file.

    Example:
        >>> read_space("lr", [0.1, 0.01])
        Choice(values=(0.1, 0.01))
    """

    values: tuple[Value, ...]

    @property
    def extremes(self) -> tuple[Value, ...]:
        """Values that are good only if all are."""
        return self.values

    @property
    def size(self) -> float:
        """How many values there are."""
        return len(self.values)

    def to_plain(self) -> list[Value]:
        """As the file has it."""
        return list(self.values)

    def __str__(self) -> str:
        return ", ".join(map(str, self.values))


@dataclass(frozen=True, slots=True)
class Interval:
    """Any number from ``low`` to ``high``, both included; with ``log`` its logarithm is uniform.

    Example:
        >>> read_space("window", {"low": 2, "high": 5, "integer": True})
        Interval(low=2, high=5, integer=True, log=False)
    """

    low: float
    high: float
    integer: bool = False
    log: bool = False

    @property
    def extremes(self) -> tuple[Value, ...]:
        """Values that are good only if all are."""
        return (self.low, self.high)

    @property
    def size(self) -> float:
        """How many values there are."""
        return self.high - self.low + 1 if self.integer else math.inf

    def to_plain(self) -> Mapping[str, Value]:
        """As the file has it."""
        marks = {"integer": self.integer, "log": self.log}
        return {"low": self.low, "high": self.high} | {name: True for name, on in marks.items() if on}

    def __str__(self) -> str:
        return f"{'integers ' * self.integer}{self.low} … {self.high}{', logarithmic' * self.log}"


Space = Choice | Interval
_FORM = "a list of values, or { low = …, high = … } with maybe integer = true or log = true"


def read_space(name: str, value: Any) -> Space:
    """The space that a value of the table ``[search]`` describes.

    Args:
        name: of the setting, for messages.
        value: a list, or a table with ``low``, ``high`` and maybe ``integer`` and ``log``.

    Raises:
        ConfigError: anything else.
    """
    name = f"search.{name}"
    if isinstance(value, list):
        if not value or len(set(map(repr, value))) < len(value):
            raise ConfigError(f"{name}={value!r}: must be a list of different values, at least one")
        for entry in value:
            if not isinstance(entry, (str, bool, int, float)):
                raise ConfigError(f"{name}={value!r}: must be a list of texts, numbers or booleans")
        return Choice(tuple(value))
    known = {"low", "high", "integer", "log"}
    if not isinstance(value, dict) or not {"low", "high"} <= value.keys() <= known:
        raise ConfigError(f"{name}={value!r}: must be {_FORM}")
    integer, log = value.get("integer", False), value.get("log", False)
    if type(integer) is not bool or type(log) is not bool:
        raise ConfigError(f"{name}={value!r}: integer and log must be true or false")
    low, high = value["low"], value["high"]
    for end in (low, high):
        if type(end) is not int and (integer or type(end) is not float or not math.isfinite(end)):
            raise ConfigError(
                f"{name}={value!r}: low and high must be {'integers' if integer else 'numbers'}"
            )
    if not low < high:
        raise ConfigError(f"{name}={value!r}: low must be below high")
    if log and low <= 0:
        raise ConfigError(f"{name}={value!r}: low must be above 0 where log = true")
    return Interval(low, high, True, log) if integer else Interval(float(low), float(high), False, log)
