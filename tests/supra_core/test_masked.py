"""A masked array says that some entries are no values: no door may take them for values."""

import numpy as np
import pytest

from supra_core import (
    SupraError,
    TemporalGraph,
    eigenpairs,
    generators,
    laplacian,
    smoothness,
    supra_graph,
    trace_energy,
)

GRAPH = generators.path_layers(3, 2)
IDS = np.array([0, 1, 2])


def masked(values):
    values = np.asarray(values)
    mask = np.zeros(values.shape, dtype=bool)
    mask.flat[-1] = True
    return np.ma.array(values, mask=mask)


DOORS = {
    "source": ("source", IDS, lambda x: TemporalGraph.from_edges(x, IDS, IDS)),
    "target": ("target", IDS, lambda x: TemporalGraph.from_edges(IDS, x, IDS)),
    "time": ("time", IDS, lambda x: TemporalGraph.from_edges(IDS, IDS, x)),
    "weight": ("weight", IDS, lambda x: TemporalGraph.from_edges(IDS, IDS, IDS, x)),
    "float weight": ("weight", IDS / 2, lambda x: TemporalGraph.from_edges(IDS, IDS, IDS, x)),
    "timestamp": ("timestamp", IDS, lambda x: TemporalGraph.from_events(IDS, IDS, x, width=1)),
    "x0": ("x0", np.ones(3), lambda x: eigenpairs(np.eye(3), 1, x0=x)),
    "adjacency": ("adjacency", np.ones((2, 2)), laplacian),
    "adjacency by rows": ("adjacency", np.ones((2, 2)), lambda x: laplacian([x[0], x[1]])),
    "matrix": ("matrix", np.eye(3), lambda x: eigenpairs(x, 1)),
    "matrix of energy": ("matrix", np.eye(6), lambda x: trace_energy(x, np.ones(6))),
    "X of energy": ("X", np.ones(6), lambda x: trace_energy(np.eye(6), x)),
    "X": ("X", np.ones((6, 2)), lambda x: smoothness(GRAPH, x)),
    "rows": ("rows", np.ones(8), supra_graph(GRAPH).scatter),
    "layers": ("layers", np.ones((2, 3)), supra_graph(GRAPH).gather),
}


@pytest.mark.parametrize(("name", "values", "call"), DOORS.values(), ids=DOORS)
def test_masked_entries_are_refused(name, values, call):
    call(values)
    call(np.ma.array(values))  # nothing is masked: nothing is lost
    with pytest.raises(SupraError, match=f"(?s){name}=.*: must be free of masked entries"):
        call(masked(values))
