"""``supra bench stream``: a long stream of events, from the file to its encodings."""

from pathlib import Path
from typing import Annotated

import typer

from supra_experiments.cli.bench import Output, app, machine, write_results
from supra_experiments.cli.options import Json, K, Window
from supra_experiments.cli.output import note, print_json, progress_bar


@app.command()
def stream(
    events: Annotated[
        int | None, typer.Option(metavar="N", help="Events; else 5,000,000.", show_default=False, min=1)
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(metavar="N", help="Nodes; else 350,000.", show_default=False, min=2)
    ] = None,
    snapshots: Annotated[
        int | None, typer.Option(metavar="N", help="Snapshots; else 10.", show_default=False, min=1)
    ] = None,
    large: Annotated[bool, typer.Option("--large", help="44 million events, a million nodes.")] = False,
    window: Window = 3,
    k: K = 8,
    init: Annotated[
        str, typer.Option(metavar="NAME", help="[cyan]normal[/] or from the [cyan]previous[/] window.")
    ] = "normal",
    seed: Annotated[int, typer.Option(metavar="N", help="Of the events.", min=0)] = 0,
    output: Output = Path("bench-results"),
    json: Json = False,
) -> None:
    """A stream of generated events: seconds to read it, to build the graph, to encode each window; memory.

    Both ends of each event are drawn by a power law. The events are written to a CSV file in the temporary
    folder; a process of its own reads it and pushes snapshot by snapshot through [cyan]Encoder.stream[/].

    [bold]seconds[/] are processor time on one thread. [bold]peak[/] is the most memory that the process had
    until then, with all that Python loads.

    Example: [cyan]supra bench stream --large[/]
    """
    from supra_experiments.bench import stream as bench
    from supra_experiments.bench.scaling import commit

    sizes = bench.LARGE if large else bench.SMALL
    events, nodes, snapshots = (
        usual if given is None else given
        for given, usual in zip((events, nodes, snapshots), sizes, strict=True)
    )
    with progress_bar("stream", snapshots + 2) as bar:
        done = 0

        def report(stage: dict[str, object]) -> None:
            nonlocal done
            done += 1
            bar.update(done, text=str(stage["stage"]))

        stages = bench.run(events, nodes, snapshots, window=window, k=k, init=init, seed=seed, report=report)
    settings: dict[str, object] = {
        "events": events,
        "nodes": nodes,
        "snapshots": snapshots,
        "window": window,
        "k": k,
        "init": init,
        "seed": seed,
    }
    result = {"settings": settings, "stages": stages, "machine": machine(), "commit": commit()}
    write_results(output, "stream.json", result, {})
    if json:
        print_json(result)
    else:
        print(bench.render(stages))
        note(f"JSON is in {output}")
