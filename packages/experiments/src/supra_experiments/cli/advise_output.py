"""How ``supra advise`` reads: the advice first, then what it stands on and what it is worth."""

import math
from collections.abc import Mapping
from typing import Any

from rich.markup import escape

from supra_experiments.analysis.advise import Advice, Choice
from supra_experiments.analysis.forecast import LEVEL
from supra_experiments.analysis.graph_statistics import NAMES, GraphStatistics
from supra_experiments.analysis.leave_one_out import Score
from supra_experiments.cli.output import number, print_table, say
from supra_experiments.config import FEATURES

FAR = 1 / 3
"""Below this similarity to every dataset with evidence, a graph is called unlike all of them."""

SMALL = 0.5
"""AUC points: less than this is what another draw of test negatives does, so choices this near are equal."""

_SOURCES = {"yours": "your runs", "study": "this project's study", "paper": "the paper"}
_COLUMNS = ["model", "features", "pe", "AUC", "lost", "gain", f"{LEVEL:.0%}", "P gain", "P best", "on"]


def show_advice(name: str, advice: Advice, top: int) -> None:
    """The first choice in words, and the list that it leads."""
    first = advice.choices[0]
    encoding = "no encoding" if first.pe == "none" else f"encoding {first.pe}"
    say(f"[bold]Try first on {escape(name)}: {first.model}, {first.features} features, {encoding}[/]")
    say(f"  {_expectation(first)}")
    say(f"  [bold]How sure: {advice.sureness}.[/] {_ground(name, advice)}")
    near = [choice for choice in advice.choices[1:] if choice.cost - first.cost < SMALL]
    if near:
        say(f"  {len(near)} other choices are less than {SMALL} points behind: hardly a difference.")
    listed = list(advice.choices[:top])
    rows: list[list[Any] | None] = [_row(choice) for choice in listed]
    # Which features can be used is often not a matter of taste, so the best of each kind is always there.
    rest = [_first_with(advice, features) for features in FEATURES]
    missing = [choice for choice in rest if choice is not None and choice not in listed]
    if missing:
        rows += [None, *(_row(choice) for choice in missing)]
    what = "on this graph" if advice.direct else "weighted mean of the datasets"
    print_table(f"Choices, best first (AUC in percent: {what})", _COLUMNS, rows, numbers=3)
    say(
        "[dim]lost: AUC points behind the best choice, on average. gain: over the same model and features "
        f"without encoding, with the {LEVEL:.0%} interval and the probability that it is positive. P best: "
        "that no other encoding does better with them. on: datasets it was tried on, * this graph too. Below "
        "the line: the first with other features.[/]"
    )


def show_evidence(
    name: str, advice: Advice, statistics: Mapping[str, GraphStatistics], target: GraphStatistics
) -> None:
    """What the graph is like, beside the datasets that were run."""
    columns = {name: target} | {key: statistics[key] for key in advice.weights if key != name}
    rows: list[list[Any] | None] = [
        [statistic.replace("_", " "), *(_short(getattr(found, statistic)) for found in columns.values())]
        for statistic in NAMES
    ]
    alike = [number(advice.similarity[key]) if key in advice.similarity else "–" for key in columns]
    rows += [None, ["similarity", *alike]]
    rows.append(["share in the advice", *(f"{advice.weights.get(key, 0.0):.0%}" for key in columns)])
    print_table("The graph's training snapshots beside those with evidence", ["", *columns], rows)
    if not advice.direct and max(advice.similarity.values(), default=0.0) < FAR:
        say("  [yellow]This graph is unlike all of them: take the figures as a guess.[/]")
    if advice.carry_over:
        parts = ", ".join(f"{apart:.1f} with {name}" for name, apart in advice.carry_over.items())
        say(
            f"  On one and the same dataset, gains measured by different people are {parts} features apart "
            "(points, root mean square)."
        )


