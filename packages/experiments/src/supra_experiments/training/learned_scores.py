"""Scores that are learned from the pasts of pairs without a network: seconds instead of minutes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from supra_core import TemporalGraph
from supra_core.pairs import PairFeatures
from supra_experiments.config import Config
from supra_experiments.datasets.splits import Split
from supra_experiments.encoding.tensors import EncodedGraph
from supra_experiments.protocol.evaluation import Scorer, ScorerAt
from supra_experiments.training.pair_history import PairHistory, training_features

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic regression of pair features f: Σ_j weight_j (s(f_j) − mean_j) / scale_j + intercept.

    s(x) = sign(x) log(1 + |x|), since counts and products of degrees differ by orders of magnitude. All of it
    is numbers and names, and stays in the record.

    Example:
        >>> Logistic(("links",), (0.0,), (1.0,), (2.0,), -1.0)(PairFeatures(np.zeros((1, 1)), ("links",)))
        array([-1.])
    """

    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weight: tuple[float, ...]
    intercept: float

    @classmethod
    def learn(cls, config: Config, features: PairFeatures, labels: NDArray[np.bool_]) -> Self:
        """Fit it to pairs (m, f) and whether each is a link (m,)."""
        values = _shrunk(features.values)
        mean, spread = values.mean(axis=0), values.std(axis=0)
        scale = np.where(spread > 1e-12, spread, 1.0)
        model = LogisticRegression(C=1 / config.model.l2, max_iter=2000)
        model.fit((values - mean) / scale, labels)
        return cls(
            features.names,
            mean=tuple(mean.tolist()),
            scale=tuple(scale.tolist()),
            weight=tuple(model.coef_[0].tolist()),
            intercept=float(model.intercept_[0]),
        )

    def __call__(self, features: PairFeatures) -> Floats:
        """Logits (m,) of pairs."""
        values = (_shrunk(features.values) - np.array(self.mean)) / np.array(self.scale)
        return values @ np.array(self.weight) + self.intercept

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as a record keeps them."""
        return {name: list(part) if isinstance(part, tuple) else part for name, part in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The way back from :meth:`to_dict`."""
        parts = {name: tuple(values[name]) for name in ("names", "mean", "scale", "weight")}
        return cls(**parts, intercept=values["intercept"])


class Boosting:
    """Boosted trees. They are not kept: the settings of the record and its graph grow the same ones again."""

    def __init__(self, model: HistGradientBoostingClassifier) -> None:
        self.model = model

    @classmethod
    def learn(cls, config: Config, features: PairFeatures, labels: NDArray[np.bool_]) -> Self:
        """Fit it to pairs (m, f) and whether each is a link (m,)."""
        own = config.model
        model = HistGradientBoostingClassifier(
            max_iter=own.num_trees,
            max_depth=own.tree_depth,
            learning_rate=own.tree_rate,
            l2_regularization=own.l2,
            early_stopping=False,
            random_state=config.training.seed,
        )
        return cls(model.fit(features.values, labels))

    def __call__(self, features: PairFeatures) -> Floats:
        """Logits (m,) of pairs."""
        return self.model.decision_function(features.values)

    def to_dict(self) -> dict[str, Any]:
        """Nothing: see above."""
        return {}


@dataclass(frozen=True, slots=True)
class Blend:
    """The mean of the logits of both: a line goes on beyond what was seen, trees see what is not a line."""

    logistic: Logistic
    boosting: Boosting

    @classmethod
    def learn(cls, config: Config, features: PairFeatures, labels: NDArray[np.bool_]) -> Self:
        """Fit both to pairs (m, f) and whether each is a link (m,)."""
        return cls(Logistic.learn(config, features, labels), Boosting.learn(config, features, labels))

    def __call__(self, features: PairFeatures) -> Floats:
        """Logits (m,) of pairs."""
        return (self.logistic(features) + self.boosting(features)) / 2

    def to_dict(self) -> dict[str, Any]:
        """Nothing, as its trees are not kept."""
        return {}


Learned = Logistic | Boosting | Blend
KINDS: dict[str, type[Learned]] = {"logistic": Logistic, "boosting": Boosting, "blend": Blend}


def learn_score(
    config: Config, graph: TemporalGraph, split: Split, encoded: EncodedGraph | None
) -> tuple[ScorerAt, Learned]:
    """Learn to predict each training snapshot from those before it, and score later ones likewise.

    Args:
        config: the settings, resolved.
        graph: the snapshots that scores may use.
        split: of them.
        encoded: their encodings, or None.

    Returns:
        What scores the links of a snapshot, from the snapshots that the split lets it see; and what was
        learned.

    Raises:
        ConfigError: fewer than two training snapshots.
    """
    history = PairHistory(graph, encoded, config.model.history_decay)
    with threadpool_limits(config.training.threads):
        features, labels = training_features(config, history, split.num_train)
        learned = KINDS[config.model.name].learn(config, features, labels)

    @cache
    def by_seen(num_seen: int) -> Scorer:
        return lambda pairs: learned(history.before(num_seen, pairs))

    return lambda snapshot: by_seen(split.seen(snapshot)), learned


def _shrunk(values: Floats) -> Floats:
    return np.sign(values) * np.log1p(np.abs(values))
