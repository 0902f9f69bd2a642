"""Help that fits any terminal: paragraphs flow, and flags have no type."""

import inspect
from typing import Any

import typer


def tidy(command: Any) -> Any:
    """A command made by Typer, and all below it, with help as it should read.

    Lines of a docstring end where the source's do; here a paragraph is one line, wrapped by the terminal.
    A flag takes no value, so none is shown.
    """
    context = typer.Context(command)
    command.help = unwrapped(command.help)
    for option in [*command.params, command.get_help_option(context)]:
        if getattr(option, "is_flag", False):
            option.metavar = ""
    for part in getattr(command, "commands", {}).values():
        tidy(part)
    return command


def unwrapped(text: str | None) -> str:
    """Each paragraph as one line.

    Example:
        >>> unwrapped("One\\n    line.\\n\\n    Another.")
        'One line.\\n\\nAnother.'
    """
    paragraphs = inspect.cleandoc(text or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
