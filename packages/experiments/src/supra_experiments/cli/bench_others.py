"""``supra bench`` of all but eigensolvers."""

from typing import Annotated, Any

from supra_experiments.bench.outcome import Outcome, Report
from supra_experiments.cli import options as o
from supra_experiments.cli.bench import benchmark, names_of, sizes_of


@benchmark
def reading(
    report: Report,
    rows: Annotated[int, o.number_of("Rows of the file.")] = 5_000_000,
    weighted: Annotated[bool, o.flag("With a column of weights.")] = False,
    repeats: o.Repeats = 3,
) -> Outcome:
    """Read a CSV file of random events, beside pyarrow's own read of it.

    Seconds are those of the processor, on one thread, the least of the rounds. Memory is the peak above what
    the process had before, in times of the graph's arrays.

    Example: [cyan]supra bench reading --rows 1000000 --weighted[/]
    """
    from supra_experiments.bench import reading as bench

    ways = bench.run(rows, weighted=weighted, repeats=repeats)
    return bench.outcome(ways, rows=rows, weighted=weighted, repeats=repeats)


@benchmark
def assembly(report: Report, repeats: o.Repeats = 5) -> Outcome:
    """Supra-matrices: seconds to assemble one, beside SciPy's conversion of the same entries to CSR.

    Example: [cyan]supra bench assembly[/]
    """
    from supra_experiments.bench import assembly as bench

    return bench.outcome(bench.run(repeats=repeats))


@benchmark
def encodings(
    report: Report,
    datasets: o.BenchGraphs = "enron10,dblp,canparl,as733",
    repeats: o.Repeats = 5,
    data_root: o.DataRoot = None,
) -> Outcome:
    """Encodings: seconds that each of the six variants takes on all training snapshots, one thread.

    Example: [cyan]supra bench encodings enron10,dblp[/]
    """
    from supra_experiments.bench import encodings as bench
    from supra_experiments.datasets import load

    loaded = [load(name, root=data_root) for name in names_of(datasets)]
    return bench.outcome(bench.run(loaded, repeats=repeats, report=report))


@benchmark
def cores(
    report: Report,
    events: Annotated[int, o.number_of("Events of the file.")] = 2_000_000,
    nodes: Annotated[int, o.number_of("Nodes that they are among.")] = 150_000,
    repeats: o.Repeats = 3,
) -> Outcome:
    """Encoding on all cores: the whole of [cyan]supra encode --address local[/] beside one core.

    A file of generated events in 24 snapshots, windows of three. Seconds are those of the clock, the least of
    the rounds; both ways must write the same file, byte for byte.

    Example: [cyan]supra bench cores --events 200000[/]
    """
    from supra_experiments.bench import cores as bench

    records = bench.run(events, num_nodes=nodes, repeats=repeats, report=report)
    return bench.outcome(records, events=events, nodes=nodes, repeats=repeats)


@benchmark
def laplacian_pe(
    report: Report,
    sizes: o.Sizes = None,
    limit: o.Limit = 120.0,
    repeats: o.Repeats = 3,
    seed: o.Seed = 0,
    k: o.K = 8,
) -> Outcome:
    """Laplacian encodings of one graph in PyTorch Geometric: AddLaplacianPE beside PyG's own transform.

    Graphs of 1,000, 10,000, 50,000 and 200,000 nodes that grow by preferential attachment, and square grids,
    on which ARPACK is slow. Each case is a process of its own, on one thread; the limit is in processor
    seconds. PyG's transform is told that graphs are undirected, which is its faster way; by default it asks
    ARPACK for all the digits there are, so that it is also measured with tol=1e-6.

    [bold]seconds[/] are processor time of the transform, the median of the rounds.
    [bold]residual[/] is the largest ‖Lx − λx‖ of the encoding's columns, which have 32 bits.
    [bold]largest λ[/] is higher where a tool has skipped an eigenvector.

    Example: [cyan]supra bench laplacian-pe --sizes 1000,10000[/]
    """
    from supra_experiments.bench import laplacian_pe as bench

    wanted = sizes_of(sizes, bench.SIZES)
    return bench.outcome(bench.run(wanted, k=k, repeats=repeats, limit=limit, seed=seed, report=report))


