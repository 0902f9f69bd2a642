"""Exhaustive search: censuses of small temporal graphs, and the smallest a test tells apart or misses."""

from wl_tests.search.census import Census, census
from wl_tests.search.smallest_pairs import (
    smallest_merged_pair,
    smallest_separating_pair,
    smallest_spectral_pair,
)

__all__ = ["Census", "census", "smallest_merged_pair", "smallest_separating_pair", "smallest_spectral_pair"]
