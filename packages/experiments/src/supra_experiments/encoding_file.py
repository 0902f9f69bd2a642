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
from supra_experiments.datasets import Dataset
from supra_experiments.errors import ExperimentError
from supra_experiments.files import written_atomically

_ROWS_A_GROUP = 1 << 18


class EncodingFile:
    """A Parquet or CSV file with the columns node, time, pe_0, pe_1, …, to which snapshots are added in turn.

    Rows are kept back until there are enough for a group, so that the file is the same however they come.
    """

    def __init__(self, writer: Any, schema: pa.Schema, dataset: Dataset) -> None:
        self._writer, self._schema, self._dataset = writer, schema, dataset
        self._waiting: list[np.ndarray] = []
        self._written = 0

    def add(self, values: np.ndarray) -> None:
        """The encodings of the next snapshot, shape (num_nodes, dim)."""
        self._waiting.append(values)
        if len(self._waiting) * len(self._dataset.nodes) >= _ROWS_A_GROUP:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if not self._waiting:
            return
        nodes, values = self._dataset.nodes, np.concatenate(self._waiting)
        times = self._dataset.times[self._written : self._written + len(self._waiting)]
        columns = [np.tile(nodes, len(times)), np.repeat(times, len(nodes)), *values.T]
        arrays = [
            pa.array(column, type=field.type) for column, field in zip(columns, self._schema, strict=True)
        ]
        self._writer.write_table(pa.table(arrays, schema=self._schema))
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
    fields = [("node", pa.array(dataset.nodes).type), ("time", pa.array(dataset.times).type)]
    schema = pa.schema(fields + [(f"pe_{channel}", pa.float64()) for channel in range(encoder.dim)])
    with written_atomically(output) as file:
        if output.suffix.lower() == ".csv":
            writer = pyarrow.csv.CSVWriter(file, schema)
        else:
            about = {"graph": dataset.name, "graph_digest": dataset.graph.digest, "encoder": repr(encoder)}
            schema = schema.with_metadata({"supra": json.dumps(about)})
            writer = pyarrow.parquet.ParquetWriter(file, schema)
        with writer:
            rows = EncodingFile(writer, schema, dataset)
            yield rows
            rows.flush()
