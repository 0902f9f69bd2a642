"""What a report finds: its question and answer, and a sentence or two for each section.

All of it comes from figures, with intervals, and never goes beyond them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from supra_experiments.analysis.agreement import MARGIN, agreement
from supra_experiments.analysis.claims import LEVEL, PAPER_SEEDS, Claim, headline_claims
from supra_experiments.analysis.contrasts import Gain, with_seeds
from supra_experiments.analysis.cost import MARGIN as COST_MARGIN
from supra_experiments.analysis.cost import exact_cost
from supra_experiments.analysis.counting import best_of_each_kind
from supra_experiments.analysis.frame import DATASETS, UNLEARNED, cell_of, is_learned, ordered
from supra_experiments.report.study import Study
from supra_experiments.training.record import Searched
from supra_experiments.words import capital, counted, duration, known, label, listed, p_text, points

_VERDICTS = {"holds": "hold here", "contradicted": "are contradicted here", "not shown": "are not shown here"}


def question(study: Study) -> str:
    """What the records can answer."""
    if study.gain is not None:
        return "Do positional encodings help to predict links in temporal graphs?"
    return "How well are links in temporal graphs predicted?"


def answer(study: Study) -> str:
    """The answer, whichever way it went.

    ``On average yes: over 34 settings … an encoding changes the AUC by +8.00 points (…), from … to ….``
    """
    gain = study.gain
    if gain is None:
        return _best_cells(study)
    who = label(gain.encodings[0]) if len(gain.encodings) == 1 else "an encoding"
    over = f"over {gain.num_settings} settings of dataset, model and features"
    if gain.setting:
        dataset, model, features = gain.setting
        over = f"on {label(dataset)} ({label(model)}{' ' + _features(features) if features else ''})"
    changes = f"{over} {who} changes the AUC by {points(gain.value)} points"
    text = f"{_verdict(gain)}: {changes} ({_how_sure(gain)})"
    kinds = sorted(gain.by_features, key=lambda kind: gain.by_features[kind])
    if len({points(gain.by_features[kind]) for kind in kinds}) > 1:
        ends = (f"{points(gain.by_features[kind])} {_features(kind)}" for kind in (kinds[0], kinds[-1]))
        text += ", from " + " to ".join(ends)
    if gain.num_settings > 2:
        text += f"; the median is {points(gain.median)}"
    return text + "."


def _verdict(gain: Gain) -> str:
    if not known(gain.low):
        return "These runs are too few to tell"
    if gain.low <= 0 <= gain.high:
        return "Not clearly"
    word = "Yes" if gain.low > 0 else "No"
    return word if gain.setting else f"On average {word.lower()}"


def _how_sure(gain: Gain) -> str:
    over = f" over {counted(gain.num_seeds, 'seed')}" if gain.setting else ""
    if known(gain.low):
        return f"95\u00a0% interval {points(gain.low)} to {points(gain.high)}{over}"
    return "one seed, so no interval" if gain.num_seeds == 1 else f"no interval{over}"


def _features(kind: str) -> str:
    return {"zeros": "with zero features", "": "without features"}.get(kind, f"with {kind} features")


def _best_cells(study: Study) -> str:
    """The best cell of each dataset, where encodings cannot be compared with none."""
    cells = study.cells[study.cells["auc"].notna()]
    if cells.empty:
        return "No run has an AUC."
    best = cells.loc[cells.groupby("dataset")["auc"].idxmax()].set_index("dataset", drop=False)
    parts = [_cell(best.loc[dataset].to_dict()) for dataset in ordered(best.index, DATASETS)]
    return f"The best test AUC in percent is {listed(parts)}."


def _cell(cell: Mapping[Any, Any]) -> str:
    """``70.00 ± 0.50 on enron10 (HTGN, one-hot features, 3 runs)``."""
    spread = f" ± {cell['auc_std']:.2f}" if known(cell["auc_std"]) else ""
    what = [label(cell["model"])]
    if cell["model"] in UNLEARNED:
        what.append("which learns nothing")
    elif cell["features"]:
        what.append(_features(cell["features"]))
    what += [label(cell["pe"])] * (cell["pe"] != "none") + [counted(int(cell["num_runs"]), "run")]
    return f"{cell['auc']:.2f}{spread} on {label(cell['dataset'])} ({', '.join(what)})"


def on_sides(study: Study) -> str:
    """Which runs the study is about, where settings were found in several ways."""
    if len(study.sides) == 1:
        return ""
    counts = [f"{counted(side.num_cells, 'cell')} {side.words}" for side in study.sides]
    return (
        f"Models were run in {listed(counts)}. What is said of encodings, averages and claims is of those "
        f"{study.main.words}, where nothing else is said."
    )


def on_agreement(study: Study) -> str:
    """How many of the paper's cells are reproduced, and where fewer than half are, for each side."""
    several = len(study.compared_sides) > 1
    found = (_agreement(table, words if several else "") for words, table in study.compared_sides.items())
    return " ".join(found)


