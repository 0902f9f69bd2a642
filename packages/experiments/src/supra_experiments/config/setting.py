"""What a setting is: a field with its default, its check, its meaning, and the runs to which it belongs."""

import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from supra_core.checks import check_count, check_nonnegative
from supra_core.errors import InvalidArgumentError
from supra_experiments.errors import ConfigError, did_you_mean

Check = Callable[[str, Any], object]
"""Refuses a value, given the setting's name and the value; None is never asked about."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known of a setting beside its name, type and default.

    Attributes:
        help: its meaning, in a sentence or two.
        check: what its values must be.
        otherwise: the value that None stands for.
        own: the same for those that have one of their own: families of models, kinds of encodings, or models
            with some inputs, which are named as in :meth:`~supra_experiments.config.Config.resolved`.
        models, pes, features: those to which it belongs; empty where it belongs to all.
    """

    help: str
    check: Check | None = None
    otherwise: Any = None
    own: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    models: tuple[str, ...] = ()
    pes: tuple[str, ...] = ()
    features: tuple[str, ...] = ()

    def default(self, *kinds: str) -> Any:
        """The value that None stands for in a run of these kinds, by the first that has one of its own."""
        return next((self.own[kind] for kind in kinds if kind in self.own), self.otherwise)


def setting(default: Any, help: str, check: Check | None = None, **more: Any) -> Any:
    """A field of a :class:`Part`; ``more`` as in :class:`Setting`."""
    return dataclasses.field(default=default, metadata={"setting": Setting(help, check, **more)})


class Part:
    """Some settings of a run. Bad values are refused here, before anything is loaded."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]  # subclasses are dataclasses
            value = _as_declared(field.name, getattr(self, field.name), field.type)
            object.__setattr__(self, field.name, value)
            check = field.metadata["setting"].check
            if check is not None and value is not None:
                try:
                    check(field.name, value)
                except InvalidArgumentError as error:
                    raise ConfigError(str(error)) from None

    @classmethod
    @cache
    def settings(cls) -> Mapping[str, Setting]:
        """What is known of each setting, by name."""
        return {field.name: field.metadata["setting"] for field in dataclasses.fields(cls)}  # type: ignore[arg-type]

    def values(self) -> dict[str, Any]:
        """The value of each setting, by name."""
        return {name: getattr(self, name) for name in self.settings()}


# ── checks ─────────────────────────────────────────────────────────────────────────────────────────────────


count = check_count
"""An integer of at least 1."""
from_zero = partial(check_count, minimum=0)
"""An integer of at least 0."""
nonnegative = check_nonnegative
"""A finite number of at least 0."""
positive = partial(check_nonnegative, positive=True)
"""A finite number above 0."""


def one_of(
    *allowed: str,
    others: str = "",
    unless: Callable[[str], object] = lambda value: False,
    near: Iterable[str] = (),
) -> Callable[[str, str], str]:
    """One of some names, or one of those that ``unless`` tells, which the message calls ``others``.

    What was probably meant may also be one of the names ``near``.

    Example:
        >>> one_of("mean", "sum")("reduce", "summ")
        Traceback (most recent call last):
        supra_experiments.errors.ConfigError: reduce='summ': must be one of 'mean', 'sum'; did you mean 'sum'?
    """

    def check(name: str, value: str) -> str:
        if value not in allowed and not unless(value):
            listed = ", ".join(map(repr, allowed)) + others
            hint = did_you_mean(str(value), [*allowed, *near])
            raise ConfigError(f"{name}={value!r}: must be one of {listed}{hint}")
        return value

    return check


def refuse_unknown(
    names: Iterable[str], known: Iterable[str], place: str = "", kind: str = "setting"
) -> None:
    """Refuse names that do not exist, with the nearest that does and the place where they were given.

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
            parts = [other for other in known if plain in other.split("_")]
            hint = did_you_mean(plain, parts[:1] or known, cutoff=0.2 if parts else 0.5)
            raise ConfigError(f"{place}{name}: no such {kind}{hint or f'; {kind}s are ' + ', '.join(known)}")


# ── types ──────────────────────────────────────────────────────────────────────────────────────────────────

_WORDS = {int: "an integer", float: "a number", str: "a string", bool: "true or false"}


def _as_declared(name: str, value: Any, annotation: Any) -> Any:
    # ``int | None`` allows both; a plain type is the only one.
    allowed = typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)
    # A whole number is as good as a float: `lr = 1` means 1.0.
    if type(value) is int and float in allowed:
        return float(value)
    # Exact types: a bool is an int to Python, but `k = true` is a mistake.
    if type(value) not in allowed:
        expected = " or ".join(_WORDS[kind] for kind in allowed if kind in _WORDS)
        raise ConfigError(f"{name}={value!r}: must be {expected}")
    return value
