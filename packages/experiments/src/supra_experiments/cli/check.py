"""``supra check``: the propositions, on the user's own graph."""

import warnings
from typing import Any

import numpy as np
import typer

from supra_core import Auto, ConvergenceWarning, Encoder, TemporalGraph, eigenpairs, laplacian, supra_graph
from supra_core.proposition1 import Sides, both_sides, sides_in_integers
from supra_experiments.cli.check_stability import show_stability, stability_report
from supra_experiments.cli.options import (
    Coupling,
    DataRoot,
    Every,
    FewestK,
    GraphArgument,
    Json,
    Snapshots,
    SpectrumPlot,
    Tolerance,
    Unit,
)
from supra_experiments.cli.output import print_json, print_table, say, solver_name
from supra_experiments.datasets import Dataset, load
from supra_experiments.errors import ExperimentError
from wl_tests import layer_wl, refines, supra_wl

_DEFAULT = Encoder()
_ANSWER = {None: "–", True: "yes", False: "no"}

TOLERANCE = 1e-9
"""Both sides add up the same numbers in another order; rounding does far less than this to them."""


def check(
    graph: GraphArgument,
    k: FewestK = None,
    coupling: Coupling = _DEFAULT.coupling,
    tol: Tolerance = 1e-8,
    plot: SpectrumPlot = None,
    snapshots: Snapshots = None,
    every: Every = None,
    unit: Unit = None,
    data_root: DataRoot = None,
    json: Json = False,
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
        "stability": stability_report(dataset.graph, k, coupling, plot),
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
    print_table(
        f"Spectrum ({solver_name(spectrum['solver'])}, {spectrum['num_matvecs']} products)",
        ["", "eigenvalue", "residual ‖Lx − λx‖", "converged"],
        [
            [i, f"{value + 0.0:.8g}", f"{residual:.1e}", "yes" if done else "no"]
            for i, (value, residual, done) in enumerate(
                zip(spectrum["eigenvalues"], spectrum["residual_norms"], spectrum["converged"], strict=True)
            )
        ],
    )
    say(f"  orthogonal up to {spectrum['orthogonality']:.1e}")
    show_stability(report["stability"])
    wl = report["wl"]
    print_table(
        "Proposition 2: colours in each layer (more colours, more nodes told apart)",
        ["time", "Layer-WL", "Supra-WL", "Layer-WL: differs from the layer before", "Supra-WL: the same"],
        [
            [
                part["time"],
                part["layer_colours"],
                part["supra_colours"],
                *(_ANSWER[part[f"{name}_differs_from_last"]] for name in ("layer", "supra")),
            ]
            for part in wl["layers"]
        ],
    )
    say(
        f"  in all {wl['layer_colours']} colours by Layer-WL, {wl['supra_colours']} by Supra-WL; "
        f"Supra-WL tells apart whatever Layer-WL does: {_verdict(wl['supra_refines_layer'])}"
    )


def _verdict(holds: bool) -> str:
    return "[green]holds[/]" if holds else "[red]FAILS[/]"
