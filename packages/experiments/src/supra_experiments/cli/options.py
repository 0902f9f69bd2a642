"""The arguments of commands: those that several share, and those that are settings of a run."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from supra_experiments.config import SETTINGS, Config

DEFAULTS = Config().resolved().values()
"""What settings are where nobody says anything."""


def _marked(text: str) -> str:
    """The help of a setting, with the names that may be typed in colour."""
    return re.sub(r"``(.+?)``", r"[cyan]\1[/]", text)


def _setting(name: str, metavar: str | None = None, *flags: str, more: str = "") -> Any:
    """The option of a setting, explained in the setting's own words."""
    return typer.Option(*flags, metavar=metavar, help=_marked(SETTINGS[name].help) + more)


def _setting_or_not(name: str, metavar: str, *flags: str, more: str = "") -> Any:
    """The same for one that a file of settings may give as well, so that its default is not the option's."""
    text = f"{_marked(SETTINGS[name].help)}{more}  [dim](default: {DEFAULTS[name]})[/]"
    return typer.Option(*flags, metavar=metavar, help=text, show_default=False)


GraphArgument = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        help="A dataset ([cyan]demo, enron10, dblp, as733, canparl[/]) or your own edge list: a CSV or "
        "Parquet file with the columns [cyan]source, target, time[/] and maybe [cyan]weight[/].",
        show_default=False,
    ),
]
DataRoot = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="The folder of the published datasets; else [cyan]SUPRA_DATA[/], else your cache folder.",
        show_default=False,
    ),
]
Snapshots = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Put the times of your file into N snapshots of equal width; else each distinct time is one.",
        show_default=False,
    ),
]
Every = Annotated[
    str | None,
    typer.Option(
        metavar="STEP",
        help="Put the dates of your file into snapshots of the calendar: one every [cyan]hour, day, week, "
        "month, quarter[/] or [cyan]year[/].",
        show_default=False,
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(
        metavar="UNIT",
        help="The times of your file are Unix times in [cyan]s, ms, us[/] or [cyan]ns[/].",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="JSON on standard output, nothing else.")]

# ── encodings ──────────────────────────────────────────────────────────────────────────────────────────────

Pe = Annotated[str, _setting("pe", "PE")]
K = Annotated[int, _setting("k", "N", "--k")]
Window = Annotated[int, typer.Option(metavar="N", help="Snapshots that one encoding looks at.")]
Coupling = Annotated[float, _setting("coupling", "μ")]
Normalization = Annotated[str, _setting("normalization", "NAME")]
Align = Annotated[str, _setting("align", "NAME")]
Absent = Annotated[str, _setting("absent", "NAME")]
Scale = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="[cyan]rows[/]: entries of about 1 whatever the graph's size; [cyan]none[/]: unit vectors.",
    ),
]
Age = Annotated[bool, _setting("with_age", None, "--age/--no-age")]
GlobalNodes = Annotated[bool, _setting("global_nodes")]
DropIsolated = Annotated[bool, _setting("drop_isolated")]
SkipTrivial = Annotated[bool, _setting("skip_trivial")]
Eigenvalues = Annotated[bool, _setting("with_eigenvalues", None, "--eigenvalues/--no-eigenvalues")]
MaxSteps = Annotated[int | None, _setting_or_not("max_steps", "N")]
Init = Annotated[str, _setting("pe_init", "NAME")]
RestartEvery = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="With [cyan]--init previous[/]: every Nth window starts anew, so that the stretches between can "
        "be computed apart; else every 16th.",
        show_default=False,
    ),
]
EncodingOutput = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="A .parquet or .csv file.")
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Spread the windows over all cores of this machine ([cyan]local[/]) or a Ray cluster: "
        "[cyan]auto[/] (the one that runs on it), [cyan]host:port[/] or [cyan]ray://host:port[/]; else one "
        "core computes them. The file is the same.",
        show_default=False,
    ),
]

# ── runs ───────────────────────────────────────────────────────────────────────────────────────────────────

