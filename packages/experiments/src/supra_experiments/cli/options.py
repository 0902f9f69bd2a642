"""Arguments that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

GraphArgument = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        help="A dataset ([cyan]demo, enron10, dblp, as733, canparl[/]) or your own edge list: a CSV or "
        "Parquet file with the columns [cyan]source, target, time[/] and maybe [cyan]weight[/].",
        show_default=False,
    ),
]
DataRoot = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="The folder of the published datasets; else [cyan]SUPRA_DATA[/], else your cache folder.",
        show_default=False,
    ),
]
Snapshots = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Put the times of your file into N snapshots of equal width; else each distinct time is one.",
        show_default=False,
    ),
]
Every = Annotated[
    str | None,
    typer.Option(
        metavar="STEP",
        help="Put the dates of your file into snapshots of the calendar: one every [cyan]hour, day, week, "
        "month, quarter[/] or [cyan]year[/].",
        show_default=False,
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(
        metavar="UNIT",
        help="The times of your file are Unix times in [cyan]s, ms, us[/] or [cyan]ns[/].",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="JSON on standard output, nothing else.")]
K = Annotated[int, typer.Option("--k", metavar="N", help="Eigenvectors.")]
Window = Annotated[int, typer.Option(metavar="N", help="Snapshots that one encoding looks at.")]
Coupling = Annotated[float, typer.Option(metavar="μ", help="The weight of the edges between layers.")]
