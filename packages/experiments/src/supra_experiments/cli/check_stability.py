"""The part of ``supra check`` that says which channels mean something by themselves."""

from pathlib import Path
from typing import Any

import numpy as np

from supra_core import Encoder, TemporalGraph, laplacian
from supra_core.encoding.stability import Stability, figure
from supra_core.files import replacing
from supra_experiments.cli.output import print_table, say

NUM_EDGES = 16
"""Edges of the newest snapshot that are tried."""


def stability_report(graph: TemporalGraph, k: int, coupling: float, plot: Path | None) -> dict[str, Any]:
    """Gaps, groups and bounds of the newest snapshot's encoding; all settings but these two are defaults."""
    encoder = Encoder(k=k, coupling=coupling)
    window = graph.window(graph.num_snapshots - 1, encoder.window)
    found = encoder.encode(graph, graph.num_snapshots - 1).stability
    if plot is not None:
        with replacing(plot) as temporary:
            figure(found).savefig(temporary, format=plot.suffix[1:] or "png")
    change = one_edge(encoder, window)
    return {
        "encoder": repr(encoder),
        "edge_change": change,
        "channels": channels(found, change),
        "plot": None if plot is None else str(plot),
    }


def channels(found: Stability, change: float) -> list[dict[str, Any]]:
    """One row a channel."""
    alone, together = found.bound(change, groups=False), found.bound(change)
    return [
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


def one_edge(encoder: Encoder, window: TemporalGraph) -> float:
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


def show_stability(report: dict[str, Any]) -> None:
    """Print it."""
    rows = report["channels"]
    print_table(
        "Channels of the newest snapshot's encoding",
        ["channel", "eigenvalue", "gap", "group", "means something", "one edge turns it by, at most"],
        [
            [
                row["channel"],
                f"{row['eigenvalue']:.6g}",
                "–" if row["gap"] is None else f"{row['gap']:.2g}",
                row["group"],
                "by itself" if row["alone"] else "as a group",
                _angle(row["largest_sine_of_group"]),
            ]
            for row in rows
        ],
    )
    alone = sum(row["alone"] for row in rows)
    say(
        f"  {alone} of {len(rows)} channels mean something by themselves; the others share their eigenvalue, "
        f"to one per cent, and mean something only as a group. An edge more changes the Laplacian by "
        f"{report['edge_change']:.2g} (the median of those tried): gaps below twice that prove nothing."
    )
    if report["plot"] is not None:
        say(f"  wrote [bold]{report['plot']}[/]")


def _angle(sine: float) -> str:
    return "no bound" if sine >= 1 else f"{np.degrees(np.arcsin(sine)):.2g}°"
