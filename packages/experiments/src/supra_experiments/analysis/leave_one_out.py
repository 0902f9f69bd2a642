"""What the advice itself is worth: given for each dataset as if it had not been seen, and judged on it."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from supra_experiments.analysis.advise import Advice, Expected, advise, chosen_cells, expect
from supra_experiments.analysis.choices import Candidate, Tables
from supra_experiments.analysis.frame import VARIANTS
from supra_experiments.analysis.graph_statistics import GraphStatistics
from supra_experiments.errors import ExperimentError

MIN_HELD_OUT = 2
"""Fewer datasets to judge on tell nothing."""

ADVICE, IGNORED, ELSEWHERE = "advice", "advice, graph ignored", "one encoding, best elsewhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A way to choose, and what following it would have cost.

    Attributes:
        name: ``advice``; ``advice, graph ignored``: all datasets count the same; ``one encoding, best
            elsewhere``: that with the highest mean AUC on the other datasets, for every model and features;
            ``always NAME``.
        cost: AUC points behind the best choice, the mean over datasets.
        by_dataset: the cost on each.
    """

    name: str
    cost: float
    by_dataset: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The advice, judged on every dataset without having seen it.

    Attributes:
        encoding: rules for the encoding, model and features given; the mean over models and features.
        everything: rules for model, features and encoding together; the last is the constant choice that
            would have cost least, if any was measured on every dataset.
        coverage: the share of held-out gains that lie in their interval, which should be 0.8.
        brier: the mean squared error of the probability to beat no encoding; always saying ½ has 0.25.
        num_datasets: that were held out, one after another.
    """

    encoding: tuple[Rule, ...]
    everything: tuple[Rule, ...]
    coverage: float
    brier: float
    num_datasets: int

    @property
    def best_constant(self) -> Rule:
        """The one encoding that would have cost least: chosen in hindsight, so hard to beat."""
        return min((rule for rule in self.encoding if rule.name.startswith("always")), key=_cost)

    def worthwhile(self) -> bool:
        """Whether the advice would have cost less than always taking the best single encoding."""
        return self.encoding[0].cost < self.best_constant.cost


def leave_one_out(
    evidence: pd.DataFrame,
    references: Mapping[str, GraphStatistics],
    *,
    model: str | None = None,
    features: str | None = None,
) -> Score | None:
    """Give the advice for each dataset from the others alone, and see what it would have cost.

    The cost is counted among the cells that were measured on the dataset held out, for those models and
    features that were run with all encodings.

    Args:
        evidence, references, model, features: as for :func:`~supra_experiments.analysis.advise.advise`.

    Returns:
        None where fewer than two datasets can be held out.

    Example:
        >>> from supra_experiments.analysis.evidence import evidence
        >>> from supra_experiments.analysis.graph_statistics import reference_statistics
        >>> score = leave_one_out(evidence(study=False), reference_statistics(), model="htgn")
        >>> score.num_datasets, score.encoding[0].name, score.best_constant.name.split()[0]
        (4, 'advice', 'always')
    """
    known = evidence[evidence["dataset"].isin(list(references))]
    datasets = dict.fromkeys(chosen_cells(known, model, features)["dataset"])
    found = (_hold_out(known, references, name, model, features) for name in datasets)
    cases = [case for case in found if case is not None]
    if len(cases) < MIN_HELD_OUT:
        return None
    shared = set.intersection(*(set(case.cells) for case in cases))
    return Score(
        encoding=(
            _rule(ADVICE, cases, lambda case: case.encoding_cost(_order(case.advised))),
            _rule(IGNORED, cases, lambda case: case.encoding_cost(case.ignored.order())),
            _rule(ELSEWHERE, cases, lambda case: case.encoding_cost(case.with_encoding(case.elsewhere()))),
            *(_always(pe, cases) for pe in VARIANTS),
        ),
        everything=(
            _rule(ADVICE, cases, lambda case: case.cost(_order(case.advised))),
            _rule(IGNORED, cases, lambda case: case.cost(case.ignored.order())),
            *sorted((_always_all(candidate, cases) for candidate in shared), key=_cost)[:1],
        ),
        coverage=float(np.mean([inside for case in cases for inside, _ in case.gains()])),
        brier=float(np.mean([error for case in cases for _, error in case.gains()])),
        num_datasets=len(cases),
    )


@dataclass(frozen=True, slots=True)
class _Case:
    """A dataset that was held out: what was measured on it, and what the others advise for it."""

    name: str
    cells: dict[Candidate, float]
    gain: dict[Candidate, float]
    advised: Advice
    ignored: Expected

    def encoding_cost(self, order: Sequence[Candidate]) -> float:
        """What the first of each model and features would have cost; the mean over these."""
        return float(np.mean([_behind(group, order) for group in self._groups()]))

    def cost(self, order: Sequence[Candidate]) -> float:
        """What the first of all would have cost."""
        return _behind(self.cells, order)

    def with_encoding(self, pe: str) -> list[Candidate]:
        """Everything that was measured with one encoding."""
        return [candidate for candidate in self.cells if candidate.pe == pe]

    def elsewhere(self) -> str:
        """The encoding with the highest mean AUC on the other datasets, whatever the model and features."""
        aucs: dict[str, list[float]] = {}
        ignored = self.ignored
        for candidate, auc in zip(
            ignored.tables.candidates, ignored.weights.focus @ ignored.values, strict=True
        ):
            aucs.setdefault(candidate.pe, []).append(float(auc))
        return max(aucs, key=lambda pe: float(np.mean(aucs[pe])))

    def gains(self) -> list[tuple[bool, float]]:
        """For each encoding: did its gain lie in the interval; the squared error of its probability."""
        found = []
        for choice in self.advised.choices:
            gain = self.gain.get(Candidate(choice.model, choice.features, choice.pe), math.nan)
            if not math.isnan(gain):
                won = 0.5 if gain == 0 else float(gain > 0)
                inside = choice.gain_low <= gain <= choice.gain_high
                found.append((inside, (choice.beats_none - won) ** 2))
        return found

    def _groups(self) -> list[dict[Candidate, float]]:
        found: dict[tuple[str, str], dict[Candidate, float]] = {}
        for candidate, auc in self.cells.items():
            found.setdefault((candidate.model, candidate.features), {})[candidate] = auc
        return list(found.values())


def _hold_out(
    evidence: pd.DataFrame,
    references: Mapping[str, GraphStatistics],
    name: str,
    model: str | None,
    features: str | None,
) -> _Case | None:
    """One dataset held out; None where nothing complete was measured on it or the others do not suffice."""
    own = evidence["dataset"] == name
    others = {dataset: found for dataset, found in references.items() if dataset != name}
    same = dict.fromkeys(others, references[name])  # all datasets alike, so that all count the same
    try:
        advised = advise(evidence[~own], others, references[name], model=model, features=features)
        ignored = expect(evidence[~own], same, references[name], model=model, features=features)
    except ExperimentError:
        return None
    truth = Tables.of(chosen_cells(evidence[own], model, features))
    cells = _complete(dict(zip(truth.candidates, truth.auc[0].tolist(), strict=True)), set(_order(advised)))
    gain = {c: g for c, g in zip(truth.candidates, truth.gain[0].tolist(), strict=True) if c in cells}
    return _Case(name, cells, gain, advised, ignored) if cells else None


def _complete(cells: Mapping[Candidate, float], advised: Collection[Candidate]) -> dict[Candidate, float]:
    """The cells of those models and features for which all encodings were measured, here and elsewhere.

    Rules are compared on the same cells, so a model that was run with a few encodings only says nothing.
    """
    return {
        candidate: auc
        for candidate, auc in cells.items()
        if all(candidate._replace(pe=pe) in cells and candidate._replace(pe=pe) in advised for pe in VARIANTS)
    }


def _behind(cells: Mapping[Candidate, float], order: Sequence[Candidate]) -> float:
    """How far the first of an order that was measured stays behind the best."""
    return max(cells.values()) - cells[next(candidate for candidate in order if candidate in cells)]


def _order(advice: Advice) -> list[Candidate]:
    return [Candidate(choice.model, choice.features, choice.pe) for choice in advice.choices]


def _rule(name: str, cases: Sequence[_Case], cost: Callable[[_Case], float]) -> Rule:
    by_dataset = {case.name: cost(case) for case in cases}
    return Rule(name=name, cost=float(np.mean(list(by_dataset.values()))), by_dataset=by_dataset)


def _always(pe: str, cases: Sequence[_Case]) -> Rule:
    return _rule(f"always {pe}", cases, lambda case: case.encoding_cost(case.with_encoding(pe)))


def _always_all(candidate: Candidate, cases: Sequence[_Case]) -> Rule:
    return _rule(f"always {' '.join(candidate)}", cases, lambda case: case.cost([candidate]))


def _cost(rule: Rule) -> float:
    return rule.cost
