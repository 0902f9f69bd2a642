"""The study: tables, tests and claims from run records, beside the paper's own figures."""

from supra_experiments.analysis.compare import agreement, compare, matching
from supra_experiments.analysis.frame import cells, paper_cells, runs
from supra_experiments.analysis.table import Score, Table
from supra_experiments.analysis.tables import all_tables

__all__ = [
    "Score",
    "Table",
    "agreement",
    "all_tables",
    "cells",
    "compare",
    "matching",
    "paper_cells",
    "runs",
]
