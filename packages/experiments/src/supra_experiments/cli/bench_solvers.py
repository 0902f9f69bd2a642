"""``supra bench`` of eigensolvers: ``solvers``, ``scaling``, ``exactness``, ``windows``."""

from pathlib import Path
from typing import Annotated, Any

from supra_experiments.bench.outcome import Outcome, Report
from supra_experiments.cli import options as o
from supra_experiments.cli.bench import app, benchmark, names_of, show, sizes_of
from supra_experiments.cli.output import note, progress_bar

SIZES = (2_000, 5_000, 10_000, 20_000, 50_000)
QUICK_SIZES = (2_000, 10_000)
LARGE_SIZES = (200_000, 500_000, 1_000_000)


@benchmark
def solvers(
    report: Report,
    sizes: o.Sizes = None,
    methods: o.Methods = None,
    repeats: o.Repeats = 3,
    seed: o.Seed = 0,
    k: o.K = 8,
    quick: o.Quick = False,
    large: Annotated[bool, o.flag("Also 200,000, 500,000 and a million, for methods that can.")] = False,
    datasets: o.PublishedToo = True,
    data_root: o.DataRoot = None,
) -> Outcome:
    """Eigensolvers: time, products, residual, angle to the exact answer, memory.

    The question behind it: what does an exact encoding cost, compared to a rough one? Each method computes
    the k smallest eigenpairs of supra-Laplacians, combinatorial and symmetric normalised (sym), of

    • generated graphs of 2,000, 5,000, 10,000, 20,000 and 50,000 active supra-nodes: five layers of a
    preferential-attachment graph, a fifth of the edges rewired from layer to layer, a global node in each;

    • the published datasets that are here: the last five snapshots coupled (supra), and the last one alone
    (layer). Nothing is downloaded; [cyan]supra data fetch[/] does that.

    [bold]seconds[/] are processor time on one thread, the median of the rounds; what takes long has fewer.
    [bold]residual[/] is the largest ‖Ax − λx‖. A method that was cut short is fast, but see what it gives.
    [bold]angle[/] is the sine of the largest angle to the exact eigenvectors: 1 is no better than chance.
    [bold]vectors[/] is memory at the peak beside the matrix, in vectors of n doubles, as far as Python sees
    it (PRIMME and PyTorch allocate elsewhere).

    Examples:

    [cyan]supra bench solvers --quick[/]

    [cyan]supra bench solvers --sizes 50000 --methods arpack-1e-6,davidson-1e-6 --no-datasets[/]
    """
    from supra_experiments.bench.solver_summary import outcome
    from supra_experiments.bench.solvers import cases, choose, measure_all, present_datasets

    chosen = choose(None if methods is None else names_of(methods))
    wanted = sizes_of(sizes, QUICK_SIZES if quick else SIZES) + list(LARGE_SIZES if large else ())
    names = present_datasets(data_root, ["enron10", "dblp"] if quick else None) if datasets else []
    records = measure_all(
        cases(wanted, seed=seed, names=names, root=data_root),
        chosen,
        k=k,
        repeats=1 if quick else repeats,
        num_cases=2 * len(wanted) + 4 * len(names),
        report=report,
    )
    return outcome(records, k)


@app.command()
def scaling(
    sizes: o.Sizes = None,
    budget: o.Limit = 60.0,
    repeats: o.Repeats = 3,
    seed: o.Seed = 0,
    k: o.K = 8,
    datasets: o.PublishedToo = True,
    output: Annotated[
        Path, o.option("FILE", "The file of JSON lines.", "--output", "-o", dir_okay=False)
    ] = Path("bench-results/solver_times.json"),
    data_root: o.DataRoot = None,
    json: o.Json = False,
) -> None:
    """Solver time over size: real graphs with windows of five, and generated ones up to half a million nodes.

    Every measurement is one line of the file, written when it is made. Stop it at any time: the same command
    goes on where it was stopped. Generated graphs have 1,000 to 500,000 active supra-nodes.

    Example: [cyan]supra bench scaling -o solver_times.json[/]
    """
    from supra_experiments.bench import scaling as bench
    from supra_experiments.bench.solvers import present_datasets

    wanted = sizes_of(sizes, bench.SIZES)
    names = present_datasets(data_root) if datasets else []
    settings: dict[str, Any] = {"k": k, "repeats": repeats, "budget": budget, "seed": seed, "root": data_root}
    with progress_bar("scaling") as bar:
        lines = list(bench.run(output, sizes=wanted, names=names, report=bar.update, **settings))
    outcome = bench.outcome(lines)
    show(outcome, dict(outcome.result), json=json)
    note(f"{len(lines)} new lines are in {output}")


@benchmark
def exactness(
    report: Report,
    count: Annotated[int, o.number_of("How many matrices to draw.")] = 5000,
    solvers: Annotated[
        str | None, o.maybe("NAME,…", "Auto, Davidson, Lanczos, ShiftInvert, LOBPCG; else all.")
    ] = None,
    seed: o.Seed = 0,
) -> Outcome:
    """Solvers on matrices made to mislead them, each checked against LAPACK's full decomposition.

    Hypercubes, wheels, tori, rings of cliques, equal and nearly equal copies, communities without an edge
    between them, weights over many orders of magnitude: all of more than 450 rows, with both Laplacians,
    random and misleading starts, tolerances 1e-3 and 1e-6. An answer is [bold]wrong[/] if it says converged
    and an eigenvalue is off by more than four times the tolerance. The command fails if any answer is wrong.

    Example: [cyan]supra bench exactness --count 200 --solvers Auto,Davidson[/]
    """
    from supra_experiments.bench import exactness as bench

    names = None if solvers is None else names_of(solvers)
    return bench.outcome(bench.run(count, solvers=names, seed=seed, report=report), count, seed)


@benchmark
def windows(
    report: Report,
    dataset: o.WindowsGraph = "as733",
    window: o.Window = 5,
    k: o.K = 8,
    coupling: o.Coupling = 1.0,
    normalization: o.Normalization = "none",
    tol: Annotated[
        float | None,
        o.maybe(
            "X",
            "The residual norm asked of the solver that [cyan]supra encode[/] takes; else 1e-4 of one "
            "that takes fewer products and more time.",
        ),
    ] = None,
    data_root: o.DataRoot = None,
) -> Outcome:
    """Warm starts: what a start from the last window's vectors saves when a window slides over a graph.

    Each window is solved twice, from random vectors (cold) and from the last window's (warm). Both give the
    same eigenvalues; the products with the matrix are counted, and the processor's seconds.

    Example: [cyan]supra bench windows as733 --normalization sym[/]
    """
    from supra_core import Auto
    from supra_experiments.bench import windows as bench
    from supra_experiments.datasets import load

    graph = bench.stream(dataset) if dataset in bench.STREAMS else load(dataset, root=data_root).graph
    settings: dict[str, Any] = {"window": window, "k": k, "coupling": coupling}
    records = bench.run(
        graph,
        **settings,
        normalization=None if normalization == "none" else normalization,  # type: ignore[arg-type]
        solver=None if tol is None else Auto(tol, spare=5),
        report=report,
    )
    return bench.outcome(records, dataset=dataset, **settings, normalization=normalization, tol=tol)
