"""Rows of text as aligned columns."""

from collections.abc import Sequence


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns two spaces apart; the first ``left`` lean to the left, figures to the right.

    Example:
        >>> print(text_table(("tool", "ms"), [("ours", "9.5"), ("theirs", "120.0")]))
        tool       ms
        ours      9.5
        theirs  120.0
    """
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    lines = []
    for row in (head, *rows):
        cells = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