@benchmark
def stream(
    report: Report,
    events: Annotated[int | None, o.number_of("Events; else 5,000,000.")] = None,
    nodes: Annotated[int | None, o.number_of("Nodes; else 350,000.", least=2)] = None,
    snapshots: Annotated[int | None, o.number_of("Snapshots; else 10.")] = None,
    large: Annotated[bool, o.flag("44 million events, a million nodes.")] = False,
    window: o.Window = 3,
    k: o.K = 8,
    init: o.BenchInit = "normal",
    seed: o.Seed = 0,
) -> Outcome:
    """A stream of generated events: seconds to read it, to build the graph, to encode each window; memory.

    Both ends of each event are drawn by a power law. The events are written to a CSV file in the temporary
    folder; a process of its own reads it and pushes snapshot by snapshot through [cyan]Encoder.stream[/].

    [bold]seconds[/] are processor time on one thread. [bold]peak[/] is the most memory that the process had
    until then, with all that Python loads.

    Example: [cyan]supra bench stream --large[/]
    """
    from supra_experiments.bench import stream as bench

    usual = bench.LARGE if large else bench.SMALL
    given = {"events": events, "nodes": nodes, "snapshots": snapshots}
    sizes = {name: size or other for (name, size), other in zip(given.items(), usual, strict=True)}
    settings: dict[str, Any] = {"window": window, "k": k, "init": init, "seed": seed}
    return bench.outcome(bench.run(*sizes.values(), **settings, report=report), **sizes, **settings)


@benchmark
def wl(
    report: Report,
    repeats: o.Repeats = 5,
    large: Annotated[bool, o.flag("Also a million supra-nodes and ten million edges, within 4 GiB.")] = True,
) -> Outcome:
    """Colour refinement: ours, exact, beside networkx's WL hash and scikit-network's compiled colouring.

    Three rounds on a random supra-graph of 50,000 nodes and 180,000 edges; then a graph of a million nodes
    until its colours are stable, in a process of its own whose memory is limited.

    Example: [cyan]supra bench wl --no-large[/]
    """
    from supra_experiments.bench import wl as bench

    return bench.outcome(bench.run(repeats=repeats, large=large))


@benchmark
def training(
    report: Report,
    dataset: o.BenchGraph = "enron10",
    models: o.BenchModels = "egcn-h,egcn-o,grugcn,htgn,slate",
    pe: o.BenchPe = "none",
    epochs: o.BenchEpochs = 30,
    pack: Annotated[int, o.number_of("Runs that also train as one, where a model can; 1 for none.")] = 32,
    large: Annotated[bool, o.flag("Also one pass of SLATE on as733, and its memory.")] = True,
    data_root: o.DataRoot = None,
) -> Outcome:
    """Training: milliseconds an epoch of each model, a run alone and many as one, one thread.

    The models take turns, epoch by epoch, so that all of them meet the same machine; the first three epochs
    warm up and are not timed.

    Example: [cyan]supra bench training enron10 --models htgn,grugcn[/]
    """
    from supra_experiments.bench import training as bench

    settings: dict[str, Any] = {"dataset": dataset, "pe": pe, "epochs": epochs, "data_root": data_root}
    return bench.outcome(bench.run(models=names_of(models), pack=pack, large=large, **settings))


@benchmark
def sweep(
    report: Report,
    dataset: o.BenchGraph = "enron10",
    model: o.BenchModel = "grugcn",
    pe: o.BenchPe = "none",
    at_a_time: Annotated[int, o.number_of("Trials at a time, beside one.")] = 2,
    runs: Annotated[int, o.number_of("Timed runs of each worker.")] = 6,
    epochs: o.BenchEpochs = 150,
    data_root: o.DataRoot = None,
) -> Outcome:
    """Sweeps: how much faster several trials at a time are than one, and what a trial costs beside its own.

    Every trial has one thread, so that n trials on n cores are n times as fast as one.

    Example: [cyan]supra bench sweep enron10 --at-a-time 4[/]
    """
    from supra_experiments.bench import sweep as bench

    trial: dict[str, Any] = {"dataset": dataset, "model": model, "pe": pe, "epochs": epochs}
    return bench.outcome(
        bench.run(num_concurrent=(1, at_a_time), runs_each=runs, data_root=data_root, **trial)
    )
