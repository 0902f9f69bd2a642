"""Which encoding to try first on a graph, by a plain rule; the evidence for it, and how sure it is.

The rule: with the model and features in question, or with those that came nearest to the best on the known
graphs, try the encoding whose mean gain over no encoding is the largest over all models, features and graphs.
Where the graph itself was run, its own runs decide. Closer looks at the graph (its size, its degrees, how its
edges change) were tried as weights and did not choose better than this.
"""

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import resources

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from supra_core.files import write_whole
from supra_experiments.analysis.averages import WITH_NONE, differences, wide
from supra_experiments.analysis.frame import (
    CELL_COLUMNS,
    FEATURES,
    SETTING,
    VARIANTS,
    is_learned,
    paper_cells,
    runs,
)
from supra_experiments.analysis.sides import main_side
from supra_experiments.datasets import Dataset, find_entry
from supra_experiments.errors import ExperimentError
from supra_experiments.training.record import RunRecord

SOURCES = ("yours", "study", "paper")
"""Who measured a cell: the user or this project's study, with this software; or the paper's authors."""

STUDY_FILE = "study_cells.csv"
COLUMNS = ["source", "dataset", "model", "features", "pe", "auc"]
LEVEL = 0.8
"""The share of further graphs whose gain should lie in the interval."""

MIN_GRAPHS = 2
"""A model and features must have been tried on so many graphs to be advised."""


# ── the evidence ───────────────────────────────────────────────────────────────────────────────────────────


def evidence(records: Iterable[RunRecord] = (), dataset: Dataset | None = None) -> pd.DataFrame:
    """Every cell to advise from, one row each: the columns :data:`COLUMNS`.

    Scores without learning, features from files and cells without an AUC are left out. Of the user's own
    records those on the very same edges as the graph in question have its name, whatever their file's was.

    Example:
        >>> sorted(set(evidence().source))
        ['paper', 'study']
    """
    named = [_named(record, dataset) for record in records]
    parts = {"yours": main_side(runs(named)).cells, "study": study_cells(), "paper": paper_cells()}
    table = pd.concat(
        [part.assign(source=source)[COLUMNS] for source, part in parts.items() if len(part)],
        ignore_index=True,
    )
    usable = is_learned(table) & table["features"].isin(FEATURES) & table["pe"].isin(VARIANTS)
    return table[usable & table["auc"].notna()].reset_index(drop=True)


def _named(record: RunRecord, dataset: Dataset | None) -> RunRecord:
    """The record under the name of its graph; files of one name with other edges are other graphs."""
    if dataset is not None and record.graph_digest == dataset.graph.digest:
        name = dataset.name
    elif (entry := find_entry(record.config.data.dataset)) is not None:
        name = entry.name
    else:
        name = f"{record.config.data.dataset} {record.graph_digest[:6]}"
    return replace(record, config=record.config.replace(dataset=name))


def study_cells() -> pd.DataFrame:
    """The cells of this project's own study, as :func:`~supra_experiments.analysis.cells` gives them."""
    with (resources.files(__package__) / STUDY_FILE).open(encoding="utf-8") as text:
        # The features of scores without learning are "", not unknown.
        return pd.read_csv(text, keep_default_na=False, na_values={name: [""] for name in CELL_COLUMNS[4:]})


