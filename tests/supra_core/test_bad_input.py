"""Graphs that are none: the error names the argument, its value and what is allowed."""

import numpy as np
import pytest

from supra_core import (
    InvalidArgumentError,
    InvalidGraphError,
    TemporalGraph,
    generators,
    layer_graph,
    supra_graph,
)

GRAPH = generators.path_layers(3, 2)
edges = TemporalGraph.from_edges
events = TemporalGraph.from_events

NO_GRAPH = {
    "negative source": (lambda: edges([0, -1], [1, 2], [0, 0]), "source[1]=-1: must be an integer >= 0"),
    "negative target": (lambda: edges([0], [-5], [0]), "target[0]=-5: must be an integer >= 0"),
    "negative time": (lambda: edges([0], [1], [-1]), "time[0]=-1: must be an integer >= 0"),
    "half an id": (lambda: edges([0.5], [1], [0]), "source[0]=0.5: must be an integer >= 0"),
    "half a time": (lambda: edges([0], [1], [0.5]), "time[0]=0.5: must be an integer >= 0"),
    "NaN for an id": (lambda: edges([0], [np.nan], [0]), "target[0]=nan: must be an integer >= 0"),
    "infinite id": (lambda: edges([np.inf], [1], [0]), "source[0]=inf: must be an integer >= 0"),
    "huge id": (lambda: edges([2**63], [1], [0]), "source[0]=9223372036854775808: must be an integer >= 0"),
    "text for ids": (lambda: edges(["a"], [1], [0]), "source=array(['a']"),
    "truth for ids": (lambda: edges([True], [1], [0]), "source=array([ True])"),
    "nothing for ids": (lambda: edges([None], [1], [0]), "source=array([None]"),
    "ids in two axes": (lambda: edges([[0]], [[1]], [[0]]), "source.shape=(1, 1): must be one-dimensional"),
    "one id": (lambda: edges(0, 1, 0), "source.shape=(): must be one-dimensional"),
    "source too large": (lambda: edges([3], [1], [0], num_nodes=3), "source[0]=3: must be below num_nodes=3"),
    "target too large": (lambda: edges([0], [9], [0], num_nodes=3), "target[0]=9: must be below num_nodes=3"),
    "time too large": (
        lambda: edges([0], [1], [4], num_snapshots=4),
        "time[0]=4: must be below num_snapshots=4",
    ),
    "timestamps for times": (lambda: edges([0], [1], [1_600_000_000]), "max(time)=1600000000: must be below"),
    "NaN for a weight": (lambda: edges([0], [1], [0], [np.nan]), "weight[0]=nan: must be finite"),
    "infinite weight": (lambda: edges([0], [1], [0], [np.inf]), "weight[0]=inf: must be finite"),
    "negative weight": (lambda: edges([0], [1], [0], [-2]), "weight[0]=-2: must be >= 0"),
    "negative float weight": (lambda: edges([0], [1], [0], [-0.5]), "weight[0]=-0.5: must be >= 0"),
    "text for weights": (lambda: edges([0], [1], [0], ["x"]), "weight=array(['x']"),
    "complex weights": (lambda: edges([0], [1], [0], [1j]), "weight=array([0.+1.j])"),
    "weights in two axes": (
        lambda: edges([0], [1], [0], [[1]]),
        "weight.shape=(1, 1): must be one-dimensional",
    ),
    "one weight for all": (lambda: edges([0], [1], [0], 2.0), "weight.shape=(): must be one-dimensional"),
    "weights that overflow": (
        lambda: edges([0, 0], [1, 1], [0, 0], [2**61, 2**61]),
        "sum(weight)=4.611686018427388e+18: must be below 2**62",
    ),
    "unsigned weights that overflow": (
        lambda: edges([0], [1], [0], np.array([2**63 + 5], dtype=np.uint64)),
        "sum(weight)=9.223372036854776e+18: must be below 2**62",
    ),
    "unequal lengths": (
        lambda: edges([0, 1], [1], [0]),
        "len(source)=2, len(target)=1, len(time)=1: must be equal",
    ),
    "unequal weights": (lambda: edges([0], [1], [0], [1, 2]), "len(weight)=2: must be equal"),
    "no edges, no sizes": (
        lambda: edges([], [], []),
        "source=[]: must have an edge, or num_nodes must be given",
    ),
    "NaN for a timestamp": (lambda: events([0], [1], [np.nan], width=1), "timestamp[0]=nan: must be finite"),
    "text for timestamps": (
        lambda: events([0], [1], ["now"], width=1),
        "timestamp[0]='now': must be an ISO date such as 2024-05-01",
    ),
    "weights that add up to infinity": (
        lambda: edges([0, 1], [1, 0], [3, 3], [1e308, 1e308]),
        "edge (0, 1) of snapshot 3: must have weights that add up to a finite number",
    ),
    "one edge, two weights": (
        lambda: edges([0, 1], [1, 0], [0, 0], [2, 0.5], duplicates="once"),
        "weights 0.5 and 2.0 for one edge: must be one weight, or duplicates='sum'",
    ),
    "too few labels": (
        lambda: edges([0], [1], [0], num_nodes=2, node_labels=["a"]),
        "len(node_labels)=1: must be num_nodes=2",
    ),
    "a label twice": (
        lambda: edges([0], [1], [0], node_labels=["a", "a"]),
        "node_labels[1]='a': must be free",
    ),
    "a number twice": (lambda: edges([0], [1], [0], node_labels=[7, 7]), "node_labels=7: must be free"),
    "no label": (
        lambda: edges([0], [1], [0], node_labels=["a", None]),
        "node_labels[1]=None: must be a name",
    ),
    "a list for a label": (
        lambda: edges([0], [1], [0], node_labels=["a", []]),
        "node_labels[1]=[]: must be hash",
    ),
    "too many times": (
        lambda: edges([0], [1], [0], snapshot_times=[1, 2, 3]),
        "len(snapshot_times)=3: must be 1 times, or 2 ends of bins",
    ),
    "times out of order": (
        lambda: edges([0], [1], [1], snapshot_times=[2, 1]),
        "snapshot_times[0]=1: must be later than the one before",
    ),
    "not a time": (
        lambda: events([0], [1], np.array(["NaT"], dtype="datetime64[s]"), width=1),
        "timestamp[0]=NaT: must be a number, a datetime or an ISO date",
    ),
    "no day of the calendar": (
        lambda: events([0, 0], [1, 1], ["2024-02-29", "2023-02-29"], every="day"),
        "timestamp[1]='2023-02-29': must be an ISO date",
    ),
    "dates with and without a zone": (
        lambda: events([0, 0], [1, 1], ["2024-02-29T00:00Z", "2023-02-28"], every="day"),
        "timestamp[1]='2023-02-28': must be a date with a time zone, as the first one is",
    ),
    "truth for timestamps": (
        lambda: events([0], [1], [True], width=1),
        "timestamp=array([ True]): must be an",
    ),
    "objects for timestamps": (lambda: events([0], [1], [[]], width=1), "timestamp=[[]]: must be a one-dim"),
    "half a second": (
        lambda: events([0], [1], [0.5], unit="s", every="day"),
        "timestamp[0]=0.5: must be a whole",
    ),
    "timestamps of another length": (lambda: events([0], [1], [1, 2], width=1), "len(time)=2"),
}

