"""Run records as a table of runs, runs as a table of cells, and the cells of the paper."""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd

from supra_experiments.config import Config, has_effect
from supra_experiments.config.model import LEARNED_SCORES
from supra_experiments.errors import ExperimentError
from supra_experiments.protocol.baselines import BASELINES
from supra_experiments.protocol.metrics import Metrics
from supra_experiments.training.record import RunRecord

# The orders in which the paper names things.
DATASETS = ("canparl", "as733", "dblp", "enron10")
MODELS = ("egcn-h", "grugcn", "htgn", "slate")
UNLEARNED = tuple(BASELINES)
FEATURES = ("one-hot", "random", "zeros")
VARIANTS = ("none", "slpe-e", "lpe-e", "slpe-i", "lpe-i", "slpe-t", "lpe-t")

ENCODINGS = VARIANTS[1:]

KEYS = ["dataset", "model", "features", "pe"]
"""What makes a cell; runs of one cell differ in their seed."""

NAMED = [*KEYS, "seed"]
"""Settings that say which run it is, not how it was made."""

SETTING = KEYS[:3]
"""Where encodings are compared: all variants of a setting see the same data, model and features."""

NEGATIVES = {"uniform": "auc", "active": "auc_active", "historical": "auc_historical"}
"""Kinds of negatives, and the column of the AUC under each."""

FIGURES = [
    *("ap", "auc_new", "auc_active", "auc_historical", "encoding_seconds", "training_seconds"),
    *("num_epochs", "best_epoch", "num_parameters"),
]
"""What is averaged over the runs of a cell beside the AUC."""

RUN_COLUMNS = [*KEYS, "seed", "settings", "auc", *FIGURES, "diverged", "digest"]
CELL_COLUMNS = [*KEYS, "auc", "auc_std", "num_runs", "num_diverged", *FIGURES]

DEFAULT, CHOSEN, SEARCHED = "default", "chosen", "searched"
"""How the settings of a run were found, see :func:`settings_of`."""

_ORDER = {
    "dataset": DATASETS,
    "model": (*MODELS, "egcn-o", *LEARNED_SCORES, *UNLEARNED),
    "features": (*FEATURES, ""),
    "pe": VARIANTS,
}
_NAMES = (*KEYS, "num_snapshots", "every", "unit", "protocol", "decoder_history")
"""Settings that say what is run, not how."""
_WHERE = ("seed", "threads", "device")
_UNKNOWN = Metrics(math.nan, math.nan)


def runs(records: Iterable[RunRecord]) -> pd.DataFrame:
    """One row a run; AUC and AP in percent, NaN where unknown. A run that is given twice counts once.

    Args:
        records: of any settings. ``auc`` is under uniform negatives, ``auc_active`` and ``auc_historical``
            under the others, whichever the run itself asked for. Scores
            without a network have the features ``""``, without learning the encoding ``none``.
            ``settings`` is as of :func:`settings_of`, ``digest`` as of :func:`key_of`.

    Returns:
        The columns :data:`RUN_COLUMNS`, in the order of the records.

    Example:
        >>> from supra_experiments import Config, fit
        >>> runs([fit(Config(model="count"))])[["dataset", "model", "features", "pe"]].values.tolist()
        [['demo', 'count', '', 'none']]
    """
    once = {known_by(each): each for each in reversed(list(records))}
    return pd.DataFrame([_run(record) for record in reversed(once.values())], columns=RUN_COLUMNS)


def cell_of(record: RunRecord) -> dict[str, str]:
    """The cell that a run counts for: the columns :data:`KEYS`.

    A network that learns to predict the next snapshot is another model than the published one, and so is one
    whose decoder sees a pair's past: ``grugcn, next`` and ``grugcn, history``.
    """
    config = record.config
    other = ", next" if config.training.protocol == "next" else ""
    other = ", history" if config.model.decoder_history else other
    return {
        "dataset": config.data.dataset,
        "model": config.model.name + (other if config.model.is_network else ""),
        "features": config.data.features if config.model.is_network else "",
        "pe": config.encoding.pe if config.model.is_learned else "none",
    }


def known_by(record: RunRecord) -> tuple[str, str, bool]:
    """The same in two records of one run: its settings, its graph, and whether a search chose them."""
    return record.config.identity, record.graph_digest, record.searched is not None


def key_of(record: RunRecord) -> str:
    """A name of a run: the digest of its settings, and whether a search chose them."""
    return record.config.digest + ("-searched" if record.searched is not None else "")


def settings_of(record: RunRecord) -> str:
    """How a run's settings were found: ``searched``, ``default`` or ``chosen``.

    They are the defaults where everything that has an effect in the cell is what nobody asked for otherwise.

    Example:
        >>> from supra_experiments import Config, fit
        >>> [settings_of(fit(Config(model=model, l2=2.0))) for model in ("count", "logistic")]
        ['default', 'chosen']
    """
    if record.searched is not None:
        return SEARCHED
    config = record.config
    if not config.model.is_learned:
        return DEFAULT
    values = config.resolved().values()
    named = {name: values[name] for name in _NAMES if values[name] is not None}
    defaults = _defaults(tuple(named.items()))
    return DEFAULT if all(values[name] == default for name, default in defaults.items()) else CHOSEN


