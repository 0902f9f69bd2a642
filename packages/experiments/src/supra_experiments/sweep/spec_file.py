"""A sweep's file: its keys and values, checked and named in every message."""

import itertools
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from supra_experiments.config import FEATURES, LEARNED, NETWORKS, PES, SETTINGS, Config
from supra_experiments.config.setting import one_of, refuse_unknown
from supra_experiments.datasets.registry import ALIASES, DEMO, REGISTRY, find_entry
from supra_experiments.errors import ConfigError, placed
from supra_experiments.protocol.baselines import BASELINES
from supra_experiments.sweep.cells import Block, Cell, Resources
from supra_experiments.sweep.held_out import HELD_OUT
from supra_experiments.sweep.space import Space, read_space

AXES = ("datasets", "models", "encodings", "features", "seeds")
TABLES = ("fixed", "start", "by_model", "by_dataset", "search", "carry", "resources")
PLAIN = ("mode", "num_trials", "criterion", "held_out", "baselines", "pack")
KEYS = ("name", *PLAIN, *AXES, *TABLES, "block")
ALL = {
    "datasets": tuple(reversed(REGISTRY)),
    "models": tuple(name for name in NETWORKS if name != "egcn"),
    "encodings": PES,
    "features": FEATURES,
}
"""What ``"all"`` stands for."""

OF_THE_CELL = {
    "dataset": "datasets",
    "model": "models",
    "pe": "encodings",
    "features": "features",
    "seed": "seeds",
}
"""Settings that a sweep's lists say, and no table of settings may."""


