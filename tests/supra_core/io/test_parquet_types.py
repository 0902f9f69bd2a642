"""Columns of a Parquet file hold numbers; truth values are none."""

import pytest

from supra_core import InvalidGraphError, read_edges

arrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not installed")

COLUMNS = {"source": [0, 1], "target": [1, 2], "time": [0, 1], "weight": [1.5, 2.0]}


def test_the_file_without_truth_values_is_read(tmp_path):
    parquet.write_table(arrow.table(COLUMNS), tmp_path / "edges.parquet")
    assert read_edges(tmp_path / "edges.parquet").weight.tolist() == [1.5, 2.0]


def test_boolean_weights_are_refused(tmp_path):
    parquet.write_table(arrow.table({**COLUMNS, "weight": [True, False]}), tmp_path / "edges.parquet")
    with pytest.raises(InvalidGraphError, match=r"weight.*bool.*must"):
        read_edges(tmp_path / "edges.parquet")
