"""The study: tables, tests and claims from run records, beside the paper's own figures."""

from supra_experiments.analysis.frame import cells, paper_cells, runs

__all__ = ["cells", "paper_cells", "runs"]
