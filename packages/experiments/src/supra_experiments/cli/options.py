"""The arguments of commands: those that several share, and those that are settings of a run."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from supra_experiments.config import SETTINGS, Config

DEFAULTS = Config().resolved().values()
"""What settings are where nobody says anything."""


def argument(metavar: str, text: str) -> Any:
    """What a command cannot do without."""
    return typer.Argument(metavar=metavar, help=text, show_default=False)


def option(metavar: str, text: str, *flags: str, **more: Any) -> Any:
    """An option with a value; its default is shown."""
    return typer.Option(*flags, metavar=metavar, help=text, **more)


def maybe(metavar: str, text: str, *flags: str) -> Any:
    """An option that may be left out; its text says what is done then."""
    return typer.Option(*flags, metavar=metavar, help=text, show_default=False)


def flag(text: str, *flags: str) -> Any:
    """An option that is on or off."""
    return typer.Option(*flags, help=text)


def number_of(text: str, least: int = 1) -> Any:
    """An option that is a count."""
    return option("N", text, min=least)


def _marked(text: str) -> str:
    """The help of a setting, with the names that may be typed in colour."""
    return re.sub(r"``(.+?)``", r"[cyan]\1[/]", text)


def _setting(name: str, metavar: str | None = None, *flags: str) -> Any:
    """The option of a setting, explained in the setting's own words."""
    return typer.Option(*flags, metavar=metavar, help=_marked(SETTINGS[name].help))


def _setting_or_not(name: str, metavar: str, *flags: str, more: str = "") -> Any:
    """The same for one that a file of settings may give as well, so that its default is not the option's."""
    text = f"{_marked(SETTINGS[name].help)}{more}  [dim](default: {DEFAULTS[name]})[/]"
    return maybe(metavar, text, *flags)


GRAPH = "A dataset ([cyan]demo, enron10, dblp, as733, canparl[/]) or your own edge list"
GraphArgument = Annotated[
    str,
    argument(
        "GRAPH",
        f"{GRAPH}: a CSV or Parquet file with the columns [cyan]source, target, time[/] and maybe "
        "[cyan]weight[/].",
    ),
]
DataRoot = Annotated[
    Path | None,
    maybe(
        "FOLDER", "The folder of the published datasets; else [cyan]SUPRA_DATA[/], else your cache folder."
    ),
]
Snapshots = Annotated[
    int | None,
    maybe("N", "Put the times of your file into N snapshots of equal width; else each distinct time is one."),
]
Every = Annotated[
    str | None,
    maybe(
        "STEP",
        "Put the dates of your file into snapshots of the calendar: one every [cyan]hour, day, week, "
        "month, quarter[/] or [cyan]year[/].",
    ),
]
Unit = Annotated[
    str | None, maybe("UNIT", "The times of your file are Unix times in [cyan]s, ms, us[/] or [cyan]ns[/].")
]
PageFolder = Annotated[Path, option("FOLDER", "Where the page and the files go.", "--output", "-o")]
Json = Annotated[bool, flag("JSON on standard output, nothing else.", "--json")]

# ── encodings ──────────────────────────────────────────────────────────────────────────────────────────────

