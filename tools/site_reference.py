"""Pages of the site that come from the program itself: its commands and its settings.

``python tools/site_reference.py FOLDER`` writes ``command.md`` and ``settings.md``.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import typer

from supra_core.files import replacing
from supra_experiments.cli.main import app, tidy
from supra_experiments.config.run_config import PARTS

TITLES = {
    "data": "Data",
    "encoding": "Encoding",
    "model": "Model",
    "training": "Training",
}


def commands(command: Any, path: tuple[str, ...] = ("supra",)) -> Iterator[tuple[str, Any]]:
    """Every command that does something, by what one types."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield " ".join(path), command
        return
    for name, child in inner.items():
        if not child.hidden:
            yield from commands(child, (*path, name))


def plain(text: str | None) -> str:
    """Help without the marks for colours; what was coloured is code."""
    text = re.sub(r"\[(?:cyan|bold|dim)\](.*?)\[/[a-z]*\]", r"`\1`", text or "", flags=re.DOTALL)
    return text.replace("\b", "").replace("\\[", "[").strip()


def cell(text: object) -> str:
    """Text that fits into a cell of a table."""
    return re.sub(r"\s+", " ", str(text)).replace("|", "\\|").strip()


def command_page() -> str:
    """The page of the command ``supra``."""
    lines = [
        "# The command",
        "",
        "Made from the help of the command itself: `supra COMMAND --help` prints the same.",
    ]
    for name, command in commands(tidy(typer.main.get_command(app))):
        lines += ["", f"## {name}", "", plain(command.help)]
        rows = [row for parameter in command.params if (row := _row(parameter))]
        if rows:
            lines += ["", "| argument or option | default | what it is |", "| --- | --- | --- |", *rows]
    return "\n".join(lines) + "\n"


def _row(parameter: Any) -> str:
    if getattr(parameter, "hidden", False) or parameter.name == "help":
        return ""
    if parameter.param_type_name == "argument":
        names = f"`{parameter.metavar or parameter.name.upper()}`"
    else:
        names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    default = parameter.default
    silent = default is None or default is False or default == () or callable(default) or default == ""
    shown = "" if silent or "Sentinel" in type(default).__name__ else f"`{default}`"
    return f"| {names} | {cell(shown)} | {cell(plain(getattr(parameter, 'help', '')))} |"


def settings_page() -> str:
    """The page of the settings of a run."""
    lines = [
        "# Settings of a run",
        "",
        "Give them as `--set name=value` to `supra train`, in a file (`--config run.toml`), under "
        "`[fixed]` or `[search]` in a sweep, or to `Config(name=value)` in Python. "
        "This page is made from the declarations that the program checks.",
    ]
    for name, part in PARTS.items():
        lines += [
            "",
            f"## {TITLES[name]}",
            "",
            "| setting | type | default | what it is | only for |",
            "| --- | --- | --- | --- | --- |",
        ]
        for field in fields(part):  # type: ignore[arg-type]  # every part is a dataclass
            known = field.metadata["setting"]
            kind = (getattr(field.type, "__name__", None) or str(field.type)).replace(" | None", "")
            default = field.default if field.default is not None else known.otherwise
            shown = "" if default is None else f"`{default}`"
            for family, own in known.own.items():
                shown += f"{', ' if shown else ''}{family.upper()} `{own}`"
            encodings = ["encodings" if any(pe.endswith("-e") for pe in known.pes) else "inexact encodings"]
            only = ", ".join([*known.models, *(encodings if known.pes else ()), *known.features])
            text = known.help.replace("``", "`")
            lines.append(f"| `{field.name}` | {kind} | {cell(shown)} | {cell(text)} | {only} |")
    return "\n".join(lines) + "\n"


PAGES = {"command.md": command_page, "settings.md": settings_page}


def main(arguments: list[str]) -> None:
    """Write both pages into a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        with replacing(folder / name) as temporary:
            temporary.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
