"""A file of encodings, written as they come."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from supra_core import Encoder
from supra_core.files import replacing
from supra_experiments.datasets import Dataset
from supra_experiments.errors import ExperimentError

_ROWS_A_GROUP = 1 << 18


class EncodingFile:
    """A Parquet or CSV file with the columns node, time, pe_0, pe_1, …, to which snapshots are added in turn.

    Rows are kept back until there are enough for a group, so that the file is the same however they come.
    """

    def __init__(self, writer: Any, schema: pa.Schema, nodes: pa.Array, times: pa.Array) -> None:
        self._writer, self._schema, self._nodes, self._times = writer, schema, nodes, times
        self._waiting: list[np.ndarray] = []
        self._written = 0

    def add(self, values: np.ndarray) -> None:
        """The encodings of the next snapshot, shape (num_nodes, dim)."""
        self._waiting.append(values)
        if len(self._waiting) * len(self._nodes) >= _ROWS_A_GROUP:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if not self._waiting:
            return
        values = np.concatenate(self._waiting)
        count, num_nodes = len(self._waiting), len(self._nodes)
        nodes = self._nodes.take(np.tile(np.arange(num_nodes), count))
        times = self._times.take(np.repeat(np.arange(self._written, self._written + count), num_nodes))
        self._writer.write_table(pa.table([nodes, times, *values.T], schema=self._schema))
        self._written += len(self._waiting)
        self._waiting = []


def check_output(output: Path) -> None:
    """Refuse a file of a kind that cannot be written."""
    if output.suffix.lower() not in (".parquet", ".pq", ".csv"):
        raise ExperimentError(f"output={str(output)!r}: must end in .parquet or .csv")


@contextmanager
def encoding_file(output: Path, encoder: Encoder, dataset: Dataset) -> Iterator[EncodingFile]:
    """A file that appears under its name when the block ends without an error."""
    check_output(output)
    as_text = output.suffix.lower() == ".csv"
    nodes, times = _node_column(dataset), _time_column(dataset, as_text)
    fields = [("node", nodes.type), ("time", times.type)]
    schema = pa.schema(fields + [(f"pe_{channel}", pa.float64()) for channel in range(encoder.dim)])
    with replacing(output) as temporary:
        if as_text:
            writer = pyarrow.csv.CSVWriter(temporary, schema)
        else:
            about = {"graph": dataset.name, "graph_digest": dataset.graph.digest, "encoder": repr(encoder)}
            schema = schema.with_metadata({"supra": json.dumps(about)})
            writer = pyarrow.parquet.ParquetWriter(temporary, schema)
        with writer:
            rows = EncodingFile(writer, schema, nodes, times)
            yield rows
            rows.flush()


def _node_column(dataset: Dataset) -> pa.Array:
    """The names of the nodes: integers, or else text."""
    if dataset.nodes.dtype.kind == "i":
        return pa.array(dataset.nodes)
    return pa.array([str(label) for label in dataset.nodes.tolist()])


def _time_column(dataset: Dataset, as_text: bool) -> pa.Array:
    """The times of the snapshots, of bins the beginnings; dates in their zone, in text with their offset."""
    graph = dataset.graph
    values = graph.snapshot_times[: graph.num_snapshots]
    if values.dtype.kind != "M":
        return pa.array(values)
    if as_text:
        return pa.array(dataset.times)
    unit, _ = np.datetime_data(values.dtype)
    return pa.array(values.astype(np.int64)).cast(pa.timestamp(unit, tz=graph.time_zone))
