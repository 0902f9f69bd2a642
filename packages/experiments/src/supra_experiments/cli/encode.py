"""``supra encode``: from an edge list to a file of encodings."""

import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supra_core import Encoder
from supra_core.checks import check_choice
from supra_experiments.cli.options import (
    Coupling,
    DataRoot,
    Every,
    GraphArgument,
    Json,
    K,
    Snapshots,
    Unit,
    Window,
)
from supra_experiments.cli.output import note, number, print_json, print_table, progress_bar, say, solver_name
from supra_experiments.datasets import Dataset, load
from supra_experiments.encoding.file import check_output, encoding_file
from supra_experiments.encoding.windows import chain_length, encode_windows
from supra_experiments.errors import ExperimentError

if TYPE_CHECKING:
    from supra_experiments.cluster.connect import Cluster
    from supra_experiments.encoding.local_processes import LocalProcesses

_DEFAULT = Encoder()
_VARIANTS = {"e": "exact", "i": "inexact", "t": "trajectory"}


def encode(
    graph: GraphArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="A .parquet or .csv file.")
    ] = Path("pe.parquet"),
    pe: Annotated[
        str,
        typer.Option(
            metavar="PE",
            help="[cyan]slpe[/] (the window's snapshots as one graph) or [cyan]lpe[/] (each alone), with "
            "[cyan]-e[/] exact, [cyan]-i[/] inexact, [cyan]-t[/] the solver's trajectory.",
        ),
    ] = "slpe-e",
    k: K = _DEFAULT.k,
    window: Window = _DEFAULT.window,
    coupling: Coupling = _DEFAULT.coupling,
    normalization: Annotated[
        str, typer.Option(metavar="NAME", help="Of the Laplacian: [cyan]none, sym[/] or [cyan]rw[/].")
    ] = _DEFAULT.normalization or "none",
    align: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How a window agrees with the one before: [cyan]signs, rotation[/] (within clusters of "
            "eigenvalues) or [cyan]none[/].",
        ),
    ] = _DEFAULT.align or "none",
    absent: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What a node without an edge gets: its [cyan]last[/] row in the window, or [cyan]zeros[/].",
        ),
    ] = _DEFAULT.absent,
    scale: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="[cyan]rows[/]: entries of about 1 whatever the graph's size; [cyan]none[/]: unit vectors.",
        ),
    ] = _DEFAULT.scale or "none",
    age: Annotated[bool, typer.Option(help="The snapshots since a node's last edge as a channel.")] = False,
    global_nodes: Annotated[bool, typer.Option(help="A global node in each layer.")] = True,
    drop_isolated: Annotated[bool, typer.Option(help="Leave nodes without edges out of their layer.")] = True,
    skip_trivial: Annotated[bool, typer.Option(help="Leave out the constant eigenvector.")] = True,
    eigenvalues: Annotated[bool, typer.Option(help="Eigenvalues as further channels.")] = False,
    max_steps: Annotated[
        int | None,
        typer.Option(metavar="N", help="Steps of the inexact solver; else 20.", show_default=False),
    ] = None,
    init: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How it starts: [cyan]normal, rademacher, uniform[/] or from the [cyan]previous[/] window.",
        ),
    ] = "normal",
    restart_every: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="With [cyan]--init previous[/]: every Nth window starts anew, so that the stretches between "
            "can be computed apart; else as often as gives 4, 8, 12 … stretches of at most 16 windows.",
            show_default=False,
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Spread the windows over all cores of this machine ([cyan]local[/]) or a Ray cluster: "
            "[cyan]auto[/] (the one that runs on it), [cyan]host:port[/] or [cyan]ray://host:port[/]; "
            "else one core computes them. The file is the same.",
            show_default=False,
        ),
    ] = None,
    snapshots: Snapshots = None,
    every: Every = None,
    unit: Unit = None,
    data_root: DataRoot = None,
    json: Json = False,
) -> None:
    """Turn an edge list into positional encodings.

    The file has a row for each node and time with the columns [cyan]node, time, pe_0, pe_1, …[/]; labels are
    those of your file. Every encoding looks at its own and earlier snapshots only, and agrees with the one
    before. Residuals say how exact the eigenvectors are: ‖L x − λ x‖.

    Example: [cyan]supra encode edges.csv --k 8 --window 5 -o pe.parquet[/]
    """
    encoder = _encoder(
        pe,
        k=k,
        window=window,
        coupling=coupling,
        normalization=_or_none("normalization", normalization, "sym", "rw"),
        align=_or_none("align", align, "signs", "rotation"),
        absent=absent,
        scale=_or_none("scale", scale, "rows"),
        with_age=age,
        global_nodes=global_nodes,
        drop_isolated=drop_isolated,
        skip_trivial=skip_trivial,
        with_eigenvalues=eigenvalues,
        max_steps=max_steps,
        init=init,
        restart_every=restart_every,
    )
    check_output(output)
    dataset = load(graph, root=data_root, num_snapshots=snapshots, every=every, unit=unit)
    if encoder.init == "previous" and restart_every is None:
        encoder = replace(encoder, restart_every=chain_length(dataset.graph.num_snapshots))
    start = time.perf_counter()
    with ExitStack() as stack:
        cluster: Cluster | LocalProcesses | None = None
        where = "1 core"
        if address is not None:
            cluster, where = _connect(address, stack)
        parts = _encode_all(encoder, dataset, output, cluster)
    wall = time.perf_counter() - start
    report = {
        "output": str(output),
        "rows": len(dataset.nodes) * dataset.graph.num_snapshots,
        "channels": encoder.dim,
        "encoder": repr(encoder),
        "computed_on": where,
        "seconds": sum(part["seconds"] for part in parts),
        "wall_seconds": wall,
        "max_residual": max(part["max_residual"] for part in parts),
        "per_snapshot": parts,
    }
    if json:
        print_json(report)
        return
    print_table(
        f"Encodings of {dataset.name}: {pe}, {encoder.dim} channels",
        ["time", "rows", "solver", "products", "largest residual", "converged", "ms"],
        [
            [
                part["time"],
                part["rows"],
                solver_name(part["solver"]),
                part["matvecs"],
                f"{part['max_residual']:.1e}",
                f"{part['converged']}/{part['eigenvectors']}",
                number(1000 * part["seconds"], 1),
            ]
            for part in parts
        ],
    )
    say(
        f"wrote [bold]{output}[/]: {report['rows']} rows × {encoder.dim} channels, "
        f"{number(wall, 2)} s on {where}, largest residual {report['max_residual']:.1e}"
    )
    if any(part["converged"] < part["eigenvectors"] for part in parts) and pe.endswith("-e"):
        note("some eigenvectors are less exact than asked for: see the column converged")


