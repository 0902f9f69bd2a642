"""A cell of the study, blocks of cells, and what a trial in one may use."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from supra_experiments.config import LEARNED, Config
from supra_experiments.errors import ConfigError, placed
from supra_experiments.protocol.baselines import BASELINES
from supra_experiments.sweep.space import Value


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One entry of the study's tables: everything but the settings and the seed.

    Example:
        >>> Cell("enron10", "htgn", "slpe-i", "zeros").name
        'enron10 htgn slpe-i zeros'
    """

    dataset: str
    model: str
    pe: str
    features: str

    @property
    def name(self) -> str:
        """What people read; a score without learning has neither encoding nor features."""
        if self.model in BASELINES:
            return f"{self.dataset} {self.model}"
        return f"{self.dataset} {self.model} {self.pe} {self.features}"

    @classmethod
    def of(cls, config: Config) -> Self:
        """The cell that a run belongs to."""
        return cls(config.data.dataset, config.model.model, config.encoding.pe, config.data.features)


@dataclass(frozen=True, slots=True)
class Block:
    """Every combination of some datasets, models, encodings and features, each with all seeds.

    ``fixed`` are settings of these cells alone.
    """

    datasets: tuple[str, ...]
    models: tuple[str, ...]
    encodings: tuple[str, ...]
    features: tuple[str, ...]
    seeds: tuple[int, ...]
    fixed: Mapping[str, Value] = field(default_factory=dict)

    @property
    def cells(self) -> Iterator[Cell]:
        """All combinations, datasets first."""
        for parts in itertools.product(self.datasets, self.models, self.encodings, self.features):
            yield Cell(*parts)


@dataclass(frozen=True, slots=True)
class Resources:
    """What one trial reserves of the cluster.

    Attributes:
        cpus: processors; also fractions.
        gpus: graphics processors; a fraction lets several trials share one, above 1 only whole numbers.
        by_model: those of some models, in place of both.

    Raises:
        ConfigError: numbers that no cluster could reserve.

    Example:
        >>> resources = Resources(cpus=1, gpus=0.5, by_model={"slate": Resources(cpus=2, gpus=1)})
        >>> resources.of("slate").gpus, resources.of("htgn").gpus
        (1.0, 0.5)
    """

    cpus: float = 1.0
    gpus: float = 0.0
    by_model: Mapping[str, "Resources"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("cpus", "gpus"):
            value = getattr(self, name)
            least = "above 0" if name == "cpus" else ">= 0"
            if type(value) not in (int, float) or not (value > 0 or (name == "gpus" and value == 0)):
                raise ConfigError(f"{name}={value!r}: must be a number {least}")
            if value > 1 and value != int(value):
                raise ConfigError(f"{name}={value!r}: must be whole where it is above 1")
            object.__setattr__(self, name, float(value))

    def of(self, model: str) -> "Resources":
        """Those of one model."""
        own = self.by_model.get(model, self)
        return Resources(own.cpus, own.gpus)

    def to_plain(self) -> dict[str, Any]:
        """As the file has them."""
        by_model = {model: own.to_plain() for model, own in self.by_model.items()}
        return {"cpus": self.cpus, "gpus": self.gpus, **by_model}

    @classmethod
    def from_plain(cls, table: Mapping[str, Any]) -> Self:
        """The way back; a model has the common number where it has none of its own.

        Raises:
            ConfigError: other entries than these.
        """
        common = {name: value for name, value in table.items() if not isinstance(value, dict)}
        for name in common:
            if name not in ("cpus", "gpus"):
                raise ConfigError(f"{name}: no such entry; entries are cpus, gpus and tables by model")
        by_model = {}
        for model, own in table.items():
            if isinstance(own, dict):
                if model not in LEARNED:
                    raise ConfigError(f"{model}: must be one of {', '.join(LEARNED)}")
                if not own.keys() <= {"cpus", "gpus"}:
                    raise ConfigError(f"{model}={own!r}: entries are cpus and gpus")
                with placed(f"{model}."):
                    by_model[model] = cls(**common | own)
        return cls(**common, by_model=by_model)
