"""THE reader and writer of edge lists: delimited text and Parquet, names and times included."""

from supra_core.io.names import PARQUET_SUFFIXES, SUFFIXES, TEXT_SUFFIXES, is_edge_file
from supra_core.io.write import write_edges

__all__ = ["PARQUET_SUFFIXES", "SUFFIXES", "TEXT_SUFFIXES", "is_edge_file", "write_edges"]
