"""The figures of the study: pure functions of data, in two themes, under titles that say the finding."""

from supra_experiments.report.figures.canvas import save, svg
from supra_experiments.report.figures.registry import FIGURES, Drawn, FigureData, FigureSpec, available

__all__ = ["FIGURES", "Drawn", "FigureData", "FigureSpec", "available", "save", "svg"]
