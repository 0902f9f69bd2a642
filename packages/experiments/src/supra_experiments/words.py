"""How keys and numbers are written for people, in tables, sentences and titles."""

import math
from collections.abc import Sequence

DASH = "–"
MINUS = "−"

LABELS = {
    "egcn-h": "EGCN",
    "egcn-o": "EGCN-O",
    "grugcn": "GRUGCN",
    "htgn": "HTGN",
    "slate": "SLATE",
    "canparl": "CanParl",
}


def label(name: str) -> str:
    """How a model, a variant or a dataset is written.

    Example:
        >>> [label(name) for name in ("grugcn, history", "slpe-i", "none", "canparl", "count")]
        ['GRUGCN, history', 'SLPE-I', 'none', 'CanParl', 'count']
    """
    first, comma, rest = name.partition(", ")  # a model, and how it differs from the published one
    return name.upper() if name.startswith(("lpe-", "slpe-")) else LABELS.get(first, first) + comma + rest


def number(value: float, digits: int, *, signed: bool = False) -> str:
    """A figure with a real minus sign; a dash where it is unknown, and no sign before zero.

    Example:
        >>> number(-0.3, 2), number(float("nan"), 2), number(-0.001, 2), number(0.3, 1, signed=True)
        ('−0.30', '–', '0.00', '+0.3')
    """
    if not math.isfinite(value):
        return DASH
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    if float(text) == 0:  # neither +0.00 nor -0.00 says anything
        text = text.lstrip("+-")
    return text.replace("-", MINUS)


def points(value: float) -> str:
    """A difference in AUC points, with its sign.

    Example:
        >>> points(-1.234)
        '−1.23'
    """
    return number(value, 2, signed=True)


def p_text(p_value: float) -> str:
    """A p-value: two digits, however small; a dash where there is none.

    Example:
        >>> p_text(0.0312), p_text(2.51e-7), p_text(float("nan"))
        ('0.031', '2.5e-07', '–')
    """
    return f"{p_value:.2g}" if math.isfinite(p_value) else DASH


def known(value: float) -> bool:
    """Whether there is a number."""
    return math.isfinite(value)


def ratio(slow: float, fast: float) -> str:
    """How many times one is the other, to two figures.

    Example:
        >>> ratio(82.0, 2.0), ratio(3.0, 2.0)
        ('41', '1.5')
    """
    value = slow / fast
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}"


def compared(ours: float, theirs: float) -> str:
    """Whether the first time is shorter, longer or the same, and how many times.

    Example:
        >>> compared(1.0, 40.0), compared(3.0, 2.0), compared(1.0, 1.02)
        ('40 times faster than', '1.5 times slower than', 'as fast as')
    """
    if max(ours, theirs) / min(ours, theirs) < 1.05:
        return "as fast as"
    if ours < theirs:
        return f"{ratio(theirs, ours)} times faster than"
    return f"{ratio(ours, theirs)} times slower than"


def listed(names: Sequence[str]) -> str:
    """Names with commas and an "and".

    Example:
        >>> listed(["a"]), listed(["a", "b", "c"])
        ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def capital(text: str) -> str:
    """Text that begins a sentence.

    Example:
        >>> capital("after search")
        'After search'
    """
    return text[:1].upper() + text[1:]


def counted(count: int, noun: str) -> str:
    """So many of them.

    Example:
        >>> counted(1, "cell"), counted(1200, "cell")
        ('1 cell', '1,200 cells')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def percent(part: int, whole: int, digits: int = 0) -> str:
    """A share in percent.

    Example:
        >>> percent(4, 5), percent(2, 3, 1), percent(0, 0)
        ('80 %', '66.7 %', '–')
    """
    return DASH if whole == 0 else f"{100 * part / whole:.{digits}f} %"


def duration(value: float) -> str:
    """A long time in the unit that fits, from seconds.

    Example:
        >>> duration(12.34), duration(600.0), duration(9000.0)
        ('12.3 seconds', '10.0 minutes', '2.5 hours')
    """
    for size, unit in ((3600.0, "hours"), (60.0, "minutes")):
        if value >= 2 * size:
            return f"{value / size:,.1f} {unit}"
    return f"{value:.1f} seconds"


def seconds(value: float) -> str:
    """A time to two figures, in the unit that fits.

    Example:
        >>> seconds(0.0123), seconds(4.5), seconds(250.0)
        ('12 ms', '4.5 s', '250 s')
    """
    if not math.isfinite(value):
        return DASH
    if value < 0.9995:
        return f"{1000 * value:.{0 if value >= 0.00995 else 1}f} ms"
    return f"{value:.1f} s" if value < 9.95 else f"{value:.0f} s"
