"""Everything that determines a run, as four parts that are written as one flat table."""

import hashlib
import json
import os
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import tomli_w

from supra_core import Encoder
from supra_core.files import write_whole
from supra_experiments.config.data import Data
from supra_experiments.config.encoding import UNSTEADY, Encoding
from supra_experiments.config.model import LEARNED_SCORES, Model
from supra_experiments.config.setting import Part, Setting, refuse_unknown
from supra_experiments.config.training import Training
from supra_experiments.errors import ConfigError, placed, told_as

PARTS: dict[str, type[Part]] = {"data": Data, "encoding": Encoding, "model": Model, "training": Training}
SETTINGS: dict[str, Setting] = {
    name: known for part in PARTS.values() for name, known in part.settings().items()
}
"""Every setting by its name, which no other part has."""

EARLIER: dict[str, Any] = {
    **{"align": "none", "absent": "zeros", "with_age": False},
    **{"protocol": "autoencode", "held_out": 1, "train_negatives": "uniform", "historical_share": 0.5},
    **{"negatives_per_link": 1, "decoder_history": False, "history_decay": 0.5},
    **{"l2": 1.0, "num_trees": 100, "tree_depth": 3, "tree_rate": 0.1},
}
"""Settings that records of earlier versions do not have, and what was done then."""
EARLIER_START = {"gru_init": "slow"}
"""The same for one that only EGCN has."""
EARLIER_OF: dict[str, dict[str, Any]] = {
    "egcn": EARLIER_START | {"hidden_channels": 16, "lr": 0.01},
    "grugcn": {"hidden_channels": 16, "lr": 0.01},
}
"""What models of a family had where a record of earlier versions does not say."""

_OF_SCORES = ("model", "history_decay", "seed", "threads", "train_negatives", "historical_share")
_OF_NETWORKS = {"features", "random_channels"} | {
    name
    for part in (Model, Training)
    for name, known in part.settings().items()
    if not known.models and name not in _OF_SCORES
}
"""Settings that a score without a network has no use for."""


