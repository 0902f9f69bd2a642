"""Datasets that come with the package: small, freely licensed, and checked whenever they are read."""

from importlib import resources

from supra_core import SupraError, TemporalGraph, read_edges
from supra_experiments.datasets.registry import Entry
from supra_experiments.errors import DatasetError


def read_shipped(entry: Entry) -> TemporalGraph | None:
    """The graph of a dataset that comes with the package; None for those that do not.

    Raises:
        DatasetError: a file that was altered, or is not there: the installation is broken.

    Example:
        >>> from supra_experiments.datasets.registry import REGISTRY
        >>> read_shipped(REGISTRY["enron10"]).num_edges, read_shipped(REGISTRY["as733"])
        (2392, None)
    """
    if not entry.ships:
        return None
    with resources.as_file(resources.files(__package__) / "shipped" / f"{entry.name}.csv.gz") as path:
        try:
            graph = read_edges(path)
        except SupraError as error:
            raise DatasetError(f"{error}; install supra-experiments again") from None
    if graph.digest != entry.graph_digest:
        raise DatasetError(f"{path}: is not what came with the package; install supra-experiments again")
    return graph