def _encoder(pe: str, **settings: Any) -> Encoder:
    method, _, variant = pe.partition("-")
    if method not in ("lpe", "slpe") or variant not in _VARIANTS:
        known = ", ".join(f"{name}-{letter}" for name in ("lpe", "slpe") for letter in _VARIANTS)
        raise ExperimentError(f"pe={pe!r}: must be one of {known}")
    checked: dict[str, Any] = {"method": method, "variant": _VARIANTS[variant], **settings}
    return Encoder(**checked)


def _or_none(name: str, value: str, *others: str) -> str | None:
    """What a text on the command line, where ``none`` stands for None, says."""
    check_choice(name, value, (*others, "none"))
    return None if value == "none" else value


def _connect(address: str, stack: ExitStack) -> tuple["Cluster | LocalProcesses", str]:
    """What computes at an address, and what to call it."""
    if address == "local":
        from supra_experiments.encoding.local_processes import LocalProcesses

        processes = LocalProcesses()
        return processes, f"{processes.num_cpus} core{'s'[: processes.num_cpus != 1]}"
    from supra_experiments.cluster.connect import connect  # takes a second to import

    cluster = stack.enter_context(connect(address))
    nodes, num_cpus = cluster.nodes, int(cluster.num_cpus)
    where = f"{num_cpus} CPUs of {len(nodes)} node{'s'[: len(nodes) != 1]}"
    if cluster.dashboard_url is not None:
        note(f"{where}; Ray's dashboard is at {cluster.dashboard_url}")
    return cluster, where


def _encode_all(
    encoder: Encoder, dataset: Dataset, output: Path, cluster: "Cluster | LocalProcesses | None"
) -> list[dict[str, Any]]:
    """Write the encodings of all snapshots; what the solver says of each."""
    parts: list[dict[str, Any]] = []
    times = dataset.times
    num_finished = 0
    with (
        progress_bar("encoding", dataset.graph.num_snapshots) as bar,
        encoding_file(output, encoder, dataset) as file,
    ):

        def finished(count: int) -> None:
            nonlocal num_finished
            num_finished += count
            bar.update(num_finished)

        for window in encode_windows(encoder, dataset.graph, cluster, finished=finished):
            file.add(window.values)
            parts.append({"time": times[len(parts)], **window.report})
    return parts
