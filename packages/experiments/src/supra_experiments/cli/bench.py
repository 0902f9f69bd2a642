"""``supra bench``: one scheme for all benchmarks; the commands are in the files beside."""

import functools
import inspect
import json as jsonlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer

from supra_core.files import replacing, write_whole
from supra_experiments.bench.outcome import Outcome, commit, machine
from supra_experiments.cli.options import BenchOutput, Json
from supra_experiments.cli.output import note, print_json, print_table, progress_bar
from supra_experiments.errors import ExperimentError

app = typer.Typer(
    help="Measure this project's tools side by side with what you would pick instead.\n\n"
    "Every figure is a ratio within one run, on one thread; run it on your own machine.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


def benchmark(measure: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """Make a command of a function that measures: its options, and ``--output`` and ``--json``.

    The command shows progress, writes the JSON with the machine and the commit and the figures, prints the
    table, and exits with 1 if the outcome has failed.

    Args:
        measure: its first argument is told how far things are; all others are options.
    """
    name = measure.__name__

    @functools.wraps(measure)
    def command(*, output: Path, json: bool, **settings: Any) -> None:
        with progress_bar(name) as bar:
            outcome = measure(bar.update, **settings)
        result = {**outcome.result, "machine": machine(), "commit": commit()}
        write_whole(output / f"{name}.json", jsonlib.dumps(result, indent=1, default=float))
        for file_name, figure in outcome.figures.items():
            with replacing(output / file_name) as temporary:
                figure.savefig(temporary, format="png", dpi=150)
        show(outcome, result, json=json)
        if not json:
            note(f"wrote {', '.join([f'{name}.json', *outcome.figures])} to {output}")
        if outcome.failed:
            raise typer.Exit(1)

    _, *own = inspect.signature(measure).parameters.values()
    parameters = [*own, *inspect.signature(_shared).parameters.values()]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app.command(name.replace("_", "-"))(command)
    return measure


def _shared(*, output: BenchOutput = Path("bench-results"), json: Json = False) -> None:
    """The options that all benchmarks have."""


def show(outcome: Outcome, result: dict[str, Any], *, json: bool) -> None:
    """The table and what is to be read below it, or the result as JSON."""
    if json:
        print_json(result)
        return
    print_table(outcome.title, list(outcome.columns), outcome.rows, numbers=outcome.left)
    for line in outcome.lines:
        print(line)


def names_of(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(name.strip() for name in text.split(","))


def sizes_of(text: str | None, usual: Sequence[int]) -> list[int]:
    """Sizes of graphs with commas between them; the usual ones where there is no text."""
    if text is None:
        return list(usual)
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 50:
        raise ExperimentError(f"sizes={text!r}: must be integers >= 50 with commas between them")
    return sizes
