"""A sweep as one TOML file: which cells of the study, which seeds, which settings, which search."""

import difflib
import importlib.resources
import itertools
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self, cast

from supra_experiments.baselines import BASELINES
from supra_experiments.config import FEATURES, LEARNED, PES, Config
from supra_experiments.datasets.registry import ALIASES, DEMO, REGISTRY, find_entry
from supra_experiments.errors import ConfigError
from supra_experiments.search_space import Choice, Integers, Space, Uniform, Value, read_space
from supra_experiments.splits import Selection
from supra_experiments.sweep_types import Cell, Resources, SweepResult, read_resources

__all__ = [
    "PRESETS",
    "Block",
    "Cell",
    "Choice",
    "Integers",
    "Resources",
    "Space",
    "SweepResult",
    "SweepSpec",
    "Uniform",
]

Mode = Literal["grid", "search"]

PRESETS = ("paper", "grid-default", "quick")
"""The sweeps that come with the package, by name."""

_AXES = ("datasets", "models", "encodings", "features", "seeds")
_TABLES = ("fixed", "by_model", "by_dataset", "search", "resources")
_KEYS = ("name", "mode", *_AXES, "baselines", "num_trials", "criterion", *_TABLES, "block")
_ALL = {
    "datasets": tuple(reversed(REGISTRY)),
    "models": tuple(name for name in LEARNED if name != "egcn"),
    "encodings": PES,
    "features": FEATURES,
}
_OF_THE_CELL = {"dataset": "datasets", "model": "models", "pe": "encodings", "features": "features"} | {
    "seed": "seeds"
}
"""Settings that a sweep's lists say, and no table of settings may."""


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


