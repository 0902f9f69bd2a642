"""Temporal graphs by name, from upstream or from the user's own files."""

from supra_experiments.datasets.fetch import data_root, fetch
from supra_experiments.datasets.load import Dataset, load, num_links
from supra_experiments.datasets.registry import DEMO, REGISTRY, Entry, find_entry

__all__ = ["DEMO", "REGISTRY", "Dataset", "Entry", "data_root", "fetch", "find_entry", "load", "num_links"]