def show_score(score: Score | None) -> None:
    """What the advice would have cost where the truth is known."""
    if score is None:
        say("[bold]What the advice is worth[/] cannot be told: too few datasets to hold one out.")
        return
    best = score.best_constant
    shown = [*score.encoding[:3], *sorted(score.encoding[3:], key=lambda rule: rule.cost)]
    datasets = list(score.encoding[0].by_dataset)
    rows: list[list[Any] | None] = [
        [rule.name, number(rule.cost), *(number(rule.by_dataset[key]) for key in datasets)] for rule in shown
    ]
    rows.append(None)
    for rule in score.everything:
        costs = [number(rule.by_dataset[key]) for key in datasets]
        rows.append([f"whole choice: {rule.name}", number(rule.cost), *costs])
    print_table(
        "AUC points lost against the best, each dataset advised from the others alone",
        ["rule", "mean", *datasets],
        rows,
    )
    advice, ignored = score.encoding[0], score.encoding[1]
    cost = f"would have cost {advice.cost:.2f} points on these {score.num_datasets} datasets"
    if score.worthwhile():
        say(f"  [bold]Following this advice {cost}, {best.name} {best.cost:.2f}.[/]")
    else:
        say(
            f"  [bold]Following this advice {cost}: no better than the plain rule {best.name!r} "
            f"({best.cost:.2f}).[/]"
        )
    whole = score.everything[0]
    worst = max(whole.by_dataset, key=lambda key: whole.by_dataset[key])
    constants = "".join(f", {rule.name} {rule.cost:.2f}" for rule in score.everything[2:])
    say(
        f"  Its choice of everything that was left open would have cost {whole.cost:.2f} (most on {worst}: "
        f"{whole.by_dataset[worst]:.2f}){constants}."
    )
    if abs(advice.cost - ignored.cost) < 0.005:
        say("  Knowing the graph's statistics changed nothing: datasets weighted equally give the same.")
    elif advice.cost > ignored.cost:
        say(f"  Weighting by the graph's statistics did harm: without it {ignored.cost:.2f}.")
    say(
        f"  The {LEVEL:.0%} intervals held {score.coverage:.0%} of the gains; the probabilities to beat no "
        f"encoding have a squared error of {score.brier:.2f} (always ½: 0.25)."
    )


def show_rest(report: Mapping[str, Any]) -> None:
    """The bar to beat, the price of an encoding, and what to type next."""
    rows = report["without_learning"]
    if rows:
        kinds = list(next(iter(rows.values())))
        print_table(
            "The bar to beat: AUC in percent without any learning, by kind of test negatives",
            ["score", *kinds],
            [[name, *(number(aucs[kind]) for kind in kinds)] for name, aucs in rows.items()],
        )
        bar = max(rows, key=lambda name: rows[name]["uniform"])
        if report["direct"] and report["first"]["auc"] <= rows[bar]["uniform"]:
            say(f"  [bold]The first choice, at {report['first']['auc']:.2f}, is not above {bar}.[/]")
    else:
        say("No bar to beat and nothing to train: a single snapshot leaves nothing to predict.")
    if report["encoding_seconds"]:
        prices = (f"{pe} {_duration(seconds)}" for pe, seconds in report["encoding_seconds"].items())
        say(f"[bold]One window of this graph takes[/] {', '.join(prices)} to encode, measured now.")
    if report["next"] is not None:
        say(f"[bold]Next:[/] [cyan]{escape(report['next'])}[/]")
        say("[dim]and then this again with --runs runs.jsonl: runs of the graph itself decide.[/]")


def _row(choice: Choice) -> list[Any]:
    known = not math.isnan(choice.gain)
    return [
        choice.model,
        choice.features,
        choice.pe,
        number(choice.auc),
        number(choice.cost),
        _signed(choice.gain) if known else "",
        f"{choice.gain_low:+.1f}…{choice.gain_high:+.1f}" if known else "",
        number(choice.beats_none) if known else "",
        number(choice.best_encoding),
        f"{choice.num_datasets}{'*' if choice.direct else ''}",
    ]


def _expectation(first: Choice) -> str:
    if first.pe == "none":
        return (
            f"No encoding is the best choice there with a probability of {first.best_encoding:.2f}; "
            f"expected AUC {first.auc:.1f} %."
        )
    if math.isnan(first.gain):
        return f"Expected AUC {first.auc:.1f} %; nobody ran it without an encoding, so its gain is not known."
    return (
        f"Expected gain over no encoding {_signed(first.gain)} AUC points ({LEVEL:.0%} interval "
        f"{first.gain_low:+.1f} … {first.gain_high:+.1f}); it beats no encoding with a probability of "
        f"{first.beats_none:.2f} and is the best encoding with {first.best_encoding:.2f}."
    )


def _ground(name: str, advice: Advice) -> str:
    sources = " and ".join(_SOURCES[source] for source in advice.sources)
    if advice.direct:
        known = " (how far that carries over to this software is not known yet)"
        doubt = known if advice.sources == ("paper",) and not advice.carry_over else ""
        return f"It stands on runs of {escape(name)} itself, by {sources}{doubt}."
    return (
        f"Nobody ran this graph: it stands on {len(advice.weights)} other datasets, by {sources}, "
        "each counted by its similarity."
    )


def _first_with(advice: Advice, features: str) -> Choice | None:
    return next((choice for choice in advice.choices if choice.features == features), None)


def _signed(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:+.2f}"


def _short(value: float) -> str:
    if math.isnan(value):
        return "–"
    value = 0.0 if abs(value) < 1e-9 else value
    return f"{value:.0f}" if value == int(value) and abs(value) >= 1 else f"{value:.3g}"


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"