def _agreement(compared: pd.DataFrame, side: str) -> str:
    overall = agreement(compared).iloc[0]
    lead = f"{capital(side)}, " if side else ""
    text = (
        f"{lead}{int(overall['num_reproduced'])} of the {int(overall['num_cells'])} cells that were run "
        f"({overall['share']:.1f} %) are at most {MARGIN:g} AUC points below the paper's, or better; "
        f"{overall['share_close']:.1f} % are within {MARGIN:g} points either way. The median difference is "
        f"{points(overall['median_difference'])}."
    )
    parts = agreement(compared, ["dataset", "model"]).sort_values("share", kind="stable")
    where = ", ".join(
        f"{label(row['model'])} on {label(row['dataset'])} ({int(row['num_reproduced'])} of "
        f"{int(row['num_cells'])}, {points(row['mean_difference'])} on average)"
        for row in parts[parts["share"] < 50].to_dict("records")
    )
    return text + (f" Fewer than half of the cells are reproduced for {where}." if where else "")


def on_counting(study: Study) -> str:
    """On which datasets a score that only counts is ahead of every model, and on which it is not."""
    table = best_of_each_kind(study.cells)
    table = table[(table["negatives"] == "uniform") & table["learning_adds"].notna()]
    sentences = []
    for ahead, who in (
        (False, "A model is ahead of every score without learning"),
        (True, "Counting is ahead"),
    ):
        rows = table[(table["learning_adds"] <= 0) == ahead].to_dict("records")
        where = [
            f"{label(row['dataset'])} ({row['counting_model']} {row['counting']:.2f}, the best model "
            f"{row['counting'] + row['learning_adds']:.2f})"
            for row in rows
        ]
        if where:
            sentences.append(f"{who} on {listed(where)}.")
    return " ".join(sentences)


def on_claims(study: Study) -> str:
    """How many of the paper's claims hold."""
    counts = Counter(str(claim.verdict) for claim in study.claims)
    parts = [f"{counts[verdict]} {words}" for verdict, words in _VERDICTS.items() if counts[verdict]]
    if not parts:
        return ""
    text = f"Of {counted(len(study.claims), 'claim')} of the paper that can be tested {listed(parts)}."
    return " ".join([text, *_encodings_over_none(study)])


def _encodings_over_none(study: Study) -> Iterator[str]:
    """The first of the claims with as many seeds as the paper has, and for the other side of the study."""
    found = headline_claims(with_seeds(study.runs, PAPER_SEEDS))[0]
    where = f"With {PAPER_SEEDS} seeds or more, as the paper has them"
    if found.verdict != "too few":
        yield f"{where}, {_told(found)}."
    elif found.n:
        yield f"{where}, are too few settings to test whether encodings beat none: {found.n}."
    else:
        yield f"No setting has none and an encoding with {PAPER_SEEDS} seeds, as many as the paper has."
    for side in study.sides:
        other = headline_claims(side.runs)[0]
        if side.words != study.main.words and other.verdict != "too few":
            yield f"{capital(side.words)}, {_told(other)}."


def _told(claim: Claim) -> str:
    """``that encodings beat none holds: +7.10 points (95 % interval … to …, p = … after Holm) over …``."""
    verdict = {"holds": "holds", "contradicted": "is contradicted"}.get(claim.verdict, "is not shown")
    sure = f"p = {p_text(claim.p_adjusted)} after correction by Holm"
    if known(claim.low):
        sure = f"95\u00a0% interval {points(claim.low)} to {points(claim.high)}, {sure}"
    statement = claim.text[:1].lower() + claim.text[1:].rstrip(".")
    over = f"{points(claim.value)} points on average over {claim.n} settings"
    return f"that {statement} {verdict}: {over} ({sure})"


