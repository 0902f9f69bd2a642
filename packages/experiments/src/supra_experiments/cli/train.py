"""``supra train``: models with and without encodings side by side, and scores that need no learning."""

import itertools
import math
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from supra_experiments.cli.options import DataRoot, Every, Json, Snapshots, Unit
from supra_experiments.cli.output import Bar, note, number, print_table, progress_bar, say
from supra_experiments.config import FEATURES, LEARNED, PES, Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.errors import ConfigError
from supra_experiments.protocol.baselines import BASELINES
from supra_experiments.training.devices import check_device
from supra_experiments.training.record import EpochRecord, RunRecord, append_record, read_records
from supra_experiments.training.summary import Row, summarize

DEFAULT_PE = "slpe-e"
"""The encoding that is shown beside none where nobody asked for one."""

_ALL = {
    "model": tuple(name for name in LEARNED if name != "egcn"),
    "pe": PES,
    "features": FEATURES,
}


def train(
    dataset: Annotated[
        str | None,
        typer.Argument(
            metavar="GRAPH",
            help="A dataset ([cyan]demo, enron10, dblp, as733, canparl[/]) or your own edge list.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="[cyan]htgn, grugcn, egcn-h, egcn-o, slate[/], several or [cyan]all[/]; or without learning "
            "[cyan]edgebank, degree, count, neighbours[/].  [dim](default: htgn)[/]",
            show_default=False,
        ),
    ] = None,
    pe: Annotated[
        str | None,
        typer.Option(
            metavar="PE,…",
            help="[cyan]none[/], [cyan]lpe[/] or [cyan]slpe[/] with [cyan]-e -i -t[/] (exact, inexact, "
            "trajectory), several or [cyan]all[/].  [dim](default: none and slpe-e, side by side)[/]",
            show_default=False,
        ),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="[cyan]one-hot, random, zeros[/], a file of your own, several or [cyan]all[/].  "
            "[dim](default: one-hot)[/]",
            show_default=False,
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(metavar="N", help="Runs of each variant, seeds 0 … N−1.")] = 1,
    epochs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Epochs at most.  [dim](default: 500)[/]", show_default=False),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Where to compute: [cyan]cpu, cuda, cuda:1[/], …  [dim](default: cpu)[/]",
            show_default=False,
        ),
    ] = None,
    negatives: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Test negatives: [cyan]uniform[/] over all ids (published), [cyan]active[/] (both ends seen "
            "in training) or [cyan]historical[/] (past edges absent now).  [dim](default: uniform)[/]",
            show_default=False,
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Settings in TOML; options here win over it.", show_default=False),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Any setting of a run, e.g. [cyan]--set lr=0.001 --set k=16[/]; [cyan]--show-config[/] "
            "lists them.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Add each run's record to this file of JSON lines. Run the same command again after a kill: "
            "finished runs are taken from there, the others go on from their checkpoints beside it.",
            show_default=False,
        ),
    ] = None,
    snapshots: Snapshots = None,
    every: Every = None,
    unit: Unit = None,
    data_root: DataRoot = None,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Print the settings as TOML, do not train.")
    ] = False,
    json: Json = False,
) -> None:
    """Train on the first snapshots, predict the links of the last ones, and print the table.

    The protocol is the one published with HTGN: scores come from the embedding after the last training
    snapshot; AUC and AP are means over the test snapshots; the epoch is chosen by the training loss (by
    validation AUC on canparl), never by the test. Scores that need no learning are always shown beside.

    Examples: [cyan]supra train enron10 --model htgn --pe slpe-i --features zeros --seeds 5[/]
    and [cyan]supra train mine.csv --model grugcn --pe all --features all -o runs.jsonl[/]
    """
    base = Config() if config is None else Config.read(config)
    given = {"dataset": dataset, "negatives": negatives, "num_snapshots": snapshots}
    given |= {"every": every, "unit": unit, "max_epochs": epochs, "device": device}
    settings = _settings(set_ or [])
    base = base.replace(**settings | {name: value for name, value in given.items() if value is not None})
    if pe is None:
        # Without a word on encodings, the first table shows what they bring.
        said = "pe" in settings or (config is not None and "pe" in tomllib.loads(config.read_text("utf-8")))
        pe = base.encoding.pe if said else f"none,{DEFAULT_PE}"
    chosen = {"model": model or base.model.name, "pe": pe, "features": features or base.data.features}
    variants = list(_variants(base, {name: _listed(name, value) for name, value in chosen.items()}, seeds))
    if show_config:
        print(variants[0].resolved().to_toml(), end="")
        return
    if any(variant.model.is_learned for variant in variants):
        check_device(base.training.device)
    loaded = load(base.data.dataset, root=data_root, **base.data.binning)
    runs = [base.replace(model=name, pe="none", features="zeros") for name in BASELINES]
    runs += [variant for variant in variants if variant.model.is_learned]
    records: list[RunRecord] = []
    try:
        _run_all(runs, loaded, output, records, json=json)
    except KeyboardInterrupt:
        note(_how_to_go_on(output, len(records), len(runs)))
        raise
    if not json:
        _print(records, loaded)


