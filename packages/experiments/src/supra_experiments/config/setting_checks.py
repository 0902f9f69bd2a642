"""Names and types of settings, refused in one line where they are wrong."""

import difflib
import types
import typing
from collections.abc import Iterable
from typing import Any

from supra_experiments.errors import ConfigError


def refuse_unknown(
    names: Iterable[str], known: Iterable[str], place: str = "", kind: str = "setting"
) -> None:
    """Refuse names that do not exist, with the nearest that does.

    Args:
        names: that were given.
        known: that exist.
        place: where they were given, put in front of the name.
        kind: what they are.

    Raises:
        ConfigError: an unknown name.

    Example:
        >>> refuse_unknown(["seeed"], ["seed", "lr"])
        Traceback (most recent call last):
        supra_experiments.errors.ConfigError: seeed: no such setting; did you mean 'seed'?
        >>> refuse_unknown(["epochs"], ["lr", "max_epochs", "min_epochs"])
        Traceback (most recent call last):
        supra_experiments.errors.ConfigError: epochs: no such setting; did you mean 'max_epochs'?
    """
    known = list(known)
    for name in names:
        if name not in known:
            plain = name.lower().replace("-", "_")
            # A part of a name before a name that only looks alike: max_epochs for epochs.
            near = [other for other in known if plain in other.split("_")]
            near = near or difflib.get_close_matches(plain, known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"{kind}s are {', '.join(known)}"
            raise ConfigError(f"{place}{name}: no such {kind}; {hint}")


def allowed_types(annotation: Any) -> tuple[type, ...]:
    """The types an annotation allows, ``int | None`` being (int, NoneType)."""
    if isinstance(annotation, types.UnionType):
        return typing.get_args(annotation)
    return (annotation,)


def check_type(name: str, value: Any, allowed: tuple[type, ...]) -> None:
    """Refuse a value of another type.

    Raises:
        ConfigError: it is.
    """
    # Exact types: a bool is an int to Python, but `k = true` is a mistake.
    if type(value) not in allowed:
        wanted = {int: "an integer", float: "a number", str: "a string", bool: "true or false"}
        expected = " or ".join(wanted[kind] for kind in allowed if kind in wanted)
        raise ConfigError(f"{name}={value!r}: must be {expected}")