@dataclass(frozen=True, kw_only=True)
class SweepSpec:
    """A sweep. Bad values are refused here: the settings of every cell are built once.

    Attributes:
        name: of the sweep and of its folder.
        mode: ``grid``: every cell with every seed; ``search``: a search for each cell, then the best setting
            with every seed.
        blocks: which cells; a cell of two blocks has the seeds of both.
        fixed: settings of all runs.
        by_model, by_dataset: settings that win over ``fixed`` (those of the dataset over those of the model)
            and over ``search``.
        search: the values that settings may take.
        num_trials: of the search in each cell.
        criterion: what the search makes best: ``validation_auc``, ``train_loss``, or ``auto``: the first
            where there are validation snapshots, else the second. There is no way to ask for the test.
        baselines: whether the scores without learning are computed too, once for each dataset.
        resources: what one trial reserves.

    Example:
        >>> spec = SweepSpec.from_toml('''
        ... name = "mine"
        ... datasets = ["demo"]
        ... models = ["htgn", "grugcn"]
        ... encodings = ["none", "slpe-i"]
        ... features = "zeros"
        ... seeds = 2
        ... baselines = false
        ... ''')
        >>> [f"{run.model} {run.pe} {run.seed}" for run in spec.runs()][:5]
        ['htgn none 0', 'htgn slpe-i 0', 'grugcn none 0', 'grugcn slpe-i 0', 'htgn none 1']
    """

    name: str
    blocks: tuple[Block, ...]
    mode: Mode = "grid"
    fixed: Mapping[str, Value] = field(default_factory=dict)
    by_model: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    by_dataset: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    search: Mapping[str, Space] = field(default_factory=dict)
    num_trials: int = 30
    criterion: str = "auto"
    baselines: bool = True
    resources: Resources = field(default_factory=Resources)

    def __post_init__(self) -> None:
        if (
            type(self.name) is not str
            or not self.name
            or set(self.name) & set("/\\\0")
            or self.name[0] == "."
        ):
            raise ConfigError(f"name={self.name!r}: must be a text that can name a folder")
        _check_choice("mode", self.mode, ("grid", "search"))
        _check_choice("criterion", self.criterion, ("auto", "train_loss", "validation_auc"))
        if type(self.num_trials) is not int or self.num_trials < 1:
            raise ConfigError(f"num_trials={self.num_trials!r}: must be an integer >= 1")
        if type(self.baselines) is not bool:
            raise ConfigError(f"baselines={self.baselines!r}: must be true or false")
        if (self.mode == "search") != bool(self.search):
            needed = "is needed where" if self.mode == "search" else "is only for"
            raise ConfigError(f'search: a table of values to try {needed} mode = "search"')
        for name in self.search:
            if name in self.fixed:
                raise ConfigError(f"{name}: must be either in fixed or in search")
        for cell in self.cells:
            self._check_cell(cell)

    def _check_cell(self, cell: Cell) -> None:
        config = self.config(cell, self.seeds(cell)[0])
        space = self.search_space(cell)
        for name, values in space.items():
            for value in values.extremes:
                try:
                    config.replace(**{name: value})
                except ConfigError as error:
                    raise ConfigError(f"search.{error}") from None
        if cell.model == "slate":
            _check_heads(config.resolved(), space)
        self.selection(cell)

    # ── what it stands for ─────────────────────────────────────────────────────────────────────────────────

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell once, in the order of the file; scores without learning are not among them."""
        return tuple(dict.fromkeys(itertools.chain.from_iterable(block.cells for block in self.blocks)))

    @property
    def datasets(self) -> tuple[str, ...]:
        """Every dataset once, in the order of the file."""
        return tuple(dict.fromkeys(name for block in self.blocks for name in block.datasets))

    def seeds(self, cell: Cell) -> tuple[int, ...]:
        """The seeds of a cell."""
        return self._seeds[cell]

    @property
    def _seeds(self) -> dict[Cell, tuple[int, ...]]:
        known: dict[Cell, tuple[int, ...]] | None = self.__dict__.get("_seeds_of_cells")
        if known is None:
            known = {}
            for block in self.blocks:
                for cell in block.cells:
                    known[cell] = tuple(dict.fromkeys((*known.get(cell, ()), *block.seeds)))
            self.__dict__["_seeds_of_cells"] = known
        return known

    def config(self, cell: Cell, seed: int, **settings: Any) -> Config:
        """The settings of one run.

        Args:
            cell: what is run.
            seed: its seed.
            settings: found by a search; they win over all others.
        """
        values = dict(self.fixed) | dict(self.by_model.get(cell.model, {}))
        values |= self.by_dataset.get(cell.dataset, {})
        values |= {"dataset": cell.dataset, "model": cell.model, "pe": cell.pe, "features": cell.features}
        return Config.from_dict(values | {"seed": seed} | settings)

    def runs(self) -> tuple[Config, ...]:
        """All runs of a grid: scores without learning, then all cells with their first seed, and so on."""
        if self.mode != "grid":
            raise ConfigError(f"mode={self.mode!r}: the runs of a search are known when it is over")
        return (*self.baseline_runs(), *(self.config(cell, seed) for cell, seed in self.pairs()))

    def baseline_runs(self) -> tuple[Config, ...]:
        """The scores without learning, once for each dataset; none where they are not wanted."""
        names = BASELINES if self.baselines else ()
        return tuple(
            self.config(Cell(dataset, name, "none", "zeros"), 0)
            for dataset in self.datasets
            for name in names
        )

    def pairs(self) -> Iterator[tuple[Cell, int]]:
        """Cells and seeds, all cells with their first seed before any with its second."""
        seeds = self._seeds
        for position in range(max(map(len, seeds.values()), default=0)):
            for cell, own in seeds.items():
                if position < len(own):
                    yield cell, own[position]

    @property
    def num_runs(self) -> int:
        """Runs that leave a record."""
        return len(self.baseline_runs()) + sum(map(len, self._seeds.values()))

    @property
    def num_searches(self) -> int:
        """Trials of all searches."""
        return self.num_trials * len(self.cells) if self.mode == "search" else 0

    def search_space(self, cell: Cell) -> dict[str, Space]:
        """What is searched in a cell: nothing that its model or dataset fixes, nothing without effect."""
        fixed = {**self.by_model.get(cell.model, {}), **self.by_dataset.get(cell.dataset, {})}
        return {
            name: space
            for name, space in self.search.items()
            if name not in fixed
            and has_effect(name, cell, self.search.keys() | fixed.keys() | self.fixed.keys())
        }

    def selection(self, cell: Cell) -> Selection:
        """What the search makes best in a cell.

        Raises:
            ConfigError: validation is asked for where there are no validation snapshots.
        """
        config = self.config(cell, 0)
        entry = find_entry(cell.dataset)
        own = 0
        if entry is not None and config.test_snapshots is None:
            own = entry.split.split(entry.num_snapshots).num_validation
        validated = bool(own if config.validation_snapshots is None else config.validation_snapshots)
        if self.criterion == "validation_auc" and not validated:
            raise ConfigError(
                f"criterion='validation_auc': {cell.dataset} has no validation snapshots; "
                "set validation_snapshots or take 'auto'"
            )
        if self.criterion == "auto":
            return "validation_auc" if validated else "train_loss"
        return cast(Selection, self.criterion)

    # ── in and out ─────────────────────────────────────────────────────────────────────────────────────────

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """The sweep that TOML text describes.

        Raises:
            ConfigError: an unknown key (with the nearest one), an ill-typed or a bad value.
        """
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"not TOML: {error}") from None
        return cls.from_dict(values)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The sweep that a file's keys and values describe."""
        _refuse_unknown(values, _KEYS)
        blocks = values.get("block", [{}])
        if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks) or not blocks:
            raise ConfigError(f"block={blocks!r}: must be tables [[block]]")
        common = {name: values[name] for name in _AXES if name in values}
        tables = {name: _table(name, values.get(name, {})) for name in _TABLES}
        plain = ("mode", "num_trials", "criterion", "baselines")
        return cls(
            name=values.get("name", "sweep"),
            blocks=tuple(_block(common, block) for block in blocks),
            fixed=_settings("fixed", tables["fixed"]),
            by_model=_by("by_model", tables["by_model"], _model),
            by_dataset=_by("by_dataset", tables["by_dataset"], _dataset),
            search={
                name: read_space(name, space) for name, space in _settings("search", tables["search"]).items()
            },
            resources=read_resources(tables["resources"]),
            **{name: values[name] for name in plain if name in values},
        )

    @classmethod
    def read(cls, source: str | os.PathLike[str]) -> Self:
        """The sweep of a file, or the preset of that name; a file of the same name in this folder wins.

        Raises:
            ConfigError: no such file or preset, or a bad one; the message names it.

        Example:
            >>> len(SweepSpec.read("grid-default").cells)
            336
        """
        path = Path(source)
        if os.fspath(source) in PRESETS and not path.is_file():
            folder = importlib.resources.files("supra_experiments") / "presets"
            return cls.from_toml((folder / f"{source}.toml").read_text(encoding="utf-8"))
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            near = difflib.get_close_matches(os.fspath(source), PRESETS, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ConfigError(f"{source}: no such file, and presets are {', '.join(PRESETS)}{hint}") from None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"{source}: cannot be read ({getattr(error, 'strerror', None) or error})"
            ) from None
        try:
            return cls.from_toml(text)
        except ConfigError as error:
            raise ConfigError(f"{source}: {error}") from None

    def to_toml(self) -> str:
        """The sweep as a file that :meth:`from_toml` reads as the same."""
        lines = [
            f"{name} = {_literal(getattr(self, name))}" for name in ("name", "mode", "baselines", "criterion")
        ]
        lines.append(f"num_trials = {self.num_trials}")
        for table, settings in [
            ("fixed", self.fixed),
            *((f"by_model.{_literal(name)}", own) for name, own in self.by_model.items()),
            *((f"by_dataset.{_literal(name)}", own) for name, own in self.by_dataset.items()),
        ]:
            lines += ["", f"[{table}]", *(f"{name} = {_literal(value)}" for name, value in settings.items())]
        if self.search:
            lines += ["", "[search]", *(f"{name} = {space.to_toml()}" for name, space in self.search.items())]
        for model, own in [("", self.resources), *self.resources.by_model.items()]:
            lines += [
                "",
                f"[resources{'.' * bool(model)}{model}]",
                f"cpus = {own.cpus}",
                f"gpus = {own.gpus}",
            ]
        for block in self.blocks:
            lines += ["", "[[block]]", *(f"{name} = {_literal(getattr(block, name))}" for name in _AXES)]
        return "\n".join(lines) + "\n"