def _run_all(
    runs: list[Config], dataset: Dataset, output: Path | None, records: list[RunRecord], *, json: bool
) -> None:
    with progress_bar("training", len(runs)) as bar:
        for position, run in enumerate(runs):
            record = _run(run, dataset, output, _reporter(bar, position, run))
            records.append(record)
            bar.update(position + 1)
            if json:
                print(record.to_json(), flush=True)
            elif run.model.is_learned:
                note(_line(record))


def _how_to_go_on(output: Path | None, num_done: int, num_runs: int) -> str:
    if output is None:
        return "stopped: nothing is kept; with -o FILE the same command goes on from where it was stopped"
    return f"stopped: {num_done} of {num_runs} runs are in {output}; the same command goes on from there"


def _settings(pairs: list[str]) -> dict[str, Any]:
    """``key=value`` pairs, values as TOML where they are that, else as text."""
    settings = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign:
            raise ConfigError(f"--set {pair}: must be KEY=VALUE")
        try:
            settings[name.strip().replace("-", "_")] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            settings[name.strip().replace("-", "_")] = text.strip()
    return settings


def _listed(name: str, value: str) -> tuple[str, ...]:
    if value == "all":
        return _ALL[name]
    return tuple(dict.fromkeys(part.strip() for part in value.split(",")))


def _variants(base: Config, choices: dict[str, tuple[str, ...]], seeds: int) -> Iterator[Config]:
    if seeds < 1:
        raise ConfigError(f"seeds={seeds}: must be an integer >= 1")
    for values in itertools.product(*choices.values()):
        for seed in range(base.training.seed, base.training.seed + seeds):
            yield base.replace(**dict(zip(choices, values, strict=True)), seed=seed)


def _run(
    run: Config, dataset: Dataset, output: Path | None, on_epoch: Callable[[EpochRecord], None]
) -> RunRecord:
    """A record from the file if it is there, else from a run that leaves one."""
    from supra_experiments.training.fit import fit

    if output is None:
        return fit(run, dataset=dataset, on_epoch=on_epoch)
    if output.exists():
        for record in read_records(output):
            if record.config == run.resolved() and record.graph_digest == dataset.graph.digest:
                return record
    folder = output.with_name(output.name + ".checkpoints")
    checkpoint = folder / f"{run.digest}.pt" if run.model.is_learned else None
    record = fit(run, dataset=dataset, checkpoint=checkpoint, on_epoch=on_epoch)
    append_record(output, record)
    return record


def _reporter(bar: Bar, position: int, run: Config) -> Callable[[EpochRecord], None]:
    def report(epoch: EpochRecord) -> None:
        text = f"{_name(run)} seed {run.training.seed}  epoch {epoch.epoch}  loss {epoch.loss:.4f}"
        bar.update(position + epoch.epoch / (run.training.max_epochs + 1), text=text)

    return report


def _name(run: Config) -> str:
    return f"{run.model.name} {run.data.features} {run.encoding.pe}"


def _line(record: RunRecord) -> str:
    auc = number(100 * record.test.auc)
    what = "diverged" if record.diverged else f"epoch {record.best_epoch} of {len(record.history)}"
    seconds = f"{record.timings.training:.1f} s"
    return f"{_name(record.config)} seed {record.config.training.seed}: test AUC {auc} ({what}, {seconds})"


def _print(records: list[RunRecord], dataset: Dataset) -> None:
    rows = summarize(records)
    learned = [row for row in rows if row.model not in BASELINES]
    others = [row for row in rows if row.model in BASELINES]
    best = max((row.auc for row in rows if not math.isnan(row.auc)), default=math.nan)
    cells: list[list[Any] | None] = [_cells(row, best) for row in learned]
    negatives = records[0].config.data.negatives
    print_table(
        f"Test links of {dataset.name} in percent, negatives {negatives}, * the best AUC",
        ["model", "features", "pe", "AUC", "AP", "new", "epochs", "ms", "pe s"],
        [*cells, *([None] if cells else []), *(_cells(row, best) for row in others)],
        numbers=3,
    )
    say(
        "The last four rows learn nothing: scores from past snapshots alone. "
        "[dim]new: AUC of links that are not in the last snapshot seen; ms: an epoch; pe s: seconds to "
        "encode.[/]"
    )


def _cells(row: Row, best: float) -> list[Any]:
    spread = "" if math.isnan(row.auc_std) else f" ± {row.auc_std:.2f}"
    learned = row.pe != ""
    return [
        row.model,
        row.features or "–",
        row.pe or "–",
        ("* " if row.auc == best else "") + number(row.auc) + spread,
        number(row.ap),
        number(row.auc_new),
        number(row.num_epochs, 0) if learned else "–",
        number(1000 * row.seconds_per_epoch, 1),
        number(row.encoding_seconds, 2) if learned and row.pe != "none" else "–",
    ]
