"""``supra bench``: side by side with what a user would pick instead."""

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supra_core.files import replacing, write_whole
from supra_experiments.cli.options import DataRoot, Json, K, Window
from supra_experiments.cli.output import note, print_json, print_table, progress_bar, say

if TYPE_CHECKING:
    from supra_experiments.bench.solver_summary import Ratio
    from supra_experiments.bench.solvers import SolverRecord

app = typer.Typer(
    help="Measure this project's tools side by side with what you would pick instead.\n\n"
    "Every figure is a ratio within one run, on one thread; run it on your own machine.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

SIZES = (2_000, 5_000, 10_000, 20_000, 50_000)
QUICK_SIZES = (2_000, 10_000)
LARGE_SIZES = (200_000, 500_000, 1_000_000)

Output = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="FOLDER", help="Where the JSON and the figures go.", file_okay=False
    ),
]


@app.command()
def solvers(
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="N,N,…",
            help="Active supra-nodes of the generated graphs; else 2000,5000,10000,20000,50000.",
            show_default=False,
        ),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…", help="Only these, by the names in the table; else all.", show_default=False
        ),
    ] = None,
    repeats: Annotated[
        int, typer.Option(metavar="N", help="Rounds; the median counts. What takes long has fewer.")
    ] = 3,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the generated graphs.", min=0)] = 0,
    k: K = 8,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small graphs, one round, two datasets: done within two minutes.")
    ] = False,
    large: Annotated[
        bool,
        typer.Option("--large", help="Also 200,000, 500,000 and a million nodes, for the methods that can."),
    ] = False,
    datasets: Annotated[bool, typer.Option(help="Also the real datasets that the data folder holds.")] = True,
    output: Output = Path("bench-results"),
    data_root: DataRoot = None,
    json: Json = False,
) -> None:
    """Eigensolvers: time, products, residual, angle to the exact answer, memory.

    The question behind it: what does an exact encoding cost, compared to a rough one? Each method computes
    the k smallest eigenpairs of supra-Laplacians, combinatorial and symmetric normalised (sym), of

    • generated graphs: five layers of a preferential-attachment graph, a fifth of the edges rewired from
    layer to layer, with a global node in each;

    • the published datasets that are in the data folder: the last five snapshots coupled (supra), and the
    last one alone (layer). Nothing is downloaded; [cyan]supra data fetch[/] does that.

    [bold]seconds[/] are processor time on one thread, the median of the rounds.
    [bold]residual[/] is the largest ‖Ax − λx‖. A method that was cut short is fast, but see what it gives.
    [bold]angle[/] is the sine of the largest angle to the exact eigenvectors: 1 is no better than chance.
    [bold]vectors[/] is memory at the peak beside the matrix, in vectors of n doubles, as far as Python sees
    it (PRIMME and PyTorch allocate elsewhere).

    Examples:

    [cyan]supra bench solvers --quick[/]

    [cyan]supra bench solvers --sizes 50000 --methods arpack-1e-6,davidson-1e-6 --no-datasets[/]
    """
    from supra_experiments.bench import solver_summary as summary
    from supra_experiments.bench.solver_cases import cases, present_datasets
    from supra_experiments.bench.solvers import choose, measure_all

    chosen = choose(None if methods is None else [name.strip() for name in methods.split(",")])
    wanted = sizes_of(sizes) if sizes else list(QUICK_SIZES if quick else SIZES)
    wanted += list(LARGE_SIZES) if large else []
    only = ["enron10", "dblp"] if quick else None
    names = present_datasets(data_root, only) if datasets else []
    if datasets and not names:
        note("no dataset in the data folder; generated graphs only")
    total = 2 * len(wanted) + 4 * len(names)
    with progress_bar("solvers", total) as bar:
        done = 0

        def report(text: str, *, finished: bool = False) -> None:
            nonlocal done
            done += finished
            bar.update(done, text=text)

        records = measure_all(
            cases(wanted, seed=seed, names=names, root=data_root),
            chosen,
            k=k,
            repeats=1 if quick else repeats,
            report=report,
        )
    ratios = summary.ratios(records)
    result = {
        "records": [record.to_dict() for record in records],
        "ratios": [ratio.to_dict() for ratio in ratios],
        "machine": machine(),
    }
    figures = {
        "solvers_time_by_size.png": summary.time_against_size(records),
        "solvers_time_by_accuracy.png": summary.time_against_accuracy(records),
    }
    write_results(output, "solvers.json", result, figures)
    if json:
        print_json(result)
        return
    _print_solvers(records, ratios, k)
    note(f"figures and JSON are in {output}")


