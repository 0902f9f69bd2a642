"""The question of a study, and its answer in one sentence: from the records, with an interval."""

from collections.abc import Mapping
from typing import Any

from supra_experiments.analysis.contrasts import Gain
from supra_experiments.analysis.frame import DATASETS, UNLEARNED, ordered
from supra_experiments.report.study import Study
from supra_experiments.words import counted, known, label, listed, points


def question(study: Study) -> str:
    """What the records can answer."""
    if study.gain is not None:
        return "Do positional encodings help to predict links in temporal graphs?"
    return "How well are links in temporal graphs predicted?"


def answer(study: Study) -> str:
    """The answer, whichever way it went."""
    return _best_cells(study) if study.gain is None else _on_gain(study.gain)


def _on_gain(gain: Gain) -> str:
    """``On average yes: over 34 settings … an encoding changes the AUC by +8.00 points (…), from … to ….``"""
    who = label(gain.encodings[0]) if len(gain.encodings) == 1 else "an encoding"
    over = (
        _where(gain) if gain.setting else f"over {gain.num_settings} settings of dataset, model and features"
    )
    text = (
        f"{_verdict(gain)}: {over} {who} changes the AUC by {points(gain.value)} points ({_how_sure(gain)})"
    )
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


def _where(gain: Gain) -> str:
    dataset, model, features = gain.setting
    return f"on {label(dataset)} ({label(model)}{' ' + _features(features) if features else ''})"


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
