"""``supra bench wl``, ``training``, ``assembly``, ``encodings``, ``laplacian-pe``, ``scaling``: more."""

from pathlib import Path
from typing import Annotated, Any

import typer

from supra_experiments.cli.bench import Output, app, machine, sizes_of, write_results
from supra_experiments.cli.options import DataRoot, Json, K
from supra_experiments.cli.output import note, print_json, progress_bar

Repeats = Annotated[int, typer.Option(metavar="N", help="Rounds in which the tools take turns.")]


@app.command()
def wl(
    repeats: Repeats = 5,
    large: Annotated[
        bool, typer.Option(help="Also a million supra-nodes and ten million edges, within 4 GiB.")
    ] = True,
    output: Output = Path("bench-results"),
    json: Json = False,
) -> None:
    """Colour refinement: ours, exact, beside networkx's WL hash and scikit-network's compiled colouring.

    Three rounds on a random supra-graph of 50,000 nodes and 180,000 edges; then a graph of a million nodes
    until its colours are stable, in a process of its own whose memory is limited.

    Example: [cyan]supra bench wl --no-large[/]
    """
    from supra_experiments.bench import wl as bench

    note("refining, with every tool in turn …")
    records = bench.run(repeats=repeats, large=large)
    result = {"records": [record.to_dict() for record in records], "machine": machine()}
    _finish("wl", result, {"wl.png": bench.figure(records)}, bench.render(records), output, json)


@app.command()
def training(
    dataset: Annotated[
        str, typer.Argument(metavar="[GRAPH]", help="A dataset or an edge list, as in [cyan]supra train[/].")
    ] = "enron10",
    models: Annotated[
        str, typer.Option(metavar="NAME,…", help="Which models.")
    ] = "egcn-h,egcn-o,grugcn,htgn,slate",
    pe: Annotated[str, typer.Option(metavar="NAME", help="The encoding they get.")] = "none",
    epochs: Annotated[int, typer.Option(metavar="N", help="Epochs to time, after three to warm up.")] = 30,
    large: Annotated[bool, typer.Option(help="Also one pass of SLATE on as733, and its memory.")] = True,
    output: Output = Path("bench-results"),
    data_root: DataRoot = None,
    json: Json = False,
) -> None:
    """Training: milliseconds an epoch, one thread, beside what the published code took.

    The models take turns, epoch by epoch. The published code's figures are for enron10 without encodings,
    and were measured apart on a machine of this kind.

    Example: [cyan]supra bench training enron10 --models htgn,grugcn[/]
    """
    from supra_experiments.bench import training as bench

    chosen = tuple(name.strip() for name in models.split(","))
    note("training, epoch by epoch …")
    records = bench.run(
        dataset=dataset, models=chosen, pe=pe, epochs=epochs, data_root=data_root, large=large
    )
    result = {"records": [record.to_dict() for record in records], "machine": machine()}
    _finish("training", result, {"training.png": bench.figure(records)}, bench.render(records), output, json)


@app.command()
def assembly(repeats: Repeats = 5, output: Output = Path("bench-results"), json: Json = False) -> None:
    """Supra-matrices: seconds to assemble one, beside SciPy's conversion of the same entries to CSR.

    Example: [cyan]supra bench assembly[/]
    """
    from supra_experiments.bench import assembly as bench

    records = bench.run(repeats=repeats)
    result = {"records": [record.to_dict() for record in records], "machine": machine()}
    _finish("assembly", result, {}, bench.render(records), output, json)


@app.command()
def encodings(
    datasets: Annotated[
        str, typer.Argument(metavar="[GRAPH,…]", help="Datasets or edge lists.")
    ] = "enron10,dblp,canparl,as733",
    repeats: Repeats = 5,
    output: Output = Path("bench-results"),
    data_root: DataRoot = None,
    json: Json = False,
) -> None:
    """Encodings: seconds that each of the six variants takes on all training snapshots, one thread.

    Example: [cyan]supra bench encodings enron10,dblp[/]
    """
    from supra_experiments.bench import encodings as bench
    from supra_experiments.bench.scaling import commit
    from supra_experiments.datasets import load

    loaded = [load(name.strip(), root=data_root) for name in datasets.split(",")]
    with progress_bar("encoding") as bar:
        records = bench.run(loaded, repeats=repeats, report=lambda text: bar.update(0, text=text))
    result = {"records": [r.to_dict() for r in records], "machine": machine(), "commit": commit()}
    _finish("encodings", result, {}, bench.render(records), output, json)


