"""How figures look: two themes, and a colour, mark and line of its own for everything that is drawn.

Colours are those of Okabe and Ito, which people with any kind of colour vision tell apart, in shades that
stand out from the background of their theme. Nothing is told by colour alone: within each group below, marks
or lines differ as well, so that a print without colour says the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from supra_experiments.errors import ExperimentError

WIDTH = 5.6
"""Inches of every figure: on a phone of 380 pixels its text is then still about as large as small print."""

TEXT, SMALL, TITLE = 9.5, 9.0, 11.0
"""Sizes of text, in points."""

Line = str | tuple[int, tuple[float, ...]]


@dataclass(frozen=True)
class Theme:
    """The colours of one theme.

    Attributes:
        name: ``light`` or ``dark``.
        background: of the page; SVG files are transparent, PNG files have it.
        ink: text and whatever matters most.
        faint: axes and lines that stay behind.
        shade: areas.
        colours: by name.
    """

    name: str
    background: str
    ink: str
    faint: str
    shade: str
    colours: Mapping[str, str]

    def colour(self, name: str) -> str:
        """One of the colours, or ``ink`` or ``faint``."""
        return str({"ink": self.ink, "faint": self.faint}.get(name) or self.colours[name])


THEMES = {
    "light": Theme(
        "light", "#ffffff", "#1b2530", "#76828f", "#e4e9ef",
        MappingProxyType(
            {"blue": "#0072b2", "red": "#d55e00", "green": "#00875f", "purple": "#a8457c", "amber": "#9a6a00"}
        ),
    ),
    "dark": Theme(
        "dark", "#1a222b", "#e3e8ee", "#8f9caa", "#35414d",
        MappingProxyType(
            {"blue": "#56b4e9", "red": "#ff8a3d", "green": "#2fc49a", "purple": "#e59bc6", "amber": "#e6b800"}
        ),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Look:
    """How one thing is drawn wherever it appears.

    Attributes:
        label: its name for people.
        colour: a name of :attr:`Theme.colours`, ``ink`` or ``faint``.
        marker: Matplotlib's name of the mark.
        line: Matplotlib's name, or pattern, of the line.
        filled: whether the mark is.
    """

    label: str
    colour: str
    marker: str = "o"
    line: Line = "-"
    filled: bool = True

    def marks(self, theme: Theme, size: float = 6.0) -> dict[str, Any]:
        """The arguments of ``Axes.plot`` for marks without a line."""
        colour = theme.colour(self.colour)
        return {
            "marker": self.marker,
            "markersize": size,
            "markerfacecolor": colour if self.filled else theme.background,
            "markeredgecolor": colour,
            "markeredgewidth": 1.4,
            "color": colour,
            "linestyle": "none",
            "label": self.label,
        }

    def curve(self, theme: Theme, size: float = 5.0) -> dict[str, Any]:
        """The arguments of ``Axes.plot`` for marks joined by a line."""
        return self.marks(theme, size) | {"linestyle": self.line, "linewidth": 1.6}


DASHED: Line = (0, (5.0, 2.0))
DOTTED: Line = (0, (1.2, 1.6))
DASH_DOT: Line = (0, (6.0, 2.0, 1.2, 2.0))
LONG: Line = (0, (10.0, 3.0))

# The family is told by colour and by filling (SLPE is filled), the way of solving by the shape.
VARIANTS = {
    "none": Look("none", "ink", "X"),
    "lpe-e": Look("LPE-E", "red", "o", filled=False),
    "lpe-i": Look("LPE-I", "red", "s", filled=False),
    "lpe-t": Look("LPE-T", "red", "^", filled=False),
    "slpe-e": Look("SLPE-E", "blue", "o"),
    "slpe-i": Look("SLPE-I", "blue", "s"),
    "slpe-t": Look("SLPE-T", "blue", "^"),
}
METHODS = {
    "full": Look("all eigenpairs (dense)", "faint", "D", DASH_DOT),
    "arpack-1e-6": Look("Lanczos, 10⁻⁶", "red", "s", DASHED),
    "arpack-1e-3": Look("Lanczos, 10⁻³", "red", "s", DASHED, filled=False),
    "lobpcg-20": Look("LOBPCG, 20 steps", "green", "^", DOTTED),
    "scipy-lobpcg-20": Look("LOBPCG of SciPy, 20 steps", "amber", "v", DOTTED),
    "davidson-1e-6": Look("Davidson, 10⁻⁶", "blue", "o", "-"),
    "davidson-1e-3": Look("Davidson, 10⁻³", "blue", "o", LONG, filled=False),
    "primme-1e-6": Look("PRIMME, 10⁻⁶", "purple", "P", LONG),
    "primme-1e-3": Look("PRIMME, 10⁻³", "purple", "P", LONG, filled=False),
    "torch-lobpcg-20": Look("LOBPCG of PyTorch, 20 steps", "amber", "<", DASHED, filled=False),
    "pyg": Look("PyG", "purple", "h", DASH_DOT),
}
DATASETS = {
    "enron10": Look("enron10", "blue", "o"),
    "dblp": Look("dblp", "red", "s", filled=False),
    "canparl": Look("canparl", "green", "^"),
    "as733": Look("as733", "purple", "D", filled=False),
}
UNLEARNED = {
    "edgebank": Look("edgebank", "faint", "", DASHED),
    "degree": Look("degree", "faint", "", DASH_DOT),
    "count": Look("count", "faint", "", "-"),
    "neighbours": Look("neighbours", "faint", "", DOTTED),
}
GROUPS = {"variants": VARIANTS, "methods": METHODS, "datasets": DATASETS, "unlearned": UNLEARNED}
_SPARE = (("amber", "P"), ("green", "v"), ("purple", "h"), ("amber", "X"), ("green", "*"), ("purple", "<"))


def look(group: str, name: str, position: int = 0) -> Look:
    """How something of a group is drawn; what the group does not know gets a look by its position."""
    known = GROUPS[group].get(name)
    if known is not None:
        return known
    colour, marker = _SPARE[position % len(_SPARE)]
    return Look(name, colour, marker, DASHED)


def theme_of(name: str) -> Theme:
    """A theme by its name."""
    if name not in THEMES:
        raise ExperimentError(f"theme={name!r}: must be one of {', '.join(THEMES)}")
    return THEMES[name]


def settings(theme: Theme) -> dict[str, Any]:
    """Matplotlib's settings while a figure is drawn."""
    return {
        "font.family": "DejaVu Sans",
        "font.size": TEXT,
        "text.color": theme.ink,
        "figure.facecolor": theme.background,
        "axes.facecolor": "none",
        "axes.edgecolor": theme.faint,
        "axes.labelcolor": theme.ink,
        "axes.labelsize": TEXT,
        "axes.titlesize": TEXT,
        "axes.titlecolor": theme.ink,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "xtick.color": theme.faint,
        "ytick.color": theme.faint,
        "xtick.labelcolor": theme.ink,
        "ytick.labelcolor": theme.ink,
        "xtick.labelsize": SMALL,
        "ytick.labelsize": SMALL,
        "grid.color": theme.shade,
        "grid.linewidth": 0.8,
        "legend.frameon": False,
        "legend.fontsize": SMALL,
        "legend.labelcolor": theme.ink,
        "legend.handlelength": 2.6,
        "lines.solid_capstyle": "round",
    }
