"""``supra sweep``: a whole study, from a laptop to a cluster, with nothing lost."""

import inspect
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import typer

from supra_core.checks import check_count
from supra_experiments.cli.options import DataRoot, Json, argument, flag, maybe, option
from supra_experiments.cli.output import print_json
from supra_experiments.cli.sweep_summary import dry_run_json, print_dry_run, print_result, result_json
from supra_experiments.cli.sweep_view import shown, tell
from supra_experiments.cluster.environment import keep_to_this_machine
from supra_experiments.config import LEARNED
from supra_experiments.encoding.local_processes import num_cores
from supra_experiments.errors import ConfigError, placed
from supra_experiments.sweep.cells import Cell, Resources
from supra_experiments.sweep.estimate import Estimate, estimate, run_seconds
from supra_experiments.sweep.plan import SweepResult
from supra_experiments.sweep.progress import SweepProgress
from supra_experiments.sweep.spec import SweepSpec

_RUN_OPTIONS = ("storage_path", "address", "resume", "max_failures", "max_concurrent", "data_root")
"""Those that the sweep takes as they are given."""

Spec = Annotated[
    str,
    argument(
        "SPEC",
        "A TOML file, or a preset: [cyan]quick[/] (enron10, one seed), [cyan]grid-default[/] (all 336 "
        "cells, five seeds, default settings) or [cyan]paper[/] (a Bayesian search in each first).",
    ),
]
DryRun = Annotated[
    bool, flag("Check the file, print its cells and how long they take, and stop.", "--dry-run")
]
Resume = Annotated[
    bool,
    flag(
        "Go on after whatever stopped the sweep: finished runs are kept, others go on from their "
        "checkpoints. The file may have changed; what is new is run, and what it dropped is said.",
        "--resume",
    ),
]
StoragePath = Annotated[
    str,
    option(
        "FOLDER",
        "Where records and checkpoints go, in a folder of the sweep's name; on a cluster a folder that "
        "every node sees, or a URI that Ray's storage takes.",
    ),
]
Address = Annotated[
    str | None,
    maybe(
        "ADDRESS",
        "A Ray cluster to join, from one of its machines: [cyan]auto[/] or [cyan]host:port[/]; else one "
        "is started here, for this sweep.",
    ),
]
CpusPerTrial = Annotated[
    str | None,
    maybe(
        "N,…", "Processors of a trial, also by model: [cyan]1,slate=2[/].  [dim](default: the file's, 1)[/]"
    ),
]
GpusPerTrial = Annotated[
    str | None,
    maybe(
        "N,…",
        "GPUs of a trial; a fraction lets trials share one: [cyan]0.25,slate=1[/].  [dim](default: the "
        "file's, 0)[/]",
    ),
]
Pack = Annotated[
    str | None,
    maybe(
        "N",
        "Runs of one dataset, model and shape that are trained as one, at most: other seeds, encodings, "
        "rates. [cyan]auto[/] goes by memory and leaves no core without work, [cyan]1[/] trains each alone. "
        "What comes out is the same to rounding.  [dim](default: the file's, auto)[/]",
    ),
]
MaxFailures = Annotated[int, option("N", "How often a run that fails is tried again.")]
MaxConcurrent = Annotated[
    int | None, maybe("N", "Trials at a time at most.  [dim](default: all that fit)[/]")
]


