"""``supra bench reading``: how fast a large edge list is read."""

from pathlib import Path
from typing import Annotated

import typer

from supra_experiments.cli.bench import Output, app, machine, write_results
from supra_experiments.cli.options import Json
from supra_experiments.cli.output import note, print_json


@app.command()
def reading(
    rows: Annotated[int, typer.Option(metavar="N", help="Rows of the file.", min=1)] = 5_000_000,
    weighted: Annotated[bool, typer.Option(help="With a column of weights.")] = False,
    repeats: Annotated[int, typer.Option(metavar="N", help="The best of so many.", min=1)] = 3,
    output: Output = Path("bench-results"),
    json: Json = False,
) -> None:
    """Read a CSV file of random events, beside pyarrow's own read of it.

    Seconds are those of the processor, on one thread. Memory is the peak above what the process had before,
    in times of the graph's arrays.

    Example: [cyan]supra bench reading --rows 1000000 --weighted[/]
    """
    from supra_experiments.bench import reading as bench

    found = bench.run(rows, weighted=weighted, repeats=repeats)
    result = {"rows": rows, "weighted": weighted, "repeats": repeats, "ways": found, "machine": machine()}
    write_results(output, "reading.json", result, {})
    if json:
        print_json(result)
    else:
        print(bench.render(found))
        note(f"JSON is in {output}")
