"""``supra wl``: do Layer-WL and Supra-WL tell two temporal graphs apart?"""

from dataclasses import asdict
from typing import Annotated

from supra_experiments.cli import options as o
from supra_experiments.cli.output import print_json, say
from supra_experiments.datasets import load
from wl_tests import distinguishes

_ABOUT = {
    "layer": "Layer-WL, each snapshot on its own",
    "supra": "Supra-WL, each node also sees itself a layer earlier and later",
}


def wl(
    first: Annotated[str, o.argument("FIRST", f"One graph: {o.GRAPH[0].lower()}{o.GRAPH[1:]}.")],
    second: Annotated[str, o.argument("SECOND", "The graph to compare it with.")],
    weights: Annotated[bool, o.flag("Edges of different weight are different.", "--weights")] = False,
    max_rounds: Annotated[int | None, o.maybe("N", "Stop after N rounds.")] = None,
    snapshots: o.Snapshots = None,
    every: o.Every = None,
    unit: o.Unit = None,
    data_root: o.DataRoot = None,
    json: o.Json = False,
) -> None:
    """Ask both Weisfeiler–Leman tests whether two temporal graphs differ.

    "Distinguished" is certain: no relabelling of nodes makes the two equal. "Inconclusive" is not: the test
    is blind to the difference, or there is none. Supra-WL distinguishes all that Layer-WL does, and more.
    Names of nodes do not matter; both graphs must have the same number of snapshots.

    Example: [cyan]supra wl a.csv b.csv[/]
    """
    graphs = [
        load(name, root=data_root, num_snapshots=snapshots, every=every, unit=unit).graph
        for name in (first, second)
    ]
    labels = "weight" if weights else None
    verdicts = {
        name: distinguishes(name, *graphs, edge_labels=labels, max_rounds=max_rounds)
        for name in ("layer", "supra")
    }
    if json:
        print_json({name: asdict(verdict) for name, verdict in verdicts.items()})
        return
    for name, verdict in verdicts.items():
        answer = (
            f"[green]distinguished[/] at round {verdict.round}"
            if verdict
            else f"[yellow]inconclusive[/] after {verdict.num_rounds} rounds"
            + ("" if verdict.stable else ", stopped before it was stable")
        )
        say(f"{answer}  {_ABOUT[name]}")
    if verdicts["supra"] and not verdicts["layer"]:
        say("Only the edges between layers tell these two apart.")