@lru_cache(maxsize=1024)
def _defaults(named: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    """The settings that have an effect where these are given, but for those on where a run is made."""
    values = Config(**dict(named)).resolved().values()
    cell = values["model"], values["pe"], values["features"]
    return {name: value for name, value in values.items() if name not in _WHERE and has_effect(name, *cell)}


def cells(runs: pd.DataFrame) -> pd.DataFrame:
    """One row for each (dataset, model, features, encoding): means over seeds, in the paper's order.

    Args:
        runs: as from :func:`runs`.

    Returns:
        The columns :data:`CELL_COLUMNS`. ``num_runs`` counts runs with an AUC, the mean and the standard
        deviation (over runs, not an estimate for more of them; NaN for a single one) are theirs;
        ``num_diverged`` counts those whose training met a loss that is not finite.

    Raises:
        ExperimentError: a cell with two runs of one seed, that is of different settings: their mean is the
            mean of nothing.

    Example:
        >>> from supra_experiments import Config, fit
        >>> cells(runs([fit(Config(model="count"))])).num_runs.tolist()
        [1]
    """
    check_one_setting(runs)
    groups = runs.groupby(KEYS, sort=False, dropna=False)
    table = groups[["auc", *FIGURES]].mean()
    # As in the tables of `supra train`: the spread of these runs, so NaN where there is nothing to spread.
    num_runs = groups["auc"].count()
    table["auc_std"] = groups["auc"].std(ddof=0).where(num_runs > 1)
    table["num_runs"] = num_runs
    table["num_diverged"] = groups["diverged"].sum().astype(np.int64)
    return in_order(table.reset_index()[CELL_COLUMNS])


def check_one_setting(runs: pd.DataFrame) -> None:
    """Refuse two runs of one cell and seed; the message names the cell."""
    twice = runs[runs.duplicated([*KEYS, "seed"])]
    if len(twice):
        name = "/".join(str(part) for part in twice.iloc[0][KEYS])
        raise ExperimentError(
            f"runs: seed {twice.iloc[0]['seed']} of {name} is there twice, with different settings; "
            "choose the records of one setting"
        )


def paper_cells() -> pd.DataFrame:
    """The 336 cells that the paper reports, five runs each; what it does not report is NaN.

    Example:
        >>> table = paper_cells()
        >>> len(table), float(table.auc.max())
        (336, 99.85)
    """
    with (resources.files(__package__) / "paper_auc.csv").open(encoding="utf-8") as file:
        theirs = pd.read_csv(file, keep_default_na=False)
    table = pd.DataFrame(
        {
            "dataset": theirs["dataset"].str.lower(),
            "model": theirs["model"].str.lower().replace("egcn", "egcn-h"),
            "features": theirs["features"].replace("randn", "random"),
            "pe": theirs["variant"].str.lower().replace("no pes", "none"),
            "auc": theirs["auc_mean"].astype(float),
            "auc_std": theirs["auc_std"],
            "num_runs": 5,
        }
    )
    return in_order(table.reindex(columns=CELL_COLUMNS))


def in_order(table: pd.DataFrame) -> pd.DataFrame:
    """Rows sorted by features, dataset, encoding and model as the paper has them; others after, by name."""
    ranks = pd.DataFrame({name: [_place(value, _ORDER[name]) for value in table[name]] for name in KEYS})
    order = ranks.sort_values(["features", "dataset", "pe", "model"], kind="stable").index
    return table.iloc[order].reset_index(drop=True)


def ordered(values: Iterable[str], known: Iterable[str]) -> list[str]:
    """The distinct values, known ones first and in their order, others by name.

    A model that differs from the published one, as in ``grugcn, next``, stands behind that one.

    Example:
        >>> ordered(["b", "x", "a, c", "a", "b"], ("a", "b", "c"))
        ['a', 'a, c', 'b', 'x']
    """
    names = list(known)
    return sorted(set(values), key=lambda value: _place(value, names))


def is_learned(table: pd.DataFrame) -> pd.Series:
    """Which rows were learned, in contrast to the scores without learning."""
    return ~table["model"].isin(UNLEARNED)


def _place(value: str, known: Sequence[str]) -> tuple[int, str]:
    first = value.partition(", ")[0]
    return (known.index(first) if first in known else len(known), value)


def _run(record: RunRecord) -> dict[str, object]:
    config = record.config
    by_kind = {config.data.negatives: record.test} | record.by_negatives
    uniform = by_kind.get("uniform", _UNKNOWN)
    new = record.test_new if config.data.negatives == "uniform" else _UNKNOWN
    return {
        **cell_of(record),
        "seed": config.training.seed,
        "settings": settings_of(record),
        "auc": 100 * uniform.auc,
        "ap": 100 * uniform.ap,
        "auc_new": 100 * new.auc,
        "auc_active": 100 * by_kind.get("active", _UNKNOWN).auc,
        "auc_historical": 100 * by_kind.get("historical", _UNKNOWN).auc,
        "encoding_seconds": record.timings.encoding,
        "training_seconds": record.timings.training,
        "num_epochs": len(record.history),
        "best_epoch": record.best_epoch,
        "num_parameters": record.num_parameters,
        "diverged": record.diverged,
        "digest": key_of(record),
    }
