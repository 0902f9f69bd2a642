"""``supra bench exactness``: does an answer that says converged ever skip an eigenvector?"""

from pathlib import Path
from typing import Annotated

import typer

from supra_experiments.cli.bench import Output, app, machine, write_results
from supra_experiments.cli.options import Json
from supra_experiments.cli.output import note, print_json, progress_bar


@app.command()
def exactness(
    count: Annotated[int, typer.Option(metavar="N", help="How many matrices to draw.", min=1)] = 5000,
    solvers: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="Auto, Davidson, Lanczos, ShiftInvert, LOBPCG; else all.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Of everything that is drawn.", min=0)] = 0,
    output: Output = Path("bench-results"),
    json: Json = False,
) -> None:
    """Solvers on matrices made to mislead them, each checked against LAPACK's full decomposition.

    Hypercubes, wheels, tori, rings of cliques, equal and nearly equal copies, communities without an edge
    between them, weights over many orders of magnitude: all of more than 450 rows, with both Laplacians,
    random and misleading starts, tolerances 1e-3 and 1e-6. An answer is [bold]wrong[/] if it says converged
    and an eigenvalue is off by more than four times the tolerance. The command fails if any answer is wrong.

    Example: [cyan]supra bench exactness --count 200 --solvers Auto,Davidson[/]
    """
    from supra_experiments.bench import exactness as bench

    names = None if solvers is None else [name.strip() for name in solvers.split(",")]
    with progress_bar("matrices", count) as bar:
        tallies = bench.run(count, solvers=names, seed=seed, report=bar.update)
    result = {"count": count, "seed": seed, "tallies": [t.to_dict() for t in tallies], "machine": machine()}
    write_results(output, "exactness.json", result, {})
    if json:
        print_json(result)
    else:
        print(bench.render(tallies))
        note(f"JSON is in {output}")
    if any(tally.wrong or tally.raised for tally in tallies):
        raise typer.Exit(1)
