"""Tables as Markdown and as LaTeX."""

import math
from collections.abc import Iterable

from supra_experiments.analysis.table import Score, Table, Value

MISSING = "–"
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "−": "$-$",
    "–": "--",
    "Δ": r"$\Delta$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    "χ": r"$\chi$",
    "²": r"$^2$",
    "…": r"\ldots{}",
}
# First, second and third differ without colour, too.
_LATEX_MARKS = {1: r"\textbf{%s}", 2: r"\underline{%s}", 3: r"\textit{%s}"}


def number(value: float, digits: int) -> str:
    """A figure with a real minus sign; a dash where it is unknown, and no minus before zero.

    Example:
        >>> number(-0.3, 2), number(float("nan"), 2), number(-0.001, 2)
        ('−0.30', '–', '0.00')
    """
    if math.isnan(value):
        return MISSING
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def plain(value: Value, digits: int = 2) -> str:
    """A value as text, without its mark.

    Example:
        >>> plain(Score(91.536, 0.69, rank=1)), plain(5), plain("EGCN")
        ('91.54 ± 0.69', '5', 'EGCN')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Score):
        spread = "" if math.isnan(value.std) else f" ± {number(value.std, digits)}"
        return number(value.mean, digits) + spread
    return number(value, digits) if isinstance(value, float) else str(value)


def to_markdown(table: Table) -> str:
    """A Markdown table: title, rows, note. First, second and third carry (1), (2), (3), the first is bold.

    Example:
        >>> table = Table("t", "Two models", ("model", "AUC"), (("EGCN", Score(90.0, rank=1)),), "One run.")
        >>> print(to_markdown(table))
        **Two models**
        <BLANKLINE>
        | model | AUC |
        | :--- | ---: |
        | EGCN | **90.00** (1) |
        <BLANKLINE>
        One run.
        <BLANKLINE>
    """
    lines = [_markdown_row(table.columns), "| " + " | ".join(_alignments(table, ":---", "---:")) + " |"]
    lines += [_markdown_row([_markdown(value, table.digits) for value in row]) for row in table.rows]
    parts = [f"**{table.title}**", "\n".join(lines)]
    return "\n\n".join([*parts, table.note] if table.note else parts) + "\n"


def to_latex(table: Table) -> str:
    r"""A LaTeX table for ``booktabs``; the first is bold, the second underlined, the third in italics.

    Example:
        >>> table = Table("t", "Two models", ("model", "AUC"), (("EGCN", Score(90.0, rank=1)),))
        >>> print(to_latex(table))
        \begin{table}
        \caption{Two models}\label{tab:t}
        \centering
        \begin{tabular}{lr}
        \toprule
        model & AUC \\
        \midrule
        EGCN & \textbf{90.00} \\
        \bottomrule
        \end{tabular}
        \end{table}
        <BLANKLINE>
    """
    note = " " + _escape(table.note) if table.note else ""
    stop = "." if note and not table.title.endswith(".") else ""
    lines = [
        r"\begin{table}",
        rf"\caption{{{_escape(table.title)}{stop}{note}}}\label{{tab:{table.name}}}",
        r"\centering",
        rf"\begin{{tabular}}{{{''.join(_alignments(table, 'l', 'r'))}}}",
        r"\toprule",
        _latex_row(map(_escape, table.columns)),
        r"\midrule",
        *(_latex_row(_latex(value, table.digits) for value in row) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _alignments(table: Table, left: str, right: str) -> list[str]:
    """Text to the left, figures to the right."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    return [left if all(isinstance(value, str) for value in column) else right for column in columns]


def _markdown_row(texts: Iterable[str]) -> str:
    return "| " + " | ".join(text.replace("|", r"\|") for text in texts) + " |"


def _markdown(value: Value, digits: int) -> str:
    text = plain(value, digits)
    if not isinstance(value, Score) or value.rank not in (1, 2, 3):
        return text
    return f"**{text}** (1)" if value.rank == 1 else f"{text} ({value.rank})"


def _latex_row(texts: Iterable[str]) -> str:
    return " & ".join(texts) + r" \\"


def _latex(value: Value, digits: int) -> str:
    text = _escape(plain(value, digits))
    return (
        _LATEX_MARKS[value.rank] % text if isinstance(value, Score) and value.rank in _LATEX_MARKS else text
    )


def _escape(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in text)
