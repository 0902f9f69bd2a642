"""The small parts of a sweep: a cell of the study, what a trial may use, what a sweep leaves behind."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from supra_experiments.config import LEARNED, Config
from supra_experiments.errors import ConfigError
from supra_experiments.protocol.baselines import BASELINES

if TYPE_CHECKING:
    from supra_experiments.sweep.journal import Failure
    from supra_experiments.training.record import RunRecord


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
    """Every combination of some datasets, models, encodings and features, each with all seeds."""

    datasets: tuple[str, ...]
    models: tuple[str, ...]
    encodings: tuple[str, ...]
    features: tuple[str, ...]
    seeds: tuple[int, ...]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """What a sweep leaves behind.

    Attributes:
        folder: of the journal: ``records.jsonl``, ``failures.jsonl``, ``search.jsonl``, ``spec.toml``.
        records: of the runs that the sweep's file asks for, in the order of the file.
        failures: of the runs that have no record, with their reasons.
        empty_cells: cells without any record.
        dashboard_url: where Ray's dashboard was, None where there was none.
        dropped: lines for people about records in the folder that the file no longer asks for.
    """

    folder: Path
    records: "tuple[RunRecord, ...]"
    failures: "tuple[Failure, ...]" = ()
    empty_cells: tuple[Cell, ...] = ()
    dashboard_url: str | None = None
    dropped: tuple[str, ...] = ()


def read_resources(table: Any) -> Resources:
    """Those that the table ``[resources]`` of a sweep's file describes.

    Example:
        >>> read_resources({"gpus": 0.5, "slate": {"gpus": 1}}).of("slate")
        Resources(cpus=1.0, gpus=1.0, by_model={})
    """
    if not isinstance(table, dict):
        raise ConfigError(f"resources={table!r}: must be a table with cpus and gpus")
    plain = {name: value for name, value in table.items() if not isinstance(value, dict)}
    for name in plain:
        if name not in ("cpus", "gpus"):
            raise ConfigError(f"resources.{name}: no such entry; entries are cpus, gpus and tables by model")
    by_model = {}
    for model, own in table.items():
        if isinstance(own, dict):
            if model not in LEARNED:
                raise ConfigError(f"resources.{model}: must be one of {', '.join(LEARNED)}")
            if not own.keys() <= {"cpus", "gpus"}:
                raise ConfigError(f"resources.{model}={own!r}: entries are cpus and gpus")
            by_model[model] = _named(f"resources.{model}", plain | own)
    base = _named("resources", plain)
    return Resources(base.cpus, base.gpus, by_model)


def _named(place: str, values: dict[str, Any]) -> Resources:
    try:
        return Resources(**values)
    except ConfigError as error:
        raise ConfigError(f"{place}.{error}") from None