_SEVERAL = " Several with commas between, or [cyan]all[/]."
MaybeGraph = Annotated[
    str | None,
    typer.Argument(
        metavar="GRAPH",
        help="A dataset ([cyan]demo, enron10, dblp, as733, canparl[/]) or your own edge list.",
        show_default=False,
    ),
]
Models = Annotated[str | None, _setting_or_not("model", "NAME,…", "--model", more=_SEVERAL)]
Pes = Annotated[
    str | None,
    typer.Option(
        "--pe",
        metavar="PE,…",
        help=_marked(SETTINGS["pe"].help) + _SEVERAL + "  [dim](default: none and slpe-e, side by side)[/]",
        show_default=False,
    ),
]
Features = Annotated[str | None, _setting_or_not("features", "NAME,…", more=_SEVERAL)]
Seeds = Annotated[int, typer.Option(metavar="N", help="Runs of each variant, seeds 0 … N−1.")]
Epochs = Annotated[int | None, _setting_or_not("max_epochs", "N", "--epochs")]
Device = Annotated[str | None, _setting_or_not("device", "NAME")]
Negatives = Annotated[str | None, _setting_or_not("negatives", "NAME")]
Protocol = Annotated[str | None, _setting_or_not("protocol", "NAME")]
DecoderOption = Annotated[
    str | None,
    typer.Option(
        "--decoder",
        metavar="NAME",
        help=_marked(SETTINGS["decoder"].help)
        + " [cyan]history[/] adds what the pair's past says to the model's own.",
        show_default=False,
    ),
]
TrainNegatives = Annotated[str | None, _setting_or_not("train_negatives", "NAME")]
Follow = Annotated[
    bool | None,
    typer.Option("--follow/--no-follow", help=_marked(SETTINGS["follow"].help), show_default=False),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Settings in TOML; options here win over it.", show_default=False),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Any setting of a run, e.g. [cyan]--set lr=0.001 --set k=16[/]; [cyan]--show-config[/] "
        "lists them.",
        show_default=False,
    ),
]
Records = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Add each run's record to this file of JSON lines. Run the same command again after a kill: "
        "finished runs are taken from there, the others go on from their checkpoints beside it.",
        show_default=False,
    ),
]
ShowConfig = Annotated[bool, typer.Option("--show-config", help="Print the settings as TOML, do not train.")]

# ── advice ─────────────────────────────────────────────────────────────────────────────────────────────────

AdviceModel = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Only this model: [cyan]egcn, grugcn, htgn, slate[/]; else the model is part of the advice.",
        show_default=False,
    ),
]
AdviceFeatures = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Only these: [cyan]one-hot, random, zeros[/].", show_default=False),
]
AdviceRuns = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="Records of your own runs, of this graph or of others, as [cyan]supra train -o[/] writes "
        "them; may be given several times.",
        show_default=False,
    ),
]
Why = Annotated[bool, typer.Option("--why", help="Show the evidence, and what the rule is worth.")]

# ── checks ─────────────────────────────────────────────────────────────────────────────────────────────────

FewestK = Annotated[
    int | None,
    typer.Option(
        "--k",
        metavar="N",
        help=f"Eigenvectors; else {DEFAULTS['k']}, or fewer on a graph that has no more.",
        show_default=False,
    ),
]
Tolerance = Annotated[float, typer.Option(metavar="X", help="The residual norm asked for.")]
SpectrumPlot = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Draw eigenvalues, gaps and groups to a .png, .svg or .pdf file.",
        show_default=False,
    ),
]

# ── benchmarks ─────────────────────────────────────────────────────────────────────────────────────────────

BenchOutput = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="FOLDER", help="Where the JSON and the figures go.", file_okay=False
    ),
]
BenchGraph = Annotated[
    str,
    typer.Argument(metavar="[GRAPH]", help="A dataset or an edge list, as in [cyan]supra encode[/]."),
]
WindowsGraph = Annotated[
    str,
    typer.Argument(
        metavar="[GRAPH]",
        help="A dataset or an edge list, as in [cyan]supra encode[/]; or a generated stream: "
        "[cyan]blocks[/] (members move slowly) or [cyan]power-law[/] (no structure).",
    ),
]
BenchGraphs = Annotated[str, typer.Argument(metavar="[GRAPH,…]", help="Datasets or edge lists.")]
BenchModels = Annotated[str, typer.Option(metavar="NAME,…", help="Which models.")]
BenchModel = Annotated[str, typer.Option(metavar="NAME", help="What is trained.")]
BenchPe = Annotated[str, typer.Option(metavar="NAME", help="The encoding that models get.")]
BenchEpochs = Annotated[int, typer.Option(metavar="N", help="Epochs of a run, or to time.")]
BenchInit = Annotated[
    str, typer.Option(metavar="NAME", help="[cyan]normal[/] or from the [cyan]previous[/] window.")
]
Repeats = Annotated[int, typer.Option(metavar="N", help="Rounds in which the tools take turns.", min=1)]
Seed = Annotated[int, typer.Option(metavar="N", help="Of everything that is drawn.", min=0)]
Sizes = Annotated[
    str | None,
    typer.Option(
        metavar="N,N,…", help="Nodes of the generated graphs; else those named above.", show_default=False
    ),
]
Methods = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,…", help="Only these, by the names in the table; else all.", show_default=False
    ),
]
Quick = Annotated[bool, typer.Option("--quick", help="Small graphs, one round: done within two minutes.")]
PublishedToo = Annotated[bool, typer.Option(help="Also the published datasets that are here.")]
Limit = Annotated[
    float,
    typer.Option(metavar="S", help="Seconds; what takes longer is given up, and not tried on larger graphs."),
]


def flag(what: str) -> Any:
    """An option that is on or off."""
    return typer.Option(help=what)


def number_of(what: str, least: int = 1) -> Any:
    """An option that is a count."""
    return typer.Option(metavar="N", help=what, min=least)
