"""The study: averages, tests and claims from run records, beside the paper's own cells, as tidy frames."""

from supra_experiments.analysis.agreement import agreement, compare, matching
from supra_experiments.analysis.frame import cells, paper_cells, runs

__all__ = ["agreement", "cells", "compare", "matching", "paper_cells", "runs"]
