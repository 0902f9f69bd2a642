"""``supra encode``: from an edge list to a file of encodings."""

import sys
import time
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supra_core import Encoder
from supra_experiments.cli import options as o
from supra_experiments.cli.options import DEFAULTS
from supra_experiments.cli.output import note, number, print_json, print_rows, progress_bar, say, solver_name
from supra_experiments.config.encoding import ENCODED, Encoding
from supra_experiments.config.setting import one_of
from supra_experiments.datasets import Dataset, load
from supra_experiments.encoding.file import check_output, encoding_file
from supra_experiments.encoding.windows import encode_windows
from supra_experiments.errors import ConfigError

if TYPE_CHECKING:
    from supra_experiments.cluster.connect import Cluster
    from supra_experiments.encoding.local_processes import LocalProcesses


def encode(
    graph: o.GraphArgument,
    output: o.EncodingOutput = Path("pe.parquet"),
    pe: o.Pe = "slpe-e",
    k: o.K = DEFAULTS["k"],
    window: o.Window = DEFAULTS["pe_window"],
    coupling: o.Coupling = DEFAULTS["coupling"],
    normalization: o.Normalization = DEFAULTS["normalization"],
    align: o.Align = DEFAULTS["align"],
    absent: o.Absent = None,
    scale: o.Scale = "rows",
    with_age: o.Age = DEFAULTS["with_age"],
    global_nodes: o.GlobalNodes = DEFAULTS["global_nodes"],
    drop_isolated: o.DropIsolated = DEFAULTS["drop_isolated"],
    skip_trivial: o.SkipTrivial = DEFAULTS["skip_trivial"],
    with_eigenvalues: o.Eigenvalues = DEFAULTS["with_eigenvalues"],
    max_steps: o.MaxSteps = None,
    init: o.Init = DEFAULTS["pe_init"],
    restart_every: o.RestartEvery = None,
    address: o.Address = None,
    snapshots: o.Snapshots = None,
    every: o.Every = None,
    unit: o.Unit = None,
    data_root: o.DataRoot = None,
    json: o.Json = False,
) -> None:
    """Turn an edge list into positional encodings.

    The file has a row for each node and time with the columns [cyan]node, time, pe_0, pe_1, …[/]; labels are
    those of your file. Every encoding looks at its own and earlier snapshots only, and agrees with the one
    before. Residuals say how exact the eigenvectors are: ‖L x − λ x‖.

    Example: [cyan]supra encode edges.csv --k 8 --window 5 -o pe.parquet[/]
    """
    encoder = _encoder(locals())
    check_output(output)
    with ExitStack() as stack:
        cluster: Cluster | LocalProcesses | None = None
        where = "1 core"
        if address is not None:
            # Before the file is read: processes of this machine start meanwhile.
            cluster, where = _connect(address, stack)
        dataset = load(graph, root=data_root, num_snapshots=snapshots, every=every, unit=unit)
        start = time.perf_counter()
        parts = _encode_all(encoder, dataset, output, cluster)
    _report(encoder, dataset, output, parts, where, time.perf_counter() - start, json=json)


def _encoder(given: dict[str, Any]) -> Encoder:
    """The encoder of a run with these options as its settings.

    What only one kind of encoding has is handed on as it was given: the encoder refuses what its own kind has
    no use for, where a run would just not use it.
    """
    own = {name: given[name] for name in ("window", "init", "max_steps", "restart_every")}
    one_of("rows", "none")("scale", given["scale"])
    names = [name for name in Encoding.settings() if name in given and name not in own]
    settings = Encoding(**{name: given[name] for name in names}, scale_pe=given["scale"] == "rows")
    encoder = settings.encoder(**own)
    if encoder is None:
        raise ConfigError(f"pe='none': must be one of {', '.join(map(repr, ENCODED))}")
    return encoder


def _report(
    encoder: Encoder,
    dataset: Dataset,
    output: Path,
    parts: list[dict[str, Any]],
    where: str,
    wall: float,
    *,
    json: bool,
) -> None:
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
    columns = {
        "time": lambda part: part["time"],
        "rows": lambda part: part["rows"],
        "solver": lambda part: solver_name(part["solver"]),
        "products": lambda part: part["matvecs"],
        "largest residual": lambda part: f"{part['max_residual']:.1e}",
        "converged": lambda part: f"{part['converged']}/{part['eigenvectors']}",
        "ms": lambda part: number(1000 * part["seconds"], 1),
    }
    kind = f"{encoder.method}-{encoder.variant[0]}"
    print_rows(f"Encodings of {dataset.name}: {kind}, {encoder.dim} channels", columns, parts)
    say(
        f"wrote [bold]{output}[/]: {report['rows']} rows × {encoder.dim} channels, "
        f"{number(wall, 2)} s on {where}, largest residual {report['max_residual']:.1e}"
    )
    if encoder.variant == "exact" and any(part["converged"] < part["eigenvectors"] for part in parts):
        note("some eigenvectors are less exact than asked for: see the column converged")


def _connect(address: str, stack: ExitStack) -> tuple["Cluster | LocalProcesses", str]:
    """What computes at an address, and what to call it."""
    if address == "local":
        from supra_experiments.encoding.local_processes import LocalProcesses

        processes = stack.enter_context(LocalProcesses())
        return processes, f"{processes.num_cpus} core{'s'[: processes.num_cpus != 1]}"
    from supra_experiments.cluster.connect import connect  # takes a second to import

    # Ray prints what goes wrong on its nodes to standard output, which belongs to our results.
    stack.enter_context(redirect_stdout(sys.stderr))
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
            parts.append(window.report)
    return [{"time": time, **part} for time, part in zip(dataset.times, parts, strict=True)]
