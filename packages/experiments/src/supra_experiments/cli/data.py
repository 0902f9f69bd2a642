"""``supra data``: which datasets there are, where they are, what is in them."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape

from supra_experiments.cli.options import DataRoot, Every, GraphArgument, Json, Snapshots, Unit, argument
from supra_experiments.cli.output import number, print_json, print_rows, progress_bar, say
from supra_experiments.datasets import REGISTRY, Dataset, find_entry, load, num_links
from supra_experiments.datasets import data_root as root_folder
from supra_experiments.datasets import fetch as fetch_file
from supra_experiments.datasets.fetch import is_here
from supra_experiments.errors import DatasetError, did_you_mean

_SHOWN = 5

app = typer.Typer(
    help="Datasets: list them, download and verify them, look into one.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@app.command("list")
def list_datasets(data_root: DataRoot = None, json: Json = False) -> None:
    """List the published datasets, and say which are here already."""
    folder = root_folder(data_root)
    rows = [
        {
            "name": entry.name,
            "nodes": entry.num_nodes,
            "snapshots": entry.num_snapshots,
            "links": entry.num_links,
            "temporal_edges": entry.num_temporal_edges,
            "split": str(entry.split.split(entry.num_snapshots)),
            "about": entry.about,
            "path": None if entry.ships else str(folder / entry.file_name),
            "ships": entry.ships,
            "here": is_here(entry, data_root),
        }
        for entry in REGISTRY.values()
    ]
    if json:
        print_json(rows)
        return
    columns = {
        "name": lambda row: row["name"],
        "what it is": lambda row: row["about"],
        "nodes": lambda row: row["nodes"],
        "snapshots": lambda row: row["snapshots"],
        "links": lambda row: row["links"],
        "here": lambda row: "in the package" if row["ships"] else "yes" if row["here"] else "no",
    }
    print_rows(f"Published datasets (folder {folder})", columns, rows, numbers=2)
    say(
        "[cyan]supra data fetch NAME[/] downloads one; [cyan]demo[/] is generated; your own CSV or Parquet "
        "file works wherever a name does."
    )


@app.command()
def fetch(
    names: Annotated[list[str], argument("NAME...", "Names, or [cyan]all[/].")],
    data_root: DataRoot = None,
    json: Json = False,
) -> None:
    """Download datasets, once, and verify every byte; enron10 and dblp come with the package.

    A file that was altered or cut short is reported, removed and never used.
    """
    chosen = list(REGISTRY) if names == ["all"] else names
    paths: dict[str, Path | None] = {}
    for name in chosen:
        entry = find_entry(name)
        if entry is None:
            hint = did_you_mean(name, REGISTRY)
            raise DatasetError(f"dataset={name!r}: must be one of {', '.join(REGISTRY)}, or all{hint}")
        if entry.ships:
            paths[entry.name] = None
            if not json:
                say(f"{entry.name}: comes with the package, there is nothing to fetch")
            continue
        with progress_bar(f"fetching {entry.name}", entry.num_bytes) as bar:
            paths[entry.name] = fetch_file(entry, data_root, progress=bar.update)
        if not json:
            say(f"{entry.name}: {paths[entry.name]} (SHA-256 verified)")
    if json:
        print_json({name: None if path is None else str(path) for name, path in paths.items()})


@app.command()
def info(
    graph: GraphArgument,
    snapshots: Snapshots = None,
    every: Every = None,
    unit: Unit = None,
    data_root: DataRoot = None,
    json: Json = False,
) -> None:
    """Look into a dataset or a file of your own: sizes, split, and every snapshot."""
    dataset = load(graph, root=data_root, num_snapshots=snapshots, every=every, unit=unit)
    facts = _facts(dataset)
    if json:
        print_json(facts)
        return
    say(f"[bold]{dataset.name}[/]: {dataset.about}")
    names = ", ".join(map(str, facts["first_nodes"])) + (" …" if dataset.graph.num_nodes > _SHOWN else "")
    facts["nodes"] = f"{facts['nodes']} ({names})"
    for name in ("nodes", "nodes ever active", "snapshots", "links", "temporal edges", "weighted", "split"):
        say(f"  {name:18} {escape(str(facts[name.replace(' ', '_')]))}")
    columns = {
        "time": lambda part: part["time"],
        "edges": lambda part: part["edges"],
        "active nodes": lambda part: part["active_nodes"],
        "edges seen in the last one": lambda part: _share(part["repeated"]),
        "edges ever seen before": lambda part: _share(part["seen_before"]),
    }
    print_rows("Snapshots", columns, facts["per_snapshot"])


def _facts(dataset: Dataset) -> dict[str, Any]:
    graph, times = dataset.graph, dataset.times
    parts = []
    last: set[int] = set()
    seen: set[int] = set()
    for t in range(graph.num_snapshots):
        source, target, _ = graph.snapshot(t)
        keys = set((source * graph.num_nodes + target).tolist())
        parts.append(
            {
                "time": times[t],
                "edges": len(keys),
                "active_nodes": int(graph.active(t).sum()),
                "repeated": len(keys & last) / len(keys) if t and keys else float("nan"),
                "seen_before": len(keys & seen) / len(keys) if t and keys else float("nan"),
            }
        )
        last, seen = keys, seen | keys
    try:
        split = str(dataset.split_rule.split(graph.num_snapshots))
    except ValueError:
        split = "none: a single snapshot"
    return {
        "name": dataset.name,
        "about": dataset.about,
        "nodes": graph.num_nodes,
        "first_nodes": dataset.nodes[:_SHOWN].tolist(),
        "nodes_ever_active": len(np.union1d(graph.source, graph.target)),
        "snapshots": graph.num_snapshots,
        "links": num_links(graph),
        "temporal_edges": graph.num_edges,
        "weighted": bool((graph.weight != 1).any()),
        "split": split,
        "time_zone": graph.time_zone,
        "digest": graph.digest,
        "per_snapshot": parts,
    }


def _share(value: float) -> str:
    return number(100 * value, 1) + (" %" if value == value else "")
