"""One-hot features as an index into a weight."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from tgnn_models.features import FeatureLinear, feature_matmul


@given(
    num_nodes=st.integers(1, 6),
    categories=st.integers(1, 6),
    pe_channels=st.integers(0, 3),
    seed=st.integers(0, 2**31),
)
def test_index_equals_the_product_with_one_hot_rows(num_nodes, categories, pe_channels, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randint(categories, (num_nodes,), generator=generator)
    pe = torch.randn(num_nodes, pe_channels, generator=generator, dtype=torch.float64)
    weight = torch.randn(categories + pe_channels, 4, generator=generator, dtype=torch.float64)
    dense = torch.cat([torch.nn.functional.one_hot(x, categories), pe], dim=1)
    ours = feature_matmul(x, pe if pe_channels else None, weight)
    torch.testing.assert_close(ours, dense @ weight)
    torch.testing.assert_close(feature_matmul(dense[:, :categories], pe, weight), dense @ weight)


def test_linear_adds_its_bias():
    linear = FeatureLinear(3, 2)
    x = torch.randn(4, 3)
    torch.testing.assert_close(linear(x), x @ linear.weight + linear.bias)
    torch.testing.assert_close(linear(torch.tensor([2])), linear.weight[2:] + linear.bias)
