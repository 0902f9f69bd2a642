"""``supra train``: models with and without encodings side by side, and scores that need no learning."""

import itertools
import math
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from supra_core.checks import check_count
from supra_experiments.cli import options as o
from supra_experiments.cli.output import note, number, print_table, progress_bar, say
from supra_experiments.config import FEATURES, LEARNED, PES, Config
from supra_experiments.config.model import UNLEARNED
from supra_experiments.config.run_config import read_settings
from supra_experiments.datasets import Dataset, load
from supra_experiments.errors import ConfigError
from supra_experiments.sweep.local import run_here
from supra_experiments.training.devices import check_device
from supra_experiments.training.record import RunRecord
from supra_experiments.training.record_file import RecordFile
from supra_experiments.training.summary import Row, summarize

DEFAULT_PE = "slpe-e"
"""The encoding that is shown beside none where nobody asked for one."""

_ALL = {
    "model": tuple(name for name in LEARNED if name != "egcn"),
    "pe": PES,
    "features": FEATURES,
}


def train(
    dataset: o.MaybeGraph = None,
    model: o.Models = None,
    pe: o.Pes = None,
    features: o.Features = None,
    seeds: o.Seeds = 1,
    epochs: o.Epochs = None,
    device: o.Device = None,
    negatives: o.Negatives = None,
    protocol: o.Protocol = None,
    decoder: o.DecoderOption = None,
    train_negatives: o.TrainNegatives = None,
    follow: o.Follow = None,
    config: o.ConfigFile = None,
    set_: o.Settings = None,
    output: o.Records = None,
    snapshots: o.Snapshots = None,
    every: o.Every = None,
    unit: o.Unit = None,
    data_root: o.DataRoot = None,
    show_config: o.ShowConfig = False,
    json: o.Json = False,
) -> None:
    """Train on the first snapshots, predict the links of the last ones, and print the table.

    The protocol is the one published with HTGN: scores come from the embedding after the last training
    snapshot; AUC and AP are means over the test snapshots; the epoch is chosen by the training loss (by
    validation AUC on canparl), never by the test. Scores that need no learning are always shown beside.
    [cyan]--protocol next[/] trains to predict each snapshot from those before it instead; then the last
    training snapshot chooses the epoch, and [cyan]--decoder history[/] lets a network see a pair's past.

    Examples: [cyan]supra train enron10 --model htgn --pe slpe-i --features zeros --seeds 5[/]
    and [cyan]supra train mine.csv --model grugcn --pe all --features all -o runs.jsonl[/]
    """
    given: dict[str, Any] = {"model": model, "pe": pe, "features": features, "dataset": dataset}
    given |= {"num_snapshots": snapshots, "every": every, "unit": unit, "negatives": negatives}
    given |= {"max_epochs": epochs, "device": device, "protocol": protocol}
    given |= {"train_negatives": train_negatives, "follow": follow}
    given |= {"decoder_history": True} if decoder == "history" else {"decoder": decoder}
    variants = list(_variants(config, _settings(set_ or []), given, seeds))
    base = variants[0]
    if show_config:
        print(base.resolved().to_toml(), end="")
        return
    learned = list({each.identity: each for each in variants if each.model.is_learned}.values())
    if learned:
        check_device(base.training.device)
    loaded = load(base.data.dataset, root=data_root, **base.data.binning)
    unlearned = [base.replace(model=name, pe="none", features="zeros") for name in UNLEARNED]
    records = _run_all([*unlearned, *learned], loaded, output, json=json)
    if not json:
        _print(records, loaded)


def _run_all(runs: list[Config], dataset: Dataset, output: Path | None, *, json: bool) -> list[RunRecord]:
    """The records of all runs, told as they come."""
    done: list[RunRecord] = []
    kept = None if output is None else RecordFile(output, shared=True)
    for line in () if kept is None else kept.notes:
        note(line)
    with progress_bar("training", len(runs)) as bar:

        def on_epoch(run: Config, epoch: int, loss: float) -> None:
            text = f"{_name(run)} seed {run.training.seed}  epoch {epoch}  loss {loss:.4f}"
            bar.update(len(done) + epoch / (run.training.max_epochs + 1), text=text)

        try:
            for record in run_here(runs, dataset, kept, on_epoch):
                done.append(record)
                bar.update(len(done))
                if json:
                    print(record.to_json(), flush=True)
                elif record.config.model.is_learned:
                    note(_line(record))
        except KeyboardInterrupt:
            how = f"{len(done)} of {len(runs)} runs are in {output}; the same command goes on from there"
            if output is None:
                how = "nothing is kept; with -o FILE the same command goes on from where it was stopped"
            note(f"stopped: {how}")
            raise
    return done


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


def _variants(
    file: Path | None, settings: dict[str, Any], given: dict[str, Any], seeds: int
) -> Iterator[Config]:
    """All runs that are asked for: models, encodings and features may be several.

    Settings win over those of the file, and options that are given, not None, win over both.
    """
    check_count("seeds", seeds)
    told = ({} if file is None else read_settings(file)) | settings
    one = {name: value for name, value in given.items() if value is not None and name not in _ALL}
    base = Config(**told | one)
    # Without a word on encodings, the first table shows what they bring.
    pe = base.encoding.pe if "pe" in told else f"none,{DEFAULT_PE}"
    own = {"model": base.model.model, "pe": pe, "features": base.data.features}
    asked = {name: str(given[name] or value) for name, value in own.items()}
    choices = {
        name: _ALL[name] if value == "all" else dict.fromkeys(part.strip() for part in value.split(","))
        for name, value in asked.items()
    }
    for values in itertools.product(*choices.values()):
        for seed in range(base.training.seed, base.training.seed + seeds):
            yield base.replace(**dict(zip(choices, values, strict=True)), seed=seed)


def _name(run: Config) -> str:
    features = f" {run.data.features}" if run.model.is_network else ""
    return f"{run.model.name}{features} {run.encoding.pe}"


def _line(record: RunRecord) -> str:
    auc = number(100 * record.test.auc)
    what = "diverged, " if record.diverged else f"epoch {record.best_epoch} of {len(record.history)}, "
    told = f"{what if record.history else ''}{record.timings.training:.1f} s"
    return f"{_name(record.config)} seed {record.config.training.seed}: test AUC {auc} ({told})"


def _print(records: list[RunRecord], dataset: Dataset) -> None:
    rows = summarize(records)
    learned = [row for row in rows if row.model not in UNLEARNED]
    others = [row for row in rows if row.model in UNLEARNED]
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
        number(row.num_epochs, 0) if row.num_epochs else "–",
        number(1000 * row.seconds_per_epoch, 1),
        number(row.encoding_seconds, 2) if learned and row.pe != "none" else "–",
    ]
