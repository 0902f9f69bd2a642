"""The study: averages, tests and claims from run records, beside the paper's own cells, as tidy frames."""

from supra_experiments.analysis.agreement import agreement, compare, matching
from supra_experiments.analysis.frame import cells, paper_cells, runs
from supra_experiments.analysis.sides import main_side, sides

__all__ = ["agreement", "cells", "compare", "main_side", "matching", "paper_cells", "runs", "sides"]
