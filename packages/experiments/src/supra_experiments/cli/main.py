"""The command itself: its parts put together, its errors made readable."""

import inspect
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from supra_core import SupraError
from supra_experiments import __version__
from supra_experiments.cli import (
    advise,
    bench,
    bench_others,  # noqa: F401  adds its commands to bench
    bench_solvers,  # noqa: F401
    check,
    data,
    demo,
    encode,
    report,
    sweep,
    train,
    wl,
)
from supra_experiments.cli.output import note

app = typer.Typer(
    name="supra",
    help="Positional encodings for temporal graphs: compute them, train with them, see what they bring.\n\n"
    "Start with [cyan]supra demo[/]; then [cyan]supra encode[/] or [cyan]supra train[/] a graph of your own.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command()(demo.demo)
app.add_typer(data.app, name="data")
app.command()(encode.encode)
app.command()(advise.advise)
app.command()(train.train)
app.command()(sweep.sweep)
app.command()(wl.wl)
app.command()(check.check)
app.add_typer(bench.app, name="bench")
app.command()(report.report)


def _version(asked: bool) -> None:
    if asked:
        print(f"supra {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="The version, and no more.")
    ] = False,
) -> None:
    """Options of the command as a whole."""


def tidy(command: Any) -> Any:
    """A command made by Typer, and all below it, with help as it should read.

    Lines of a docstring end where the source's do; here a paragraph is one line, wrapped by the terminal.
    A flag takes no value, so none is shown.
    """
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    for option in [*command.params, command.get_help_option(typer.Context(command))]:
        if getattr(option, "is_flag", False):
            option.metavar = ""
    for part in getattr(command, "commands", {}).values():
        tidy(part)
    return command


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0, 2 for a mistake that one line explains, 130 when stopped.

    Args:
        arguments: what follows ``supra``; the process's own where not given.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    command = tidy(typer.main.get_command(app))
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _teller_of_warnings()
            code = command(args=given, prog_name="supra", standalone_mode=False)
    except typer.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        return 0
    except Exception as error:
        line = _one_line(error)
        if line is None:
            raise
        print(line, file=sys.stderr)
        return 2
    return code if isinstance(code, int) else 0


def _teller_of_warnings() -> Callable[..., None]:
    """Shows each warning as one line on the side, without the place in the source, and the same one once."""
    told: set[str] = set()

    def tell(message: Warning | str, *_: Any, **__: Any) -> None:
        line = f"warning: {' '.join(str(message).split())}"
        if line not in told:
            told.add(line)
            note(line)

    return tell


def _one_line(error: Exception) -> str | None:
    """What to tell the user; None for an error that is ours and not theirs."""
    if hasattr(error, "format_message"):  # the command line could not be understood
        message = str(error.format_message())
        if type(error).__name__ == "NoArgsIsHelpError":
            return message
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "supra"
        return f"error: {' '.join(message.split())} (see {path} --help)"
    # The models have their own ValueErrors, and importing them here would import PyTorch.
    if isinstance(error, SupraError) or type(error).__module__.split(".")[0] == "tgnn_models":
        return f"error: {' '.join(str(error).split())}"
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"error: {place}{error.strerror or error}"
    return None


if __name__ == "__main__":
    sys.exit(main())
