"""``supra check``: the propositions, on the user's own graph."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import typer

from supra_core import Auto, ConvergenceWarning, Encoder, TemporalGraph, eigenpairs, laplacian, supra_graph
from supra_core.encoding.stability import figure
from supra_core.files import replacing
from supra_core.proposition1 import Sides, both_sides, sides_in_integers
from supra_experiments.cli import options as o
from supra_experiments.cli.output import print_json, print_rows, say, solver_name
from supra_experiments.datasets import Dataset, load
from supra_experiments.errors import ExperimentError
from wl_tests import layer_wl, refines, supra_wl

_DEFAULT = Encoder()
_ANSWER = {None: "–", True: "yes", False: "no"}

TOLERANCE = 1e-9
"""Both sides add up the same numbers in another order; rounding does far less than this to them."""

NUM_EDGES = 16
"""Edges of the newest snapshot that are doubled, to see what one more does."""


def check(
    graph: o.GraphArgument,
    k: o.FewestK = None,
    coupling: o.Coupling = _DEFAULT.coupling,
    tol: o.Tolerance = 1e-8,
    plot: o.SpectrumPlot = None,
    snapshots: o.Snapshots = None,
    every: o.Every = None,
    unit: o.Unit = None,
    data_root: o.DataRoot = None,
    json: o.Json = False,
) -> None:
    """Verify on your own graph that the encodings are what they claim to be.

    Proposition 1: the energy of vectors on the supra-graph, tr(XᵀLX), equals their smoothness along edges
    plus μ times their smoothness in time. Both sides are computed, one from the matrix and one from the
    edges, for the eigenvectors and (in exact integers) for random vectors.

    Then the quality of the spectrum: residuals, orthogonality, converged pairs; and which channels of the
    default encoding mean something by themselves, and which only as a group. Last, Proposition 2: what
    Layer-WL and Supra-WL can tell apart in each layer, and that Supra-WL is never the coarser one.

    Exits with 1 if anything fails. Example: [cyan]supra check edges.csv[/]
    """
    dataset = load(graph, root=data_root, num_snapshots=snapshots, every=every, unit=unit)
    size = dataset.graph.num_nodes * dataset.graph.num_snapshots
    k = min(_DEFAULT.k, size) if k is None else k
    if k > size:
        raise ExperimentError(f"k={k}: must be at most {size}, the number of nodes times snapshots")
    report = {
        "graph": dataset.name,
        **_propositions(dataset.graph, k, coupling, tol),
        "stability": _stability(dataset.graph, k, coupling, plot),
        "wl": _wl(dataset),
    }
    report["holds"] = (
        report["proposition_1"]["holds"] and report["exact"]["holds"] and report["wl"]["supra_refines_layer"]
    )
    if json:
        print_json(report)
    else:
        _show(report, coupling)
    if not report["holds"]:
        raise typer.Exit(1)


def _propositions(graph: TemporalGraph, k: int, coupling: float, tol: float) -> dict[str, Any]:
    supra = supra_graph(graph, coupling=coupling, global_nodes=False, drop_isolated=False)
    L = laplacian(supra.adjacency)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the report says it
        result = eigenpairs(L, k, Auto(tol=tol), rng=0)
    X = result.eigenvectors
    bar = TOLERANCE * max(1.0, float(abs(L).sum(axis=1).max())) * k
    return {
        "proposition_1": _sides(both_sides(graph, X, coupling), bar),
        # In integers nothing is rounded, so that the two sides must agree to the last digit.
        "exact": _sides(sides_in_integers(graph, max(1, round(coupling))), 0),
        "spectrum": {
            "eigenvalues": result.eigenvalues.tolist(),
            "residual_norms": result.residual_norms.tolist(),
            "converged": result.converged.tolist(),
            "orthogonality": float(np.abs(X.T @ X - np.eye(k)).max()),
            "solver": result.solver,
            "num_matvecs": result.num_matvecs,
        },
    }


def _sides(sides: Sides, bar: float) -> dict[str, Any]:
    further = {"total": sides.total, "difference": sides.difference, "holds": sides.difference <= bar}
    return sides._asdict() | further


def _stability(graph: TemporalGraph, k: int, coupling: float, plot: Path | None) -> dict[str, Any]:
    """Gaps, groups and bounds of the newest snapshot's encoding; all settings but these two are defaults."""
    encoder = Encoder(k=k, coupling=coupling)
    window = graph.window(graph.num_snapshots - 1, encoder.window)
    found = encoder.encode(graph, graph.num_snapshots - 1).stability
    if plot is not None:
        with replacing(plot) as temporary:
            figure(found).savefig(temporary, format=plot.suffix[1:] or "png")
    change = _one_edge(encoder, window)
    alone, together = found.bound(change, groups=False), found.bound(change)
    channels = [
        {
            "channel": j,
            "eigenvalue": float(found.eigenvalues[j]),
            "gap": float(found.gaps[j]) if np.isfinite(found.gaps[j]) else None,
            "group": int(found.groups[j]),
            "alone": bool(found.alone[j]),
            "largest_sine": float(alone[j]),
            "largest_sine_of_group": float(together[j]),
        }
        for j in range(len(found.eigenvalues))
    ]
    drawn = None if plot is None else str(plot)
    return {"encoder": repr(encoder), "edge_change": change, "channels": channels, "plot": drawn}