def has_effect(name: str, cell: Cell, given: Iterable[str] = ()) -> bool:
    """Whether a setting changes anything in a cell.

    Args:
        name: of the setting.
        cell: where.
        given: other settings that are given there; an encoder without a window of its own takes the model's.
    """
    family = cell.model.split("-")[0]
    if name in ("pe_init", "max_steps"):
        return cell.pe.endswith(("-i", "-t"))
    if name in _OF_ENCODINGS:
        return cell.pe != "none"
    if name == "window":
        return family != "egcn" or (cell.pe != "none" and "pe_window" not in given)
    if name == "random_channels":
        return cell.features == "random"
    return family in _OF_MODELS.get(name, (family,))


_OF_ENCODINGS = {"k", "pe_window", "coupling", "normalization", "global_nodes", "drop_isolated"} | {
    "skip_trivial",
    "with_eigenvalues",
    "scale_pe",
    "flip_signs",
}
_OF_MODELS = {
    "num_heads": ("slate",),
    "feedforward_channels": ("slate",),
    "active_only": ("slate",),
    "curvature": ("htgn",),
    "learn_curvature": ("htgn",),
    "hidden_init": ("grugcn", "htgn"),
    "attention_reduce": ("grugcn", "htgn"),
    "embed_channels": ("egcn",),
}