def parse(text: str, name: str) -> dict[str, Any]:
    """The arguments of a :class:`~supra_experiments.sweep.spec.SweepSpec` that TOML text describes.

    Args:
        text: of the file.
        name: of the sweep where the text has none.

    Raises:
        ConfigError: an unknown key (with the nearest one), an ill-typed or a bad value.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"not TOML: {error}") from None
    refuse_unknown(values, KEYS, kind="key")
    blocks = values.get("block", [{}])
    if not isinstance(blocks, list) or not blocks or not all(isinstance(block, dict) for block in blocks):
        raise ConfigError(f"block={blocks!r}: must be tables [[block]]")
    common = {name: values[name] for name in AXES if name in values}
    tables = {name: _table(name, values.get(name, {})) for name in TABLES}
    with placed("resources."):
        resources = Resources.from_plain(tables["resources"])
    return {
        "name": values.get("name", name),
        "blocks": tuple(_block(common, block) for block in blocks),
        "fixed": _settings("fixed", tables["fixed"]),
        "start": _settings("start", tables["start"]),
        "by_model": _by("by_model", tables["by_model"], _model),
        "by_dataset": _by("by_dataset", tables["by_dataset"], _dataset),
        "search": _search(tables["search"]),
        "carry": {
            _dataset("carry", name): _names(f"carry.{name}", sources, _dataset)
            for name, sources in tables["carry"].items()
        },
        "resources": resources,
        **{name: values[name] for name in PLAIN if name in values},
    }


def check_plain(values: Mapping[str, Any]) -> None:
    """Refuse bad values of keys that are neither lists nor tables."""
    name, held_out = values["name"], values["held_out"]
    if type(name) is not str or not name or set(name) & set("/\\\0") or name[0] == ".":
        raise ConfigError(f"name={name!r}: must be a text that can name a folder")
    one_of("grid", "search")("mode", values["mode"])
    one_of("auto", "train_loss", "validation_auc", *HELD_OUT)("criterion", values["criterion"])
    if held_out is not None:
        if type(held_out) is not int or held_out < 1:
            raise ConfigError(f"held_out={held_out!r}: must be an integer >= 1")
        if values["mode"] != "search" or values["criterion"] not in HELD_OUT:
            raise ConfigError(f"held_out={held_out}: is for a search by {' or '.join(HELD_OUT)}")
    if type(values["num_trials"]) is not int or values["num_trials"] < 1:
        raise ConfigError(f"num_trials={values['num_trials']!r}: must be an integer >= 1")
    if type(values["baselines"]) is not bool:
        raise ConfigError(f"baselines={values['baselines']!r}: must be true or false")
    if values["pack"] != "auto" and (type(values["pack"]) is not int or values["pack"] < 1):
        raise ConfigError(f"pack={values['pack']!r}: must be 'auto' or an integer >= 1")


# ── the lists ──────────────────────────────────────────────────────────────────────────────────────────────


def _block(common: dict[str, Any], own: dict[str, Any]) -> Block:
    refuse_unknown(own, (*AXES, "fixed"), "block.", "key")
    values = common | own
    for name in ("datasets", "models"):
        if name not in values:
            raise ConfigError(f'{name}: must be given, a list of names or "all"')
    return Block(
        datasets=_names("datasets", values["datasets"], _dataset),
        models=_names("models", values["models"], _model),
        encodings=_names("encodings", values.get("encodings", ["none"]), _encoding),
        features=_names("features", values.get("features", ["one-hot"]), _features),
        seeds=_seeds(values.get("seeds", 1)),
        fixed=_settings("block.fixed", _table("block.fixed", own.get("fixed", {}))),
    )


def _names(key: str, value: Any, check: Callable[[str, str], str]) -> tuple[str, ...]:
    if value == "all" and key in ALL:
        return ALL[key]
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, str) for entry in entries):
        more = ' or "all"' if key in ALL else ""
        raise ConfigError(f"{key}={value!r}: must be a list of names{more}")
    return tuple(dict.fromkeys(check(key, entry) for entry in entries))


def _seeds(value: Any) -> tuple[int, ...]:
    if type(value) is int and value >= 1:
        return tuple(range(value))
    if isinstance(value, list) and value and all(type(seed) is int and seed >= 0 for seed in value):
        return tuple(dict.fromkeys(value))
    raise ConfigError(f"seeds={value!r}: must be an integer >= 1, or a list of integers >= 0")


def _dataset(key: str, name: str) -> str:
    if name.lower() == DEMO:
        return DEMO
    if (entry := find_entry(name)) is not None:
        return entry.name
    if Path(name).suffix:
        return name
    return one_of(DEMO, *REGISTRY, others=", or the path of a CSV or Parquet file", near=ALIASES)(key, name)


def _model(key: str, name: str) -> str:
    more = " (scores without learning are run unless baselines = false)" if name in BASELINES else ""
    return one_of(*LEARNED, others=more)(key, name)


_encoding = one_of(*PES)
_features = one_of(*FEATURES, others=", or the path of a file", unless=lambda name: Path(name).suffix)


# ── the tables ─────────────────────────────────────────────────────────────────────────────────────────────


def _table(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{name}={value!r}: must be a table [{name}]")
    return value


def _settings(place: str, values: dict[str, Any]) -> dict[str, Any]:
    _check_names(place, values)
    with placed(f"{place}."):
        Config(**values)
    return values


def _search(values: dict[str, Any]) -> dict[str, Any]:
    _check_names("search", values)
    spaces = {name: read_space(name, value) for name, value in values.items()}
    for name, space in spaces.items():
        for value in space.extremes:
            with placed("search."):
                Config(**{name: value})
    return spaces


def _by(place: str, values: dict[str, Any], check: Callable[[str, str], str]) -> dict[str, dict[str, Any]]:
    return {
        check(place, name): _settings(f"{place}.{name}", _table(f"{place}.{name}", own))
        for name, own in values.items()
    }


def _check_names(place: str, names: Iterable[str]) -> None:
    names = list(names)
    for name in names:
        if name in OF_THE_CELL:
            raise ConfigError(f"{place}.{name}: must be said by the list {OF_THE_CELL[name]} of the sweep")
    known = [name for name in SETTINGS if name not in OF_THE_CELL]
    refuse_unknown(names, known, f"{place}.")


def check_carry(carry: Mapping[str, tuple[str, ...]], mode: str, cells: Collection[Cell]) -> None:
    """What a cell is to be given must be searched in the same sweep, on one of the datasets at least."""
    if carry and mode != "search":
        raise ConfigError('carry: is only for mode = "search"')
    for name in carry.keys() - {cell.dataset for cell in cells}:
        raise ConfigError(f"carry.{name}: must be one of the sweep's datasets")
    for name, sources in carry.items():
        for source in carry.keys() & set(sources):
            raise ConfigError(f"carry.{name}: {source} must have searches of its own")
        for cell in cells:
            if cell.dataset == name and not any(replace(cell, dataset=other) in cells for other in sources):
                raise ConfigError(f"carry.{name}: {cell.name} must be searched on {' or '.join(sources)}")


def check_heads(config: Config, space: Mapping[str, Space]) -> None:
    """SLATE's heads share its width; the model would say so only when the trial runs."""
    widths, heads = (
        space[name].extremes if name in space else (getattr(config.model, name),)
        for name in ("hidden_channels", "num_heads")
    )
    for width, number in itertools.product(widths, heads):
        if isinstance(width, int) and isinstance(number, int) and width % number:
            raise ConfigError(f"num_heads={number}: must divide SLATE's hidden_channels, here {width}")