@dataclass(frozen=True, slots=True, init=False)
class Config:
    """The settings of a run, given and written by name and read from the part that owns them.

    Settings that are None take the value that goes with the model or the dataset; :meth:`resolved` fills in
    those of the model.

    Raises:
        ConfigError: an unknown setting (with the nearest name), an ill-typed one or a bad value.

    Example:
        >>> config = Config(dataset="enron10", model="htgn", pe="slpe-i", features="zeros")
        >>> config.training.lr, config.resolved().training.lr  # the model's own where not given
        (None, 0.01)
        >>> Config.from_toml("modle = 'htgn'")
        Traceback (most recent call last):
        supra_experiments.errors.ConfigError: modle: no such setting; did you mean 'model'?
    """

    data: Data
    encoding: Encoding
    model: Model
    training: Training

    def __init__(self, **settings: Any) -> None:
        refuse_unknown(settings, SETTINGS)
        for name, part in PARTS.items():
            own = {key: settings[key] for key in part.settings() if key in settings}
            object.__setattr__(self, name, part(**own))
        if self.model.model in LEARNED_SCORES and self.training.protocol == "autoencode":
            raise ConfigError(f"protocol='autoencode': must be 'next' for {self.model.model}")
        if self.model.is_network and self.model.decoder_history and self.training.protocol != "next":
            # A snapshot's own links would be among the features that are to predict them.
            raise ConfigError("decoder_history=True: must go with protocol='next'")

    def replace(self, **changes: Any) -> Self:
        """The same settings but for some."""
        return type(self)(**self.values() | changes)

    def resolved(self) -> Self:
        """The same settings with the model's and the encoder's defaults in place of None."""
        defaults = {name: known.default(*self._kinds) for name, known in SETTINGS.items()}
        if self.model.window is not None:
            defaults["pe_window"] = self.model.window
        return type(self)(**defaults | self.to_dict())

    @property
    def _kinds(self) -> tuple[str, ...]:
        """What settings may have defaults of their own for, the most special first."""
        family, pe = self.model.family, self.encoding.pe
        features, is_lpe = self.data.features, pe.startswith("lpe")
        special = {
            f"{family} beside features": features != "zeros",
            f"{family} beside one-hot features, lpe": features == "one-hot" and is_lpe,
            f"{family} without inputs": features == "zeros" and pe == "none",
            f"{family} that follows": self.data.follows,
            f"{family} of unsteady channels": pe in UNSTEADY,
        }
        return *(kind for kind, applies in special.items() if applies), family, pe.split("-")[0]

    @property
    def encoder(self) -> Encoder | None:
        """The encoder that a run uses, None for ``pe = "none"``."""
        return self.resolved().encoding.encoder()

    # ── which run it is ────────────────────────────────────────────────────────────────────────────────────

    @property
    def digest(self) -> str:
        """A short name for exactly these settings, defaults filled in; the same in earlier versions."""
        return _digest(self.resolved().to_dict())

    def run_name(self, graph_digest: str) -> str:
        """A name for the run of these settings on a graph."""
        return f"{self.digest}-{graph_digest[:16]}"

    @property
    def identity(self) -> str:
        """The same for two ways to write one run.

        ``egcn`` is ``egcn-h``, a score without learning depends on nothing but the data, and no score on
        node features.

        Example:
            >>> Config(model="egcn").identity == Config(model="egcn-h").identity
            True
            >>> Config(model="degree", k=3).identity == Config(model="degree", follow=True).identity
            False
        """
        own = self.data.values() if not self.model.is_learned else self.resolved().values()
        left_out = () if self.model.is_network else ("features", "random_channels")
        values = {name: value for name, value in own.items() if value is not None and name not in left_out}
        return _digest(values | {"model": self.model.name})

    # ── in and out ─────────────────────────────────────────────────────────────────────────────────────────

    def values(self) -> dict[str, Any]:
        """The value of every setting, by name."""
        return {name: value for part in PARTS for name, value in getattr(self, part).values().items()}

    def to_dict(self) -> dict[str, Any]:
        """The same without those that are None."""
        return {name: value for name, value in self.values().items() if value is not None}

    @classmethod
    def from_record(cls, values: dict[str, Any]) -> Self:
        """Those of a run that is over: what its version did not know yet is what was done then."""
        family = str(values.get("model")).split("-")[0]
        return cls(**EARLIER | EARLIER_OF.get(family, {}) | values)

    def to_toml(self) -> str:
        """The settings as TOML, one a line."""
        return tomli_w.dumps(self.to_dict())

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """The settings that TOML text describes; those it does not name have their defaults."""
        return cls(**_from_toml(text))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a TOML file."""
        write_whole(path, self.to_toml())

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a TOML file."""
        return cls(**read_settings(path))


def read_settings(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The settings that a TOML file names.

    Raises:
        ConfigError: a file that cannot be read, or what :class:`Config` refuses; the message names the file.
    """
    with told_as(ConfigError, f"{path}: cannot be read"):
        text = Path(path).read_text(encoding="utf-8")
    with placed(f"{path}: "):
        values = _from_toml(text)
        Config(**values)
    return values


def _from_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"not TOML: {error}") from None


def has_effect(name: str, model: str, pe: str, features: str, given: Collection[str] = ()) -> bool:
    """Whether a setting changes anything in a run, so that a search does not spend its trials on one.

    ``given`` are all settings that are: an encoder without a window of its own takes the model's.

    Example:
        >>> [has_effect("max_steps", "htgn", pe, "zeros") for pe in ("slpe-e", "slpe-i")]
        [False, True]
    """
    if name == "window" and pe != "none" and "pe_window" not in given:
        return True
    known = SETTINGS[name]
    if model in LEARNED_SCORES and name in _OF_NETWORKS:
        return False
    asked = ((model.split("-")[0], known.models), (pe, known.pes), (features, known.features))
    return all(not allowed or value in allowed for value, allowed in asked)


def _digest(values: dict[str, Any]) -> str:
    earlier = EARLIER | EARLIER_START
    told = {name: value for name, value in values.items() if earlier.get(name, ...) != value}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]