def _check_heads(config: Config, space: Mapping[str, Space]) -> None:
    """SLATE's heads share its width; the model would say so only when the trial runs."""
    widths = space["hidden_channels"].extremes if "hidden_channels" in space else (config.hidden_channels,)
    heads = space["num_heads"].extremes if "num_heads" in space else (config.num_heads,)
    for width, number in itertools.product(widths, heads):
        if isinstance(width, int) and isinstance(number, int) and width % number:
            raise ConfigError(f"num_heads={number}: must divide SLATE's hidden_channels, here {width}")


def _block(common: dict[str, Any], own: dict[str, Any]) -> Block:
    _refuse_unknown(own, _AXES, "block.")
    values = common | own
    for name in ("datasets", "models"):
        if name not in values:
            raise ConfigError(f"{name}: must be given")
    return Block(
        datasets=_names("datasets", values["datasets"], _dataset),
        models=_names("models", values["models"], _model),
        encodings=_names("encodings", values.get("encodings", ["none"]), _pe),
        features=_names("features", values.get("features", ["one-hot"]), _features),
        seeds=_seeds(values.get("seeds", 1)),
    )


def _names(key: str, value: Any, check: Any) -> tuple[str, ...]:
    if value == "all":
        return _ALL[key]
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, str) for entry in entries):
        raise ConfigError(f'{key}={value!r}: must be a list of names or "all"')
    return tuple(dict.fromkeys(check(key, entry) for entry in entries))


def _seeds(value: Any) -> tuple[int, ...]:
    if type(value) is int and value >= 1:
        return tuple(range(value))
    if isinstance(value, list) and value and all(type(seed) is int and seed >= 0 for seed in value):
        return tuple(dict.fromkeys(value))
    raise ConfigError(f"seeds={value!r}: must be an integer >= 1, or a list of integers >= 0")


def _dataset(key: str, name: str) -> str:
    entry = find_entry(name)
    if entry is not None or name.lower() == DEMO:
        return entry.name if entry is not None else DEMO
    if Path(name).suffix:
        return name
    known = [DEMO, *REGISTRY]
    near = difflib.get_close_matches(name.lower(), [*known, *ALIASES], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ConfigError(f"{key}={name!r}: must be one of {', '.join(known)}, or the path of a file{hint}")


def _model(key: str, name: str) -> str:
    hint = " (scores without learning are run unless baselines = false)" if name in BASELINES else ""
    return _check_choice(key, name, LEARNED, hint)


def _pe(key: str, name: str) -> str:
    return _check_choice(key, name, PES)


def _features(key: str, name: str) -> str:
    return name if Path(name).suffix else _check_choice(key, name, FEATURES)


def _check_choice(key: str, value: Any, allowed: tuple[str, ...], more: str = "") -> Any:
    if value not in allowed:
        near = difflib.get_close_matches(str(value).lower(), allowed, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ConfigError(f"{key}={value!r}: must be one of {', '.join(allowed)}{more}{hint}")
    return value


def _table(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{name}={value!r}: must be a table [{name}]")
    return value


def _settings(place: str, values: dict[str, Any]) -> dict[str, Any]:
    for name in values:
        if name in _OF_THE_CELL:
            raise ConfigError(f"{place}.{name}: must be said by the list {_OF_THE_CELL[name]} of the sweep")
    if place == "search":
        names = dict.fromkeys(values)
        _refuse_unknown_settings(place, names)
        return values
    try:
        Config.from_dict(values)
    except ConfigError as error:
        raise ConfigError(f"{place}.{error}") from None
    return values


def _refuse_unknown_settings(place: str, names: Iterable[str]) -> None:
    known = [name for name in Config.__dataclass_fields__ if name not in _OF_THE_CELL]
    _refuse_unknown(names, known, f"{place}.", "setting")


def _by(place: str, values: dict[str, Any], check: Any) -> dict[str, dict[str, Any]]:
    return {
        check(place, name): _settings(f"{place}.{name}", _table(f"{place}.{name}", own))
        for name, own in values.items()
    }


def _refuse_unknown(names: Iterable[str], known: Iterable[str], place: str = "", kind: str = "key") -> None:
    known = list(known)
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name.lower().replace("-", "_"), known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"{kind}s are {', '.join(known)}"
            raise ConfigError(f"{place}{name}: no such {kind}; {hint}")


def _literal(value: Any) -> str:
    """JSON's texts, numbers, booleans and lists are TOML's as well."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
