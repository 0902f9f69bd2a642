"""A sweep as one TOML file: which cells of the study, which seeds, which settings, which search."""

import importlib.resources
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, cast

import tomli_w

from supra_experiments.config import Config, has_effect
from supra_experiments.errors import ConfigError, did_you_mean, placed, told_as
from supra_experiments.protocol.baselines import BASELINES
from supra_experiments.sweep.cells import Block, Cell, Resources
from supra_experiments.sweep.held_out import HELD_OUT, Criterion, is_validated
from supra_experiments.sweep.space import Space, Value
from supra_experiments.sweep.spec_file import AXES, PLAIN, check_carry, check_heads, check_plain, parse

Mode = Literal["grid", "search"]

PRESETS = ("paper", "grid-default", "quick")
"""The sweeps that come with the package, by name."""


@dataclass(frozen=True, kw_only=True)
class SweepSpec:
    """A sweep. Bad values are refused here: the settings of every cell are built once.

    Attributes:
        name: of the sweep and of its folder.
        mode: ``grid``: every cell with every seed; ``search``: a search for each cell, then the best setting
            with every seed.
        blocks: which cells, with settings of their own that win over all others; a cell of two blocks has
            the seeds of both.
        fixed: settings of all runs.
        start: settings of all runs that a search may change: its first trial has them.
        by_model, by_dataset: settings that win over ``fixed`` (those of the dataset over those of the model)
            and over ``search``.
        search: the values that settings may take.
        carry: datasets without a search of their own, by the datasets whose settings they are given: in each
            cell those that gained most in the same cell of any that the sweep has.
        num_trials: of the search in each cell at most, the one with default settings included.
        criterion: what the search makes best: ``validation_auc``, ``train_loss``, or ``auto``: the first
            where there are validation snapshots, else the second. With ``held_out_auc`` and ``held_out_lead``
            trials run on the snapshots before the test, the last of which judge: by AUC, or by the smallest
            lead over the best score without learning under any kind of negatives. There is no way to ask for
            the test.
        held_out: how many of them judge; as many as are tested where not given.
        baselines: whether the scores without learning are computed too, once for each dataset.
        resources: what one trial reserves.
        pack: how many runs a trial trains as one at most, or ``auto``; no setting of a run.

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
        >>> [f"{run.model.name} {run.encoding.pe} {run.training.seed}" for run in spec.runs()][:5]
        ['htgn none 0', 'htgn slpe-i 0', 'grugcn none 0', 'grugcn slpe-i 0', 'htgn none 1']
    """

    name: str
    blocks: tuple[Block, ...]
    mode: Mode = "grid"
    fixed: Mapping[str, Value] = field(default_factory=dict)
    start: Mapping[str, Value] = field(default_factory=dict)
    by_model: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    by_dataset: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    search: Mapping[str, Space] = field(default_factory=dict)
    carry: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    num_trials: int = 30
    criterion: str = "auto"
    held_out: int | None = None
    baselines: bool = True
    resources: Resources = field(default_factory=Resources)
    pack: int | str = "auto"

    def __post_init__(self) -> None:
        check_plain({name: getattr(self, name) for name in ("name", *PLAIN)})
        if (self.mode == "search") != bool(self.search):
            needed = "is needed where" if self.mode == "search" else "is only for"
            raise ConfigError(f'search: a table of values to try {needed} mode = "search"')
        for name in sorted(self.search.keys() & self.fixed.keys()):
            raise ConfigError(f"{name}: must be either in fixed or in search")
        for name in sorted(self.start.keys() - self.search.keys()):
            raise ConfigError(f"start: {name} is not searched; a setting of all runs belongs in fixed")
        check_carry(self.carry, self.mode, self._seeds)
        for cell in self.cells:
            self._check_cell(cell)

    def _check_cell(self, cell: Cell) -> None:
        config = self.config(cell, self.seeds(cell)[0])
        if cell.model == "slate":
            check_heads(config.resolved(), self.search_space(cell))
        self.selection(cell)

    # ── what it stands for ─────────────────────────────────────────────────────────────────────────────────

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell once, in the order of the file; scores without learning are not among them."""
        return tuple(self._seeds)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Every dataset once, in the order of the file."""
        return tuple(dict.fromkeys(name for block in self.blocks for name in block.datasets))

    def seeds(self, cell: Cell) -> tuple[int, ...]:
        """The seeds of a cell."""
        return self._seeds[cell]

    @cached_property
    def _seeds(self) -> dict[Cell, tuple[int, ...]]:
        known: dict[Cell, tuple[int, ...]] = {}
        for block in self.blocks:
            for cell in block.cells:
                known[cell] = tuple(dict.fromkeys((*known.get(cell, ()), *block.seeds)))
        return known

    @cached_property
    def _fixed(self) -> dict[Cell, Mapping[str, Value]]:
        known: dict[Cell, Mapping[str, Value]] = {}
        for block in self.blocks:
            for cell in block.cells:
                if known.setdefault(cell, block.fixed) != block.fixed:
                    raise ConfigError(f"block.fixed: {cell.name} is in two blocks with different settings")
        return known

    def config(self, cell: Cell, seed: int, **settings: Any) -> Config:
        """The settings of one run.

        Args:
            cell: what is run.
            seed: its seed.
            settings: found by a search; they win over all others.
        """
        values = {**self.start, **self.fixed, **self.by_model.get(cell.model, {})}
        values |= {**self.by_dataset.get(cell.dataset, {}), **self._fixed.get(cell, {})}
        values |= {"dataset": cell.dataset, "model": cell.model, "pe": cell.pe, "features": cell.features}
        return Config(**values | {"seed": seed} | settings)

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
        return sum(map(self.trials, self.cells))

    def search_space(self, cell: Cell) -> dict[str, Space]:
        """What is searched in a cell: nothing that its model or dataset fixes, nothing without effect."""
        by_name = self.by_model.get(cell.model, {}), self.by_dataset.get(cell.dataset, {})
        fixed = {*by_name[0], *by_name[1], *self._fixed[cell]}
        given = self.search.keys() | fixed | self.fixed.keys()
        return {
            name: space
            for name, space in self.search.items()
            if name not in fixed and has_effect(name, cell.model, cell.pe, cell.features, given)
        }

    def trials(self, cell: Cell) -> int:
        """Trials of the search in a cell: fewer where there are fewer settings, none without a choice."""
        space = self.search_space(cell)
        if not space or self.sources(cell):
            return 0
        # The default settings are tried as well; they may be none of those that are searched.
        return int(min(self.num_trials, 1 + math.prod(part.size for part in space.values())))

    def sources(self, cell: Cell) -> tuple[Cell, ...]:
        """The cells of the sweep whose settings a cell is given; none where it is searched itself."""
        others = (replace(cell, dataset=name) for name in self.carry.get(cell.dataset, ()))
        return tuple(other for other in others if other in self._seeds)

    @property
    def is_held_out(self) -> bool:
        """Whether a search judges by training snapshots that its trials do not train on."""
        return self.mode == "search" and self.criterion in HELD_OUT

    def selection(self, cell: Cell) -> Criterion:
        """What the search makes best in a cell.

        Raises:
            ConfigError: validation is asked for where there are no validation snapshots, or nothing else can
                tell settings apart.
        """
        if self.is_held_out:
            return cast(Criterion, self.criterion)
        config = self.config(cell, 0)
        validated = is_validated(config)
        has_epochs = config.model.is_network or not config.model.is_learned
        unjudged = not has_epochs and (self.criterion == "train_loss" or not validated)
        if unjudged and self.search_space(cell):
            raise ConfigError(
                f"search: {cell.model} must be judged by validation snapshots; set validation_snapshots"
            )
        if self.criterion == "validation_auc" and not validated:
            raise ConfigError(
                f"criterion='validation_auc': {cell.dataset} has no validation snapshots; "
                "set validation_snapshots or take 'auto'"
            )
        if self.criterion == "auto":
            return "validation_auc" if validated else "train_loss"
        return cast(Criterion, self.criterion)

    # ── in and out ─────────────────────────────────────────────────────────────────────────────────────────

    @classmethod
    def from_toml(cls, text: str, *, name: str = "sweep") -> Self:
        """The sweep that TOML text describes.

        Args:
            text: of the file.
            name: of the sweep where the text has none.

        Raises:
            ConfigError: an unknown key (with the nearest one), an ill-typed or a bad value.
        """
        return cls(**parse(text, name))

    @classmethod
    def read(cls, source: str | os.PathLike[str]) -> Self:
        """The sweep of a file, or the preset of that name; a file of the same name in this folder wins.

        A file without a ``name`` gives its own.

        Raises:
            ConfigError: no such file or preset, or a bad one; the message names it.

        Example:
            >>> len(SweepSpec.read("grid-default").cells)
            336
        """
        path = Path(source)
        if os.fspath(source) in PRESETS and not path.is_file():
            folder = importlib.resources.files("supra_experiments.sweep") / "presets"
            return cls.from_toml((folder / f"{source}.toml").read_text(encoding="utf-8"))
        with told_as(ConfigError, f"{source}: cannot be read"):
            if not path.exists():
                hint = did_you_mean(os.fspath(source), PRESETS)
                raise ConfigError(f"{source}: no such file, and presets are {', '.join(PRESETS)}{hint}")
            text = path.read_text(encoding="utf-8")
        with placed(f"{source}: "):
            return cls.from_toml(text, name=path.stem)

    def to_toml(self) -> str:
        """The sweep as a file that :meth:`from_toml` reads as the same."""
        return tomli_w.dumps(
            {
                **{name: value for name in ("name", *PLAIN) if (value := getattr(self, name)) is not None},
                "fixed": dict(self.fixed),
                "start": dict(self.start),
                "by_model": {name: dict(own) for name, own in self.by_model.items()},
                "by_dataset": {name: dict(own) for name, own in self.by_dataset.items()},
                "search": {name: space.to_plain() for name, space in self.search.items()},
                "carry": dict(self.carry),
                "resources": self.resources.to_plain(),
                "block": [
                    {**{name: getattr(block, name) for name in AXES}, "fixed": dict(block.fixed)}
                    for block in self.blocks
                ],
            }
        )
