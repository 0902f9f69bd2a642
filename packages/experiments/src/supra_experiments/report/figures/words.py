"""Numbers in words, for titles that follow the data."""

import math
from collections.abc import Sequence


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


def signed(value: float, digits: int = 1) -> str:
    """A number with its sign; what rounds to nothing has none.

    Example:
        >>> signed(1.26), signed(-0.5), signed(-0.01)
        ('+1.3', '−0.5', '0.0')
    """
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return text
    return ("−" if value < 0 else "+") + text


def listed(names: Sequence[str]) -> str:
    """Names with commas and an "and".

    Example:
        >>> listed(["a"]), listed(["a", "b", "c"])
        ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


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
    return "–" if whole == 0 else f"{100 * part / whole:.{digits}f} %"


def seconds(value: float) -> str:
    """A time to two figures, in the unit that fits.

    Example:
        >>> seconds(0.0123), seconds(4.5), seconds(250.0)
        ('12 ms', '4.5 s', '250 s')
    """
    if not math.isfinite(value):
        return "–"
    if value < 0.9995:
        return f"{1000 * value:.{0 if value >= 0.00995 else 1}f} ms"
    return f"{value:.1f} s" if value < 9.95 else f"{value:.0f} s"