def sweep(
    spec: Spec,
    dry_run: DryRun = False,
    resume: Resume = False,
    storage_path: StoragePath = "sweeps",
    address: Address = None,
    cpus_per_trial: CpusPerTrial = None,
    gpus_per_trial: GpusPerTrial = None,
    pack: Pack = None,
    max_failures: MaxFailures = 2,
    max_concurrent: MaxConcurrent = None,
    data_root: DataRoot = None,
    json: Json = False,
) -> None:
    """Run every cell of a study: each dataset, model, encoding and kind of features, with every seed.

    The same command runs on two cores or on a cluster. A finished run is one line of [cyan]records.jsonl[/],
    on the disk before anything else happens: stop the sweep however you like, give the same command with
    [cyan]--resume[/], and it goes on.

    A file says what to run:

    [cyan]name = "mine"[/]
    [cyan]datasets = \\["enron10", "edges.csv"][/]
    [cyan]models = \\["htgn", "grugcn"][/]
    [cyan]encodings = \\["none", "slpe-i"][/]
    [cyan]features = \\["one-hot", "zeros"][/]
    [cyan]seeds = 5[/]

    With [cyan]mode = "search"[/] and a table [cyan]\\[search][/] each cell is first searched for the settings
    that are best on validation or training data, never on test data.

    Examples: [cyan]supra sweep quick --dry-run[/], [cyan]supra sweep mine.toml[/] and on a cluster
    [cyan]supra sweep paper --address auto --gpus-per-trial 0.5 --storage-path /shared/sweeps[/]

    The exit code is 0 if every cell has a record, 1 if one is empty, 2 for a mistake, 130 when stopped.
    """
    given = dict(locals())
    chosen = _packed(SweepSpec.read(spec), pack)
    resources = _resources(chosen.resources, cpus_per_trial, gpus_per_trial)
    check_count("max_failures", max_failures, minimum=0)
    if max_concurrent is not None:
        check_count("max_concurrent", max_concurrent)
    numbers = estimate(chosen, num_cores(), resources)
    if dry_run:
        if json:
            print_json(dry_run_json(chosen, numbers))
        else:
            print_dry_run(chosen, numbers)
        return
    again = _command(given)
    options = {name: given[name] for name in _RUN_OPTIONS}
    result = _watched(chosen, _progress(chosen, numbers), again, resources=resources, **options)
    if json:
        print_json(result_json(chosen, result))
    else:
        print_result(chosen, result)
        if result.failures:
            print(f"To try again what failed: {again}")
    if result.empty_cells:
        raise typer.Exit(1)


def _watched(spec: SweepSpec, progress: SweepProgress, again: str, **options: Any) -> SweepResult:
    """The sweep, shown while it runs; where it does not come to its end, how to go on is told."""
    try:
        with shown(spec.name, progress):
            return _run(spec, progress=progress, **options)
    except KeyboardInterrupt:
        tell("stopped; everything that was finished is kept. To go on:")
        tell(f"  {again}")
        raise typer.Exit(130) from None
    except Exception:
        if progress.snapshot().num_done:
            tell(f"everything that was finished is kept. To go on: {again}")
        raise


def _run(spec: SweepSpec, **options: Any) -> SweepResult:
    """Ray is imported when it is needed: that takes a while, and a mistake should be told at once."""
    keep_to_this_machine(options["address"])
    from supra_experiments.sweep.ray.run import run_sweep

    return run_sweep(spec, **options)


def _progress(spec: SweepSpec, numbers: Estimate) -> SweepProgress:
    """Runs weigh what they take; those that were never measured, as much as the others on average."""
    num_unknown = sum(numbers.unknown.values())
    num_known = numbers.num_runs + numbers.num_searches - num_unknown
    mean = numbers.core_seconds / num_known if num_known else 1.0
    return SweepProgress(
        numbers.num_runs + numbers.num_searches,
        weigh=lambda run: run_seconds(run, numbers.packs.get(Cell.of(run), 1)) or mean,
        weight_total=numbers.core_seconds + mean * num_unknown,
        selection=spec.selection,
    )


def _packed(spec: SweepSpec, pack: str | None) -> SweepSpec:
    """The sweep with the option in place of the file's entry."""
    if pack is None:
        return spec
    return replace(spec, pack=int(pack) if pack.isdecimal() else pack)


def _resources(own: Resources, cpus: str | None, gpus: str | None) -> Resources:
    """The file's resources with those of the options in their place."""
    table = own.to_plain()
    for name, text in (("cpus", cpus), ("gpus", gpus)):
        if text is not None:
            with placed(f"--{name}-per-trial {text}: "):
                _put(table, name, text)
                own = Resources.from_plain(table)
    return own


def _put(table: dict[str, Any], name: str, text: str) -> None:
    """Write what an option says into a table of resources; what it says of all models before the rest."""
    for part in sorted(text.split(","), key=lambda part: "=" in part):
        model, sign, value = part.strip().rpartition("=")
        if sign and model not in LEARNED:
            raise ConfigError(f"{model!r} must be one of {', '.join(LEARNED)}")
        try:
            number = float(value)
        except ValueError:
            raise ConfigError("must be a number, or MODEL=NUMBER, or several") from None
        by_model = [own for own in table.values() if isinstance(own, dict)]
        for place in [table.setdefault(model, {})] if sign else [table, *by_model]:
            place[name] = number


def _command(given: Mapping[str, Any]) -> str:
    """The command that goes on, ready for a shell: what was given, as far as it is not the default."""
    usual = inspect.signature(sweep).parameters
    words = ["supra", "sweep", given["spec"], "--resume"]
    for name, value in given.items():
        if name not in ("spec", "resume") and value != usual[name].default:
            words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return shlex.join(words)
