import numpy as np
import pandas as pd
import pytest
import torch

from supra_experiments.config import Config
from supra_experiments.datasets import load
from supra_experiments.errors import DatasetError
from supra_experiments.protocol.features import node_features, read_features

from ..toys import toy


def test_one_hot_is_an_index_and_zeros_are_zeros():
    x, channels = node_features(Config(features="one-hot"), toy())
    assert x.tolist() == list(range(24))
    assert channels == 24
    x, channels = node_features(Config(features="zeros"), toy())
    assert x.shape == (24, channels)
    assert not x.any()


def test_random_features_are_normal_and_fixed_by_the_seed():
    x, channels = node_features(Config(features="random", seed=5), load("demo"))
    assert channels == 128
    assert x.shape == (120, 128)
    assert torch.equal(x, node_features(Config(features="random", seed=5, model="egcn-o"), load("demo"))[0])
    assert not torch.equal(x, node_features(Config(features="random", seed=6), load("demo"))[0])
    # Rows of length about 1, as one-hot rows are; 15,360 draws pin mean and deviation down.
    assert float(x.norm(dim=1).mean()) == pytest.approx(1.0, abs=0.02)
    assert abs(float(x.mean())) < 0.005


@pytest.fixture
def named(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("ann,bob,0\nbob,cy,1\ncy,dan,2\n")
    return load(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_own_features_find_their_nodes_by_name(tmp_path, named, suffix):
    table = pd.DataFrame({"age": [3.0, 1.0, 2.0], "node": ["cy", "ann", "bob"], "tall": [0, 1, 0]})
    path = tmp_path / f"features{suffix}"
    table.to_csv(path, index=False) if suffix == ".csv" else table.to_parquet(path)
    expected = [[1, 1], [2, 0], [3, 0], [0, 0]]  # dan is not named and gets zeros
    np.testing.assert_array_equal(read_features(path, named), expected)
    x, channels = node_features(Config(features=str(path)), named)
    assert channels == 2
    assert x.dtype == torch.float32
    np.testing.assert_array_equal(x, expected)


def test_own_features_as_an_array(tmp_path, named):
    np.save(tmp_path / "x.npy", np.arange(8).reshape(4, 2))
    np.testing.assert_array_equal(read_features(tmp_path / "x.npy", named), np.arange(8).reshape(4, 2))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("who,age\nann,1\n", "must have the column node"),
        ("node,age\nzoe,1\n", "node 'zoe': is not in"),
        ("node,age\nann,1\nann,2\n", "node 'ann': must be named once"),
        ("node,age\nann,old\n", "column 'age': must hold numbers"),
        ("node,age\nann,inf\n", "must have finite values only"),
        ("node\nann\n", r"must be numbers \(4, channels\)"),
    ],
)
def test_tables_that_are_no_features(tmp_path, named, content, message):
    path = tmp_path / "features.csv"
    path.write_text(content)
    with pytest.raises(DatasetError, match=message) as caught:
        read_features(path, named)
    assert "\n" not in str(caught.value)


def test_arrays_that_are_no_features(tmp_path, named):
    np.save(tmp_path / "short.npy", np.zeros((3, 2)))
    with pytest.raises(DatasetError, match=r"shape \(3, 2\) of float64: must be numbers \(4, channels\)"):
        read_features(tmp_path / "short.npy", named)
    np.save(tmp_path / "objects.npy", np.array([{"a": 1}] * 4), allow_pickle=True)
    with pytest.raises(DatasetError, match="cannot be read as features"):  # pickles are never opened
        read_features(tmp_path / "objects.npy", named)
    with pytest.raises(DatasetError, match="no such file"):
        read_features(tmp_path / "none.npy", named)