def write_study_cells(path: str | os.PathLike[str], records: Iterable[RunRecord]) -> None:
    """Write the file behind :func:`study_cells` from run records."""
    table = main_side(runs(records)).cells
    if table.empty:
        raise ExperimentError("records: must hold at least one run")
    write_whole(path, table.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


# ── the rule ───────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """What an encoding gained over none, in AUC points.

    Attributes:
        mean: over graphs; on the graph itself where it was run.
        low, high: the 80 % interval for a further graph (Student's t); NaN with fewer than two graphs.
        num_better, num_graphs: on how many graphs it was better than none, and of how many.
    """

    mean: float
    low: float
    high: float
    num_better: int
    num_graphs: int

    @classmethod
    def of(cls, gains: np.ndarray) -> "Gain":
        """The summary of gains, one a graph."""
        n, mean, half = len(gains), math.nan, math.nan
        if n:
            mean = float(gains.mean())
        if n > 1:  # a further graph is off by its own spread, and by that of the mean
            spread = float(gains.std(ddof=1)) * math.sqrt(1 + 1 / n)
            half = float(stdtrit(n - 1, 0.5 + LEVEL / 2)) * spread
        better = int((gains > 0).sum())
        return cls(mean=mean, low=mean - half, high=mean + half, num_better=better, num_graphs=n)

    @property
    def sureness(self) -> str:
        """``high``: better on every graph and zero outside the interval; ``fair``: on most; else ``low``."""
        if self.num_graphs >= MIN_GRAPHS and self.num_better == self.num_graphs and self.low > 0:
            return "high"
        return "fair" if self.num_graphs and self.num_better > self.num_graphs / 2 else "low"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to try first, and why.

    Attributes:
        model, features, pe: the choice.
        gain: of the encoding with this model and features.
        direct: whether the graph itself was run; its own figures then decided.
        sources: who measured what decided.
        encodings: one row an encoding, best first: its mean ``gain`` over all models and features, the share
            of settings in which it was ``better`` than none, and ``lost``, see :func:`points_lost`.
        settings: one row for each model and features, best first: ``behind`` is by how many points its best
            encoding stays behind the best of the graph, over ``graphs`` graphs.
    """

    model: str
    features: str
    pe: str
    gain: Gain
    direct: bool
    sources: tuple[str, ...]
    encodings: pd.DataFrame
    settings: pd.DataFrame

    @property
    def sureness(self) -> str:
        """How sure the encoding is; no more than ``fair`` for figures of one graph by another software."""
        of_the_paper = self.direct and self.sources == ("paper",)
        return "fair" if of_the_paper and self.gain.mean > 0 else self.gain.sureness


def advise(
    evidence: pd.DataFrame, name: str, *, model: str | None = None, features: str | None = None
) -> Advice:
    """What to try first on a graph, by the evidence; with only this model and these features where given.

    Raises:
        ExperimentError: that model or those features were tried on too few graphs.

    Example:
        >>> advice = advise(evidence(), "mine.csv", model="egcn-h", features="zeros")
        >>> advice.pe.startswith("slpe"), advice.sureness
        (True, 'high')
    """
    asked = {key: value for key, value in (("model", model), ("features", features)) if value is not None}
    wanted = evidence
    for key, value in asked.items():
        wanted = wanted[wanted[key] == value]
    own = wanted[wanted["dataset"] == name]
    if len(own):  # of the first source alone: figures of two softwares do not compare
        first = min(own["source"], key=SOURCES.index)
        chosen = own[own["source"] == first].sort_values("auc", ascending=False, kind="stable")
        top = chosen.iloc[0]
        used, settings = chosen, _settings(chosen, 1)
        decision = (str(top["model"]), str(top["features"]), str(top["pe"]))
    else:
        used = _first_source(wanted)
        settings = _settings(used, MIN_GRAPHS)
        if settings.empty:
            raise ExperimentError(_nothing_known(evidence, asked))
        decision = (*settings.iloc[0][["model", "features"]], _best_encoding(evidence))
    table = differences(used, WITH_NONE)
    here = table[[tuple(row) == decision for row in table[["model", "features", "first"]].to_numpy()]]
    return Advice(
        model=decision[0],
        features=decision[1],
        pe=decision[2],
        gain=Gain.of(here["difference"].to_numpy()),
        direct=bool(len(own)),
        sources=tuple(source for source in SOURCES if source in set(used["source"])),
        encodings=_encodings(evidence),
        settings=settings,
    )


def points_lost(evidence: pd.DataFrame) -> Mapping[str, float]:
    """What rules would have cost: AUC points behind the best encoding of each setting, on average.

    ``rule`` is this module's own, for each graph from the others alone; the others always take one encoding.
    Only settings in which every encoding was run count; NaN where there are none.

    Example:
        >>> lost = points_lost(evidence())
        >>> lost["rule"] < lost["none"]
        True
    """
    table = wide(_first_source(evidence)).reindex(columns=list(VARIANTS)).dropna()
    behind = table.sub(table.max(axis=1), axis=0).abs().groupby("dataset").mean()
    if len(behind) < MIN_GRAPHS:
        return dict.fromkeys(("rule", *VARIANTS), math.nan)
    without = {held: _best_encoding(evidence[evidence["dataset"] != held]) for held in behind.index}
    rule = float(np.mean([behind.loc[held, pe] for held, pe in without.items()]))
    return {"rule": rule} | {pe: float(behind[pe].mean()) for pe in VARIANTS}


# ── parts ──────────────────────────────────────────────────────────────────────────────────────────────────


def _first_source(table: pd.DataFrame) -> pd.DataFrame:
    """Each setting from one source, the first that has it: gains compare runs of one software."""
    order = table["source"].map(SOURCES.index)
    return table[order == order.groupby([table[key] for key in SETTING]).transform("min")]


def _best_encoding(table: pd.DataFrame) -> str:
    gains = differences(_first_source(table), WITH_NONE).groupby("first")["difference"].mean()
    return str(gains.idxmax()) if len(gains) and gains.max() > 0 else "none"


def _encodings(table: pd.DataFrame) -> pd.DataFrame:
    groups = differences(_first_source(table), WITH_NONE).groupby("first")["difference"]
    found = pd.DataFrame({"gain": groups.mean(), "better": groups.agg(lambda gains: (gains > 0).mean())})
    found.loc["none"] = [0.0, math.nan]
    found["lost"] = pd.Series(points_lost(table))
    return found.sort_values("gain", ascending=False, kind="stable").rename_axis("pe").reset_index()


def _settings(table: pd.DataFrame, min_graphs: int) -> pd.DataFrame:
    best = table.groupby(SETTING)["auc"].max()
    behind = best.groupby("dataset").transform("max") - best
    groups = behind.groupby(["model", "features"])
    found = pd.DataFrame({"behind": groups.mean(), "graphs": groups.count()}).reset_index()
    return found[found["graphs"] >= min_graphs].sort_values("behind", kind="stable", ignore_index=True)


def _nothing_known(evidence: pd.DataFrame, asked: Mapping[str, str]) -> str:
    wanted = ", ".join(f"{key}={value!r}" for key, value in asked.items()) or "runs"
    known = "; ".join(f"{key}: {', '.join(dict.fromkeys(evidence[key]))}" for key in asked or ("model",))
    return f"{wanted}: must have been tried on this graph or on {MIN_GRAPHS} others (known are {known})"