def on_ranks(study: Study) -> str:
    """Friedman's test, where there is one."""
    ranking = study.ranking
    if not known(ranking.p_value):
        return ""
    return (
        f"Friedman's test that all encodings rank alike, over {counted(ranking.num_settings, 'setting')}: "
        f"χ² = {ranking.chi2:.2f}, p = {p_text(ranking.p_value)}."
    )


def on_cost(study: Study) -> str:
    """Whether SLPE-E costs more than SLPE-I, and which is then the better default."""
    rows = exact_cost(study.pairs_of_times)
    if rows.empty or not known(rows.iloc[-1]["low"]):
        return ""
    row = rows.iloc[-1]
    datasets = ", ".join(map(label, rows["dataset"][:-1]))
    pairs = counted(int(row["num_pairs"]), "pair") + (
        " of runs" if study.encoding_times is None else f" on {datasets}"
    )
    text = (
        f"SLPE-E took {row['ratio']:.2f} times the seconds of SLPE-I (95 % interval {row['low']:.2f} to "
        f"{row['high']:.2f}, {pairs})" + _which_is_cheaper(study, rows)
    )
    alike = next((claim for claim in study.claims if claim.name == "slpe-exact-like-inexact"), None)
    if alike is not None:
        text += f". In AUC, SLPE-E minus SLPE-I is {points(alike.value)} points on average"
        if known(alike.low):
            text += f" (95 % interval {points(alike.low)} to {points(alike.high)})"
    return text + "."


def _which_is_cheaper(study: Study, rows: pd.DataFrame) -> str:
    row = rows.iloc[-1]
    better = "its vectors depend on no start and no number of steps: the better default"
    if row["p_no_longer"] <= LEVEL:
        return (
            f": no more than {100 * COST_MARGIN:g} % longer (p = {p_text(row['p_no_longer'])}). It is exact "
            f"at no extra cost, {better}"
        )
    if row["p_longer"] > LEVEL:
        return "; these times do not tell which is cheaper"
    text = f": it takes longer (p = {p_text(row['p_longer'])})"
    # As a share of training, on the dataset where that is most.
    training = study.runs[is_learned(study.runs)].groupby("dataset")["training_seconds"].median()
    by_dataset = rows.set_index("dataset")
    share = float(((by_dataset["first_seconds"] - by_dataset["second_seconds"]) / training).max())
    if known(share):
        text += f", by {100 * share:.1f} % of the time of training at most"
        if share <= COST_MARGIN:
            text += f". That hardly matters, and {better}"
    return text


def on_time(study: Study) -> Iterator[str]:
    """How long models took in all, and on which machines; sentences without their points."""
    records = [each for each in study.inputs.records.values() if each.config.model.is_learned]
    for machine in dict.fromkeys(each.machine for each in records):
        here = [each.timings for each in records if each.machine == machine]
        training = duration(sum(each.training + each.scoring for each in here))
        # Runs share encodings; the same time to the last digit is that of the same computation.
        encoding = duration(sum({each.encoding for each in here}))
        where = f"On {machine}, " if machine else "" if study.origin else "On a machine without a name, "
        took = f"took {training} of training and testing, and {encoding} of encoding"
        yield f"{where}{counted(len(here), 'run')} of models {took}"
    searches: dict[tuple[str, ...], Searched] = {}
    for each in records:
        if each.searched is not None and each.searched.carried_from is None:
            cell = tuple(cell_of(each).values())
            searches[cell] = max(searches.get(cell, each.searched), each.searched, key=_num_trials)
    if searches:
        tried = counted(sum(map(_num_trials, searches.values())), "setting")
        took = duration(sum(each.seconds for each in searches.values()))
        yield f"Searches tried {tried} in {counted(len(searches), 'cell')}, which took {took} of training"
    if records:
        yield (
            "Times are added up: those of runs side by side count each, and a run that trained with others "
            "as one has its share"
        )


def _num_trials(search: Searched) -> int:
    return search.num_trials