@app.command(name="laplacian-pe")
def laplacian_pe(
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="N,N,…", help="Nodes of the graphs; else 1000,10000,50000,200000.", show_default=False
        ),
    ] = None,
    limit: Annotated[
        float,
        typer.Option(
            metavar="S",
            help="Processor seconds; a case that takes more is given up, and larger ones are spared.",
        ),
    ] = 120.0,
    repeats: Repeats = 3,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the generated graphs.", min=0)] = 0,
    k: K = 8,
    output: Output = Path("bench-results"),
    json: Json = False,
) -> None:
    """Laplacian encodings of one graph in PyTorch Geometric: AddLaplacianPE beside PyG's own transform.

    Graphs that grow by preferential attachment, and square grids, where ARPACK crawls. Each case is a process
    of its own, on one thread. PyG's transform is told that graphs are undirected, which is its faster way; by
    default it asks ARPACK for all the digits there are, so that it is also measured with tol=1e-6.

    [bold]seconds[/] are processor time of the transform, the median of the rounds.
    [bold]residual[/] is the largest ‖Lx − λx‖ of the encoding's columns, which have 32 bits.
    [bold]largest λ[/] is higher where a tool has skipped an eigenvector.

    Example: [cyan]supra bench laplacian-pe --sizes 1000,10000[/]
    """
    from supra_experiments.bench import laplacian_pe as bench
    from supra_experiments.bench.scaling import commit

    wanted = sizes_of(sizes) if sizes else list(bench.SIZES)
    with progress_bar("encoding") as bar:
        records = bench.run(
            wanted, k=k, repeats=repeats, limit=limit, seed=seed,
            report=lambda text: bar.update(0, text=text),
        )  # fmt: skip
    result = {"records": [r.to_dict() for r in records], "machine": machine(), "commit": commit()}
    _finish("laplacian_pe", result, {}, bench.render(records), output, json)


@app.command()
def scaling(
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="N,N,…",
            help="Active supra-nodes of the generated graphs; else 1000 to 500000.",
            show_default=False,
        ),
    ] = None,
    budget: Annotated[
        float, typer.Option(metavar="S", help="A method that needed more is spared the larger graphs.")
    ] = 60.0,
    repeats: Repeats = 3,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the generated graphs.", min=0)] = 0,
    k: K = 8,
    datasets: Annotated[bool, typer.Option(help="Also the real datasets that the data folder holds.")] = True,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file of JSON lines.", dir_okay=False)
    ] = Path("bench-results/solver_times.json"),
    data_root: DataRoot = None,
    json: Json = False,
) -> None:
    """Solver time over size: real graphs with windows of five, and generated ones up to half a million nodes.

    Every measurement is one line of the file, written when it is made. Stop it at any time: the same command
    goes on where it was stopped.

    Example: [cyan]supra bench scaling -o solver_times.json[/]
    """
    from supra_experiments.bench import scaling as bench
    from supra_experiments.bench.solver_cases import present_datasets
    from supra_experiments.bench.text_table import text_table
    from supra_experiments.training.record import versions

    wanted = sizes_of(sizes) if sizes else list(bench.SIZES)
    names = present_datasets(data_root) if datasets else []
    origin = {"machine": machine(), "versions": versions()}
    with progress_bar("scaling", len(bench.steps(wanted, names))) as bar:
        done = 0

        def report(text: str, *, finished: bool = False) -> None:
            nonlocal done
            done += finished
            bar.update(done, text=text)

        lines = list(
            bench.run(output, sizes=wanted, names=names, root=data_root, k=k, repeats=repeats, budget=budget,
                      seed=seed, origin=origin, report=report)
        )  # fmt: skip
    if json:
        print_json({"measured": lines})
        return
    head = ("graph", "part", "method", "n", "seconds", "residual")
    rows = [
        (
            r["graph"],
            r["part"],
            r["method"],
            f"{r['num_rows']:,}",
            f"{r['seconds']:.3f}",
            f"{r['residual']:.1e}",
        )
        for r in lines
    ]
    print(text_table(head, rows, left=3))
    note(f"{len(lines)} new lines are in {output}")


@app.command()
def sweep(
    dataset: Annotated[
        str, typer.Argument(metavar="[GRAPH]", help="A dataset or an edge list, as in [cyan]supra train[/].")
    ] = "enron10",
    model: Annotated[str, typer.Option(metavar="NAME", help="What is trained.")] = "grugcn",
    pe: Annotated[str, typer.Option(metavar="NAME", help="The encoding it gets.")] = "none",
    at_a_time: Annotated[int, typer.Option(metavar="N", help="Trials at a time, beside one.")] = 2,
    runs: Annotated[int, typer.Option(metavar="N", help="Timed runs of each worker.")] = 6,
    epochs: Annotated[int, typer.Option(metavar="N", help="Epochs of a run.")] = 150,
    output: Output = Path("bench-results"),
    data_root: DataRoot = None,
    json: Json = False,
) -> None:
    """Sweeps: how much faster several trials at a time are than one, and what a trial costs beside its own.

    Every trial has one thread, so that n trials on n cores are n times as fast as one.

    Example: [cyan]supra bench sweep enron10 --at-a-time 4[/]
    """
    from supra_experiments.bench import sweep as bench

    note("sweeping, with one trial at a time and with several …")
    records = bench.run(
        dataset=dataset,
        model=model,
        pe=pe,
        num_concurrent=(1, at_a_time),
        runs_each=runs,
        epochs=epochs,
        data_root=data_root,
    )
    result = {"records": [record.to_dict() for record in records], "machine": machine()}
    _finish("sweep", result, {}, bench.render(records), output, json)


def _finish(
    name: str, result: dict[str, Any], figures: dict[str, Any], text: str, output: Path, json: bool
) -> None:
    write_results(output, f"{name}.json", result, figures)
    if json:
        print_json(result)
        return
    print(text)
    note(f"{'figure and ' if figures else ''}JSON are in {output}")