Pe = Annotated[str, _setting("pe", "PE")]
K = Annotated[int, _setting("k", "N", "--k")]
Window = Annotated[int, option("N", "Snapshots that one encoding looks at.")]
Coupling = Annotated[float, _setting("coupling", "μ")]
Normalization = Annotated[str, _setting("normalization", "NAME")]
Align = Annotated[str, _setting("align", "NAME")]
Absent = Annotated[str | None, maybe("NAME", _marked(SETTINGS["absent"].help))]
Scale = Annotated[
    str,
    option(
        "NAME", "[cyan]rows[/]: entries of about 1 whatever the graph's size; [cyan]none[/]: unit vectors."
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
    maybe(
        "N",
        "With [cyan]--init previous[/]: every Nth window starts anew, so that the stretches between can "
        "be computed apart; else every 16th.",
    ),
]
EncodingOutput = Annotated[Path, option("FILE", "A .parquet or .csv file.", "--output", "-o")]
Address = Annotated[
    str | None,
    maybe(
        "ADDRESS",
        "Spread the windows over all cores of this machine ([cyan]local[/]) or a Ray cluster: "
        "[cyan]auto[/] (the one that runs on it), [cyan]host:port[/] or [cyan]ray://host:port[/]; else one "
        "core computes them. The file is the same.",
    ),
]

# ── runs ───────────────────────────────────────────────────────────────────────────────────────────────────

_SEVERAL = " Several with commas between, or [cyan]all[/]."
MaybeGraph = Annotated[str | None, argument("GRAPH", f"{GRAPH}.")]
Models = Annotated[str | None, _setting_or_not("model", "NAME,…", "--model", more=_SEVERAL)]
Pes = Annotated[
    str | None,
    maybe(
        "PE,…",
        _marked(SETTINGS["pe"].help) + _SEVERAL + "  [dim](default: none and slpe-e, side by side)[/]",
        "--pe",
    ),
]
Features = Annotated[str | None, _setting_or_not("features", "NAME,…", more=_SEVERAL)]
Seeds = Annotated[int, option("N", "Runs of each variant, seeds 0 … N−1.")]
Epochs = Annotated[int | None, _setting_or_not("max_epochs", "N", "--epochs")]
Device = Annotated[str | None, _setting_or_not("device", "NAME")]
Negatives = Annotated[str | None, _setting_or_not("negatives", "NAME")]
Protocol = Annotated[str | None, _setting_or_not("protocol", "NAME")]
DecoderOption = Annotated[
    str | None,
    maybe(
        "NAME",
        _marked(SETTINGS["decoder"].help)
        + " [cyan]history[/] adds what the pair's past says to the model's own.",
        "--decoder",
    ),
]
TrainNegatives = Annotated[str | None, _setting_or_not("train_negatives", "NAME")]
Follow = Annotated[
    bool | None,
    typer.Option("--follow/--no-follow", help=_marked(SETTINGS["follow"].help), show_default=False),
]
ConfigFile = Annotated[Path | None, maybe("FILE", "Settings in TOML; options here win over it.")]
Settings = Annotated[
    list[str] | None,
    maybe(
        "KEY=VALUE",
        "Any setting of a run, e.g. [cyan]--set lr=0.001 --set k=16[/]; [cyan]--show-config[/] lists them.",
        "--set",
    ),
]
Records = Annotated[
    Path | None,
    maybe(
        "FILE",
        "Add each run's record to this file of JSON lines. Run the same command again after a kill: "
        "finished runs are taken from there, the others go on from their checkpoints beside it.",
        "--output",
        "-o",
    ),
]
ShowConfig = Annotated[bool, flag("Print the settings as TOML, do not train.", "--show-config")]

# ── advice ─────────────────────────────────────────────────────────────────────────────────────────────────

AdviceModel = Annotated[
    str | None,
    maybe(
        "NAME", "Only this model: [cyan]egcn, grugcn, htgn, slate[/]; else the model is part of the advice."
    ),
]
AdviceFeatures = Annotated[str | None, maybe("NAME", "Only these: [cyan]one-hot, random, zeros[/].")]
AdviceRuns = Annotated[
    list[Path] | None,
    maybe(
        "FILE",
        "Records of your own runs, of this graph or of others, as [cyan]supra train -o[/] writes "
        "them; may be given several times.",
    ),
]
Why = Annotated[bool, flag("Show the evidence, and what the rule is worth.", "--why")]

# ── checks ─────────────────────────────────────────────────────────────────────────────────────────────────

FewestK = Annotated[
    int | None,
    maybe("N", f"Eigenvectors; else {DEFAULTS['k']}, or fewer on a graph that has no more.", "--k"),
]
Tolerance = Annotated[float, option("X", "The residual norm asked for.")]
SpectrumPlot = Annotated[
    Path | None, maybe("FILE", "Draw eigenvalues, gaps and groups to a .png, .svg or .pdf file.")
]

# ── benchmarks ─────────────────────────────────────────────────────────────────────────────────────────────

BenchOutput = Annotated[
    Path, option("FOLDER", "Where the JSON and the figures go.", "--output", "-o", file_okay=False)
]
BenchGraph = Annotated[
    str, typer.Argument(metavar="[GRAPH]", help="A dataset or an edge list, as in [cyan]supra encode[/].")
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
BenchModels = Annotated[str, option("NAME,…", "Which models.")]
BenchModel = Annotated[str, option("NAME", "What is trained.")]
BenchPe = Annotated[str, option("NAME", "The encoding that models get.")]
BenchEpochs = Annotated[int, option("N", "Epochs of a run, or to time.")]
BenchInit = Annotated[str, option("NAME", "[cyan]normal[/] or from the [cyan]previous[/] window.")]
Repeats = Annotated[int, option("N", "Rounds in which the tools take turns.", min=1)]
Seed = Annotated[int, option("N", "Of everything that is drawn.", min=0)]
Sizes = Annotated[str | None, maybe("N,N,…", "Nodes of the generated graphs; else those named above.")]
Methods = Annotated[str | None, maybe("NAME,…", "Only these, by the names in the table; else all.")]
Quick = Annotated[bool, flag("Small graphs, one round: done within two minutes.", "--quick")]
PublishedToo = Annotated[bool, flag("Also the published datasets that are here.")]
Limit = Annotated[
    float, option("S", "Seconds; what takes longer is given up, and not tried on larger graphs.")
]
