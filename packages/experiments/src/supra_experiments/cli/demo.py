"""``supra demo``: the way from a temporal graph to a table, and a page that shows it."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from supra_experiments.cli.options import Json, PageFolder, option
from supra_experiments.cli.output import Bar, number, print_json, print_rows, progress_bar, say


def demo(
    output: PageFolder = Path("demo"),
    seeds: Annotated[int, option("N", "Runs of each variant.")] = 3,
    json: Json = False,
) -> None:
    """Go the whole way on real e-mails, in about a minute: edges, encodings, link prediction, a page.

    The dataset enron10, which comes with the package, is encoded with and without edges between layers,
    Proposition 1 is verified on it, models are trained with and without the encodings, beside scores that
    only count, and a page with figures is left behind: one HTML file that needs nothing else. The edge list
    beside it is there to try the other commands on.
    """
    from supra_experiments.demo.build import build_demo

    start = time.perf_counter()
    with progress_bar("demo", 1.0) as bar:
        result = build_demo(output, seeds=seeds, report=_reporter(bar, quiet=json))
    seconds = time.perf_counter() - start
    if json:
        print_json({**result.facts, "page": str(result.page), "seconds": seconds})
        return
    columns = {
        "model": lambda row: row.model,
        "features": lambda row: row.features or "–",
        "encoding": lambda row: row.pe or "–",
        "AUC": lambda row: number(row.auc) + (f" ± {row.auc_std:.2f}" if row.auc_std == row.auc_std else ""),
    }
    print_rows("Test AUC in percent, the last three snapshots", columns, result.rows, numbers=3)
    say(f"[bold]{result.facts['found']}[/]")
    say(f"wrote [bold]{result.page}[/] in {seconds:.0f} s: open it in a browser")
    commands = [f"supra encode {result.edges}", f"supra check {result.edges}", "supra train --help"]
    say("next: " + ", ".join(f"[cyan]{command}[/]" for command in commands))


def _reporter(bar: Bar, *, quiet: bool) -> Callable[[float, str], None]:
    """Says what is being done: a bar on a terminal, lines elsewhere."""
    said: list[str] = []

    def report(share: float, text: str) -> None:
        bar.update(share, text=text)
        if not quiet and text not in said:
            said.append(text)
            say(text)

    return report
