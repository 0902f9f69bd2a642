"""``supra encode``: from an edge list to a file of encodings."""

import json as json_module
import time
import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import typer

from supra_core import ConvergenceWarning, Encoder, Encoding
from supra_experiments.cli.options import Coupling, DataRoot, GraphArgument, Json, K, Snapshots, Window
from supra_experiments.cli.output import note, number, print_json, print_table, progress_bar, say
from supra_experiments.datasets import Dataset, load
from supra_experiments.errors import ExperimentError
from supra_experiments.files import write_atomically

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
    k: K = 8,
    window: Window = 5,
    coupling: Coupling = 1.0,
    normalization: Annotated[
        str, typer.Option(metavar="NAME", help="Of the Laplacian: [cyan]none, sym[/] or [cyan]rw[/].")
    ] = "none",
    global_nodes: Annotated[bool, typer.Option(help="A global node in each layer.")] = True,
    drop_isolated: Annotated[bool, typer.Option(help="Leave nodes without edges out of their layer.")] = True,
    skip_trivial: Annotated[bool, typer.Option(help="Leave out the constant eigenvector.")] = True,
    eigenvalues: Annotated[bool, typer.Option(help="Eigenvalues as further channels.")] = False,
    max_steps: Annotated[int, typer.Option(metavar="N", help="Steps of the inexact solver.")] = 20,
    init: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How it starts: [cyan]normal, rademacher, uniform[/] or from the [cyan]previous[/] window.",
        ),
    ] = "normal",
    snapshots: Snapshots = None,
    data_root: DataRoot = None,
    json: Json = False,
) -> None:
    """Turn an edge list into positional encodings.

    The file has a row for each node and time with the columns [cyan]node, time, pe_0, pe_1, …[/]; labels are
    those of your file, and a node without edges at a time has zeros. Every encoding looks at its own and
    earlier snapshots only. Residuals say how exact the eigenvectors are: ‖L x − λ x‖.

    Example: [cyan]supra encode edges.csv --k 8 --window 5 -o pe.parquet[/]
    """
    encoder = _encoder(
        pe,
        k=k,
        window=window,
        coupling=coupling,
        normalization=None if normalization == "none" else normalization,
        global_nodes=global_nodes,
        drop_isolated=drop_isolated,
        skip_trivial=skip_trivial,
        with_eigenvalues=eigenvalues,
        max_steps=max_steps,
        init=init,
    )
    if output.suffix.lower() not in (".parquet", ".pq", ".csv"):
        raise ExperimentError(f"output={str(output)!r}: must end in .parquet or .csv")
    dataset = load(graph, root=data_root, num_snapshots=snapshots)
    encodings, parts = _encode_all(encoder, dataset)
    _write(output, encoder, dataset, encodings)
    report = {
        "output": str(output),
        "rows": len(dataset.nodes) * len(dataset.times),
        "channels": encoder.dim,
        "encoder": repr(encoder),
        "seconds": sum(part["seconds"] for part in parts),
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
                part["solver"].split("(")[0],
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
        f"{number(report['seconds'], 2)} s, largest residual {report['max_residual']:.1e}"
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


def _encode_all(encoder: Encoder, dataset: Dataset) -> tuple[list[Encoding], list[dict[str, Any]]]:
    """Every snapshot in turn, each timed."""
    encodings, parts = [], []
    with progress_bar("encoding", dataset.graph.num_snapshots) as bar, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the report says it
        walk = encoder.walk(dataset.graph)
        for t in range(dataset.graph.num_snapshots):
            start = time.perf_counter()
            encoding = next(walk)
            seconds = time.perf_counter() - start
            result = encoding.result
            parts.append(
                {
                    "time": dataset.times[t],
                    "rows": encoding.decompositions[-1].supra.num_rows,
                    "solver": result.solver,
                    "matvecs": result.num_matvecs,
                    "max_residual": float(np.max(result.residual_norms, initial=0.0)),
                    "converged": int(np.sum(result.converged)),
                    "eigenvectors": result.k,
                    "eigenvalues": result.eigenvalues.tolist(),
                    "seconds": seconds,
                }
            )
            encodings.append(encoding)
            bar.update(t + 1)
    return encodings, parts


def _write(output: Path, encoder: Encoder, dataset: Dataset, encodings: list[Encoding]) -> None:
    num_nodes, num_snapshots = dataset.graph.num_nodes, dataset.graph.num_snapshots
    values = np.concatenate([encoding.values for encoding in encodings])
    columns: dict[str, Any] = {
        "node": pa.array(np.tile(dataset.nodes, num_snapshots)),
        "time": pa.array(np.repeat(dataset.times, num_nodes)),
    }
    columns |= {f"pe_{channel}": pa.array(values[:, channel]) for channel in range(encoder.dim)}
    table = pa.table(columns)
    if output.suffix.lower() == ".csv":
        write_atomically(output, lambda file: pyarrow.csv.write_csv(table, file))
        return
    about = {"graph": dataset.name, "graph_digest": dataset.graph.digest, "encoder": repr(encoder)}
    table = table.replace_schema_metadata({"supra": json_module.dumps(about)})
    write_atomically(output, lambda file: pyarrow.parquet.write_table(table, file))
