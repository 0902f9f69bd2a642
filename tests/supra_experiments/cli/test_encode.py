"""``supra encode``: the encoder's own values, in files with the user's names."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet

from supra_core import Encoder
from supra_experiments.datasets import load


def test_encode_writes_the_encoders_values_under_the_users_names(run, edges, tmp_path):
    output = tmp_path / "pe.parquet"
    code, out, _ = run("encode", edges, "--k", 2, "--window", 3, "-o", output)
    assert code == 0
    assert "largest residual" in out
    table = pd.read_parquet(output)
    assert list(table.columns) == ["node", "time", "pe_0", "pe_1"]
    assert len(table) == 6 * 6
    expected = Encoder(k=2, window=3).encode_all(load(edges).graph)[4].values
    rows = table[table["time"] == 4].set_index("node").loc[["ann", "bob", "cy", "dan", "eve", "fay"]]
    np.testing.assert_allclose(rows[["pe_0", "pe_1"]].to_numpy(), expected, atol=1e-12)
    about = json.loads(pyarrow.parquet.read_schema(output).metadata[b"supra"])
    assert about["graph_digest"] == load(edges).graph.digest


def test_encode_as_csv_with_json_report(run, edges, tmp_path):
    output = tmp_path / "pe.csv"
    code, out, _ = run("encode", edges, "--pe", "lpe-t", "--k", 2, "--max-steps", 3, "-o", output, "--json")
    report = json.loads(out)
    assert code == 0
    assert report["channels"] == 6
    assert len(report["per_snapshot"]) == 6
    assert report["seconds"] > 0
    assert report["max_residual"] == max(part["max_residual"] for part in report["per_snapshot"])
    assert pd.read_csv(output).shape == (36, 8)


def test_warm_starts_are_the_librarys_own(run, tmp_path):
    """More windows than a chain has: an inexact encoding tells where chains begin."""
    path, output = tmp_path / "edges.csv", tmp_path / "pe.parquet"
    path.write_text("".join(f"{i},{(i * i + t) % 29},{t}\n" for t in range(20) for i in range(29)))
    settings = {"k": 2, "window": 2, "init": "previous", "max_steps": 3}
    options = [word for name, value in settings.items() for word in (f"--{name.replace('_', '-')}", value)]
    bytes_of = []
    for more in ([], ["--restart-every", 5]):
        assert run("encode", path, "--pe", "slpe-i", *options, *more, "-o", output)[0] == 0
        bytes_of.append(pd.read_parquet(output)[["pe_0", "pe_1"]].to_numpy().tobytes())
    expected = Encoder("slpe", "inexact", **settings).encode_all(load(path).graph)
    assert bytes_of[0] == expected.values.tobytes() != bytes_of[1]


def test_an_output_that_cannot_be_written(run, edges, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = run("encode", edges, "--k", 2, "-o", tmp_path / "file" / "pe.parquet")
    assert code == 2
    assert err.startswith("error: ")
    assert err.count("\n") == 1
