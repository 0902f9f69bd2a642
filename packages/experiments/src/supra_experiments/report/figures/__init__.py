"""The figures of the study: pure functions of data, in two themes, under titles that say the finding."""

from supra_experiments.report.figures.registry import FIGURES, Drawn, FigureSpec, available, draw_figures

__all__ = ["FIGURES", "Drawn", "FigureSpec", "available", "draw_figures"]