def _one_edge(encoder: Encoder, window: TemporalGraph) -> float:
    """The spectral norm by which one edge more changes the Laplacian: the median over doubled edges."""
    newest = np.flatnonzero(window.time == window.num_snapshots - 1)
    if len(newest) == 0:
        return 0.0
    L = laplacian(encoder.supra(window).adjacency, encoder.normalization).astype(np.float64)
    norms = []
    for edge in np.random.default_rng(0).choice(newest, size=min(NUM_EDGES, len(newest)), replace=False):
        weight = window.weight.astype(np.float64)
        weight[edge] += 1.0
        more = TemporalGraph.from_edges(
            window.source, window.target, window.time, weight,
            num_nodes=window.num_nodes, num_snapshots=window.num_snapshots,
        )  # fmt: skip
        E = (laplacian(encoder.supra(more).adjacency, encoder.normalization) - L).tocsr()
        rows = np.flatnonzero(np.abs(E).sum(axis=1))
        norms.append(float(np.linalg.norm(E[rows][:, rows].toarray(), 2)))
    return float(np.median(norms))


def _wl(dataset: Dataset) -> dict[str, Any]:
    graph, times = dataset.graph, dataset.times
    layer, supra = layer_wl(graph), supra_wl(graph)
    colours = {"layer": layer.rounds[-1][0], "supra": supra.rounds[-1][0]}
    layers = []
    for t in range(graph.num_snapshots):
        part: dict[str, Any] = {"time": times[t]}
        for name, found in colours.items():
            part[f"{name}_colours"] = len(np.unique(found[t]))
            # Layers with different multisets of colours are certainly not isomorphic as layers.
            same = t > 0 and np.array_equal(np.sort(found[t]), np.sort(found[t - 1]))
            part[f"{name}_differs_from_last"] = None if t == 0 else not same
        layers.append(part)
    return {
        "layers": layers,
        "layer_rounds": layer.num_rounds,
        "supra_rounds": supra.num_rounds,
        "layer_colours": layer.num_colours(),
        "supra_colours": supra.num_colours(),
        "supra_refines_layer": refines(supra, layer),
    }


def _show(report: dict[str, Any], coupling: float) -> None:
    claim = f"energy = smoothness in space + in time (μ = {coupling:g})"
    say(f"[bold]Proposition 1[/] on {report['graph']}: {claim}")
    for title, part in (("eigenvectors", report["proposition_1"]), ("random integers", report["exact"])):
        form = "{:.12g}" if isinstance(part["energy"], float) else "{}"
        sides = (form.format(part[name] + 0) for name in ("energy", "intra", "inter", "total"))
        say(f"  {title:16} tr(XᵀLX) = {{}} and {{}} + {{}} = {{}}".format(*sides))
        say(f"  {'':16} difference {part['difference']:.2g}: {_verdict(part['holds'])}")
    spectrum = report["spectrum"]
    of_pairs = {
        "": lambda i: i,
        "eigenvalue": lambda i: f"{spectrum['eigenvalues'][i] + 0.0:.8g}",
        "residual ‖Lx − λx‖": lambda i: f"{spectrum['residual_norms'][i]:.1e}",
        "converged": lambda i: _ANSWER[spectrum["converged"][i]],
    }
    solved = f"{solver_name(spectrum['solver'])}, {spectrum['num_matvecs']} products"
    print_rows(f"Spectrum ({solved})", of_pairs, range(len(spectrum["eigenvalues"])))
    say(f"  orthogonal up to {spectrum['orthogonality']:.1e}")
    _show_stability(report["stability"])
    wl = report["wl"]
    of_layers = {
        "time": lambda part: part["time"],
        "Layer-WL": lambda part: part["layer_colours"],
        "Supra-WL": lambda part: part["supra_colours"],
        "Layer-WL: differs from the layer before": lambda part: _ANSWER[part["layer_differs_from_last"]],
        "Supra-WL: the same": lambda part: _ANSWER[part["supra_differs_from_last"]],
    }
    title = "Proposition 2: colours in each layer (more colours, more nodes told apart)"
    print_rows(title, of_layers, wl["layers"])
    say(
        f"  in all {wl['layer_colours']} colours by Layer-WL, {wl['supra_colours']} by Supra-WL; "
        f"Supra-WL tells apart whatever Layer-WL does: {_verdict(wl['supra_refines_layer'])}"
    )


def _verdict(holds: bool) -> str:
    return "[green]holds[/]" if holds else "[red]FAILS[/]"


def _show_stability(report: dict[str, Any]) -> None:
    columns = {
        "channel": lambda row: row["channel"],
        "eigenvalue": lambda row: f"{row['eigenvalue']:.6g}",
        "gap": lambda row: "–" if row["gap"] is None else f"{row['gap']:.2g}",
        "group": lambda row: row["group"],
        "means something": lambda row: "by itself" if row["alone"] else "as a group",
        "one edge turns it by, at most": lambda row: _degrees(row["largest_sine_of_group"]),
    }
    rows = report["channels"]
    print_rows("Channels of the newest snapshot's encoding", columns, rows)
    alone = sum(row["alone"] for row in rows)
    say(
        f"  {alone} of {len(rows)} channels mean something by themselves; the others share their eigenvalue, "
        f"to one per cent, and mean something only as a group. An edge more changes the Laplacian by "
        f"{report['edge_change']:.2g} (the median of those tried): gaps below twice that prove nothing."
    )
    if report["plot"] is not None:
        say(f"  wrote [bold]{report['plot']}[/]")


def _degrees(sine: float) -> str:
    return "no bound" if sine >= 1 else f"{np.degrees(np.arcsin(sine)):.2g}°"