def _print_solvers(records: list["SolverRecord"], ratios: list["Ratio"], k: int) -> None:
    """The table, a rule between matrices, and what the ratios say."""
    figures = ("n", "seconds", "matvecs", "residual", "angle", "vectors")
    columns = ("graph", "part", "Laplacian", "method", *figures)
    rows: list[tuple[Any, ...] | None] = []
    last = None
    for r in records:
        matrix = (r.graph, r.num_rows, r.normalization)
        if matrix != last:
            rows.append(None)
            last = matrix
        rows.append(
            (r.graph, r.part, r.normalization, r.method, f"{r.num_rows:,}", f"{r.seconds:.3f}",
             "–" if r.num_matvecs is None else f"{r.num_matvecs:,}", f"{r.residual:.1e}",
             "–" if r.angle is None else f"{r.angle:.1e}",
             "–" if r.peak_vectors is None else f"{r.peak_vectors:.0f}")
        )  # fmt: skip
    print_table(f"The {k} smallest eigenpairs, one thread", columns, rows, numbers=4)
    for ratio in ratios:
        line = f"{ratio.claim} (n = {ratio.num_rows:,}): [bold]{ratio.value:.2f}[/]"
        if ratio.holds is not None:
            verdict = "[green]met[/]" if ratio.holds else "[red]not met[/]"
            line += f" ({'at least' if ratio.at_least else 'at most'} {ratio.bar:g}: {verdict})"
        say(line)


@app.command()
def windows(
    dataset: Annotated[
        str,
        typer.Argument(metavar="[GRAPH]", help="A dataset or an edge list, as in [cyan]supra encode[/]."),
    ] = "as733",
    window: Window = 5,
    k: K = 8,
    tol: Annotated[float, typer.Option(metavar="X", help="The residual norm asked for.")] = 1e-4,
    output: Output = Path("bench-results"),
    data_root: DataRoot = None,
    json: Json = False,
) -> None:
    """Warm starts: what a start from the last window's vectors saves when a window slides over a graph.

    Each window is solved twice by Davidson, from random vectors (cold) and from the last window's (warm).
    Both give the same eigenvalues; the products with the matrix are counted.

    Example: [cyan]supra bench windows as733[/]
    """
    from supra_experiments.bench import windows as bench
    from supra_experiments.datasets import load

    graph = load(dataset, root=data_root).graph
    with progress_bar("windows", graph.num_snapshots) as bar:
        records = bench.run(
            graph, window=window, k=k, tol=tol, report=lambda done, total: bar.update(done, total)
        )
    result = {
        "records": [record.to_dict() for record in records],
        "ratio": bench.ratio(records),
        "settings": {"dataset": dataset, "window": window, "k": k, "tol": tol},
        "machine": machine(),
    }
    write_results(output, "windows.json", result, {"windows.png": bench.figure(records)})
    if json:
        print_json(result)
        return
    rows = [
        (r.snapshot, f"{r.num_rows:,}", r.cold, r.warm, f"{r.warm / r.cold:.2f}", f"{r.residual:.1e}")
        for r in records
    ]
    columns = ("snapshot", "n", "cold", "warm", "ratio", "residual")
    print_table(f"Products of each window of {dataset}, residual {tol:g}", columns, rows, numbers=0)
    say(f"all windows: {sum(r.warm for r in records):,} of {sum(r.cold for r in records):,} products, "
        f"[bold]{bench.ratio(records):.3f}[/]")  # fmt: skip
    note(f"figure and JSON are in {output}")


def sizes_of(text: str) -> list[int]:
    """Sizes of graphs with commas between them."""
    from supra_experiments.errors import ExperimentError

    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 50:
        raise ExperimentError(f"sizes={text!r}: must be integers >= 50 with commas between them")
    return sizes


def write_results(folder: Path, name: str, result: dict[str, Any], figures: dict[str, Any]) -> None:
    """The JSON and the figures, each written whole or not at all."""
    text = jsonlib.dumps(result, indent=1, default=float)
    write_whole(folder / name, text)
    for file_name, figure in figures.items():
        with replacing(folder / file_name) as temporary:
            figure.savefig(temporary, format="png", dpi=150)


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    import os
    import platform

    import numpy
    import scipy

    return {
        "platform": platform.platform(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
    }