NO_ARGUMENT = {
    "no nodes": (lambda: edges([], [], [], num_nodes=0), "num_nodes=0: must be an integer >= 1"),
    "negative nodes": (lambda: edges([0], [1], [0], num_nodes=-1), "num_nodes=-1: must be an integer >= 1"),
    "half a node": (lambda: edges([0], [1], [0], num_nodes=2.5), "num_nodes=2.5: must be an integer >= 1"),
    "no snapshots": (
        lambda: edges([0], [1], [0], num_snapshots=0),
        "num_snapshots=0: must be an integer >= 1",
    ),
    "neither bins nor width": (
        lambda: events([0], [1], [0.0]),
        "num_snapshots=None, width=None, every=None: must be one given",
    ),
    "both bins and width": (
        lambda: events([0], [1], [0.0], num_snapshots=2, width=1),
        "num_snapshots=2, width=1: must be at most one of the three",
    ),
    "no width": (lambda: events([0], [1], [0.0], width=0), "width=0: must be a finite number > 0"),
    "negative width": (
        lambda: events([0], [1], [0.0], width=-2.0),
        "width=-2.0: must be a finite number > 0",
    ),
    "a calendar for numbers": (
        lambda: events([0], [1], [0], every="day"),
        "every='day': must be left out where times are numbers, unless unit says",
    ),
    "an unknown step": (
        lambda: events([0], [1], ["2024-01-01"], every="days"),
        "every='days': must be one of 'hour', 'day'",
    ),
    "an unknown unit": (
        lambda: events([0], [1], [0], unit="h", width=1),
        "unit='h': must be one of 's', 'ms'",
    ),
    "a unit for dates": (
        lambda: events([0], [1], ["2024-01-01"], unit="s", every="day"),
        "unit='s': must be left out where timestamp has dates",
    ),
    "a number for the width of dates": (
        lambda: events([0], [1], ["2024-01-01"], width=3),
        "width=3: must be a timedelta > 0 where times are dates",
    ),
    "too narrow": (
        lambda: events([0, 0], [1, 1], [0, 10**12], width=1),
        "width=1: must be wide enough: it makes",
    ),
    "too narrow for hours": (
        lambda: events([0, 0], [1, 1], ["0001-01-01", "9999-01-01"], every="hour"),
        "every='hour': must be coarser: it makes",
    ),
    "neither sum nor once": (
        lambda: edges([0], [1], [0], duplicates="twice"),
        "duplicates='twice': must be one of 'sum', 'once'",
    ),
    "a zone that is none": (
        lambda: edges([0], [1], [0], snapshot_times=["2024-01-01"], time_zone="Mars/Base"),
        "time_zone='Mars/Base': must be 'UTC', an offset such as '+02:00', or a zone's name",
    ),
    "a zone for numbers": (
        lambda: edges([0], [1], [0], snapshot_times=[3], time_zone="UTC"),
        "time_zone='UTC': must be left out where snapshot_times has numbers",
    ),
    "no bins": (lambda: events([0], [1], [0.0], num_snapshots=0), "num_snapshots=0: must be an integer >= 1"),
    "window of nothing": (lambda: GRAPH.window(1, 0), "size=0: must be an integer >= 1"),
    "negative window": (lambda: GRAPH.window(1, -3), "size=-3: must be an integer >= 1"),
    "window beyond the end": (lambda: GRAPH.window(2, 1), "stop=2: must be in 0 .. 1"),
    "window before the start": (lambda: GRAPH.window(-1, 1), "stop=-1: must be in 0 .. 1"),
    "adjacency beyond the end": (lambda: GRAPH.adjacency(2), "t=2: must be in 0 .. 1"),
    "active of a half": (lambda: GRAPH.active(0.5), "t=0.5: must be an integer"),
    "layer beyond the end": (lambda: layer_graph(GRAPH, 7), "stop=7: must be in 0 .. 1"),
    "negative coupling": (
        lambda: supra_graph(GRAPH, coupling=-1.0),
        "coupling=-1.0: must be a finite number >= 0",
    ),
    "coupling that is none": (
        lambda: supra_graph(GRAPH, coupling=float("nan")),
        "coupling=nan: must be a finite number >= 0",
    ),
    "text for a coupling": (
        lambda: supra_graph(GRAPH, coupling="1"),
        "coupling='1': must be a finite number",
    ),
    "coupling that overflows": (
        lambda: supra_graph(GRAPH, coupling=2**70),
        "must be below 4611686018427387898, or a float",
    ),
    "more supra-nodes than integers": (
        lambda: supra_graph(edges([2**61], [1], [0], num_snapshots=4)),
        "num_snapshots * num_nodes=9223372036854775816: must be below 2**62",
    ),
    "scatter of too few rows": (
        lambda: supra_graph(GRAPH).scatter(np.zeros((2, 1))),
        "rows.shape=(2, 1): must be (8, ...)",
    ),
    "gather of other layers": (
        lambda: supra_graph(GRAPH).gather(np.zeros((1, 1))),
        "layers.shape=(1, 1): must be",
    ),
    "no networkx graphs": (lambda: TemporalGraph.from_networkx([]), "graphs=[]: must be at least one graph"),
    "generator of no nodes": (lambda: generators.path_layers(0, 1), "num_nodes=0: must be an integer >= 1"),
    "generator of no layers": (
        lambda: generators.star_layers(3, 0),
        "num_snapshots=0: must be an integer >= 1",
    ),
    "cycle of two": (lambda: generators.cycle_layers(2, 1), "num_nodes=2: must be an integer >= 3"),
    "more edges than nodes": (
        lambda: generators.barabasi_albert(3, 1, m=3),
        "m=3: must be below num_nodes=3",
    ),
    "rewire more than all": (
        lambda: generators.barabasi_albert(9, 1, rewire=1.5),
        "rewire=1.5: must be a number in 0 .. 1",
    ),
    "negative seed": (lambda: generators.barabasi_albert(9, 1, seed=-1), "seed=-1: must be an integer >= 0"),
    "more blocks than nodes": (
        lambda: generators.block_model(3, 1, num_blocks=4),
        "num_blocks=4: must be at most",
    ),
    "improbable": (
        lambda: generators.block_model(9, 1, p_in=float("nan")),
        "p_in=nan: must be a number in 0 .. 1",
    ),
    "truth for a probability": (
        lambda: generators.block_model(9, 1, p_out=True),
        "p_out=True: must be a number",
    ),
    "spectrum of no layers": (
        lambda: generators.supra_spectrum([0.0], 0),
        "num_snapshots=0: must be an integer >= 1",
    ),
    "spectrum of a matrix": (
        lambda: generators.supra_spectrum([[0.0]], 2),
        "layer_eigenvalues.shape=(1, 1): must be one-dimensional",
    ),
}


@pytest.mark.parametrize(("call", "message"), NO_GRAPH.values(), ids=NO_GRAPH)
def test_no_graph(call, message):
    with pytest.raises(InvalidGraphError) as caught:
        call()
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(("call", "message"), NO_ARGUMENT.values(), ids=NO_ARGUMENT)
def test_no_argument(call, message):
    with pytest.raises(InvalidArgumentError) as caught:
        call()
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_a_graph_without_edges_is_valid_if_its_size_is_given():
    graph = edges([], [], [], num_nodes=4)
    assert (graph.num_nodes, graph.num_snapshots, graph.num_edges) == (4, 1, 0)
    assert graph.adjacency(0).nnz == 0
    assert edges([], [], [], num_nodes=4, num_snapshots=3).window(2, 2).num_snapshots == 2
    assert edges([2], [2], [1]).num_edges == 0  # self-loops alone: three nodes, two snapshots, no edges


def test_messages_stay_short():
    with pytest.raises(InvalidGraphError) as caught:
        edges(["a"] * 10_000, [1] * 10_000, [0] * 10_000)
    assert len(str(caught.value)) < 250
