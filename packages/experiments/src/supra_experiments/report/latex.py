"""Tables as LaTeX, with booktabs and longtable."""

from collections.abc import Iterable

from supra_experiments.report.table import Cell, Table

# Characters that mean something to TeX, and those that an 8-bit font does not have.
_CHARACTERS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    # After the end of a row these two would be taken for its options.
    "[": "{[}",
    "*": "{*}",
    "±": r"$\pm$",
    "−": r"$-$",
    "–": "--",
    "—": "---",
    "×": r"$\times$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "≈": r"$\approx$",
    "Δ": r"$\Delta$",
    "χ": r"$\chi$",
    "²": r"$^2$",
    "→": r"$\to$",
    "·": r"$\cdot$",
    "…": r"\ldots{}",
    "’": "'",
    "\u00a0": "~",
    "\u202f": r"\,",
}
_RANKS = ("{}", r"\textbf{{{}}}", r"\underline{{{}}}", r"\textit{{{}}}")

HEADER = r"""% Tables made by `supra report`. To be taken into a document by \input; its preamble needs
%   \usepackage[T1]{fontenc}
%   \usepackage{booktabs,longtable}
% The best of a group is bold, the second underlined, the third in italics.
"""


def escape(text: str) -> str:
    r"""Text that TeX sets as it is; characters outside Latin-1 that it may not have become a question mark.

    Example:
        >>> print(escape("50 % of a_b ± 1"))
        50 \% of a\_b $\pm$ 1
    """
    text = " ".join(text.split())
    return "".join(_CHARACTERS.get(c, c if " " <= c <= "~" or "\xa1" <= c <= "\xff" else "?") for c in text)


def latex_table(table: Table) -> str:
    """One longtable, which breaks over pages where it must."""
    head = " & ".join(escape(column.name) for column in table.columns) + r" \\"
    caption = escape(table.title) + (f". {escape(table.note)}" if table.note else "")
    kinds = [column.kind for column in table.columns]
    align = "".join("r" if kind.number else "p{3cm}" if kind.wrap else "l" for kind in kinds)
    body, learned = [], False
    for row in table.rows():
        if learned and not row.learned:
            body.append(r"\midrule")
        learned = row.learned
        body.append(" & ".join(map(_cell, row.cells)) + r" \\")
    return "\n".join(
        [
            rf"\begin{{longtable}}{{{align}}}",
            rf"\caption{{{caption}}}\label{{tab:{table.name}}}\\",
            *(r"\toprule", head, r"\midrule", r"\endfirsthead"),
            *(r"\toprule", head, r"\midrule", r"\endhead"),
            *(r"\bottomrule", r"\endfoot"),
            *body,
            r"\end{longtable}",
        ]
    )


def latex_tables(tables: Iterable[Table]) -> str:
    """A file to ``\\input``: every table, one after another."""
    return HEADER + "\n" + "\n\n".join(map(latex_table, tables)) + "\n"


def _cell(cell: Cell) -> str:
    """A cell, with its rank as a font."""
    text = _RANKS[cell.rank].format(escape(cell.text))
    return f"{text} {escape(cell.beside)}" if cell.beside else text
