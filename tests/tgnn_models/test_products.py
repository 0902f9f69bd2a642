"""A linear map as a convolution, against the product in double precision."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from tgnn_models import products
from tgnn_models.products import affine
from tgnn_models.stacked import Linear


def answers(of, *inputs):
    """What a function of tensors comes to, and the gradients of a sum that weighs each entry differently."""
    leaves = [each.clone().requires_grad_() for each in inputs]
    out = of(*leaves)
    weighed = out * torch.linspace(1, 2, out.numel(), dtype=out.dtype).view_as(out)
    return (out.detach(), *torch.autograd.grad(weighed.sum(), leaves))


def assert_exact_to_rounding(found, inputs):
    expected = answers(functional.linear, *(each.double() for each in inputs))
    for ours, exact in zip(found, expected, strict=True):
        assert ours.shape == exact.shape
        assert ours.dtype == torch.float32
        assert (ours - exact).abs().max() <= 1e-5 * max(1.0, float(exact.abs().max()))


def made(shape, in_channels, out_channels):
    torch.manual_seed(0)
    return torch.randn(*shape, in_channels), torch.randn(out_channels, in_channels), torch.randn(out_channels)


@given(st.lists(st.integers(1, 7), max_size=3), st.integers(1, 40), st.integers(1, 40), st.booleans())
def test_a_convolution_is_the_product_whatever_the_shape(shape, in_channels, out_channels, has_bias):
    inputs = made(shape, in_channels, out_channels)[: 3 if has_bias else 2]

    def convolved(x, weight, bias=None):
        return products.as_convolution(x, weight, bias)

    assert_exact_to_rounding(answers(convolved, *inputs), inputs)


@pytest.mark.parametrize("faster", [True, False])
@pytest.mark.parametrize("shape", [(512,), (517,), (3, 173)])
def test_large_products_are_right_by_either_library(shape, faster, monkeypatch):
    monkeypatch.setattr(products, "CONVOLUTIONS_ARE_FASTER", faster)
    inputs = made(shape, 128, 128)
    assert_exact_to_rounding(answers(affine, *inputs), inputs)


@pytest.mark.parametrize("faster", [True, False])
@pytest.mark.parametrize("num_rows", [500, 600])
@pytest.mark.parametrize("has_bias", [True, False])
def test_runs_of_a_pack_are_those_alone(has_bias, num_rows, faster, monkeypatch):
    monkeypatch.setattr(products, "CONVOLUTIONS_ARE_FASTER", faster)
    torch.manual_seed(0)
    x = torch.randn(3, num_rows // 2, 2, 128)
    weight, bias = torch.randn(3, 128, 128), torch.randn(3, 128) if has_bias else None
    together = affine(x, weight, bias)
    for run in range(3):
        own_bias = None if bias is None else bias[run]
        alone = functional.linear(x[run], weight[run], own_bias)
        torch.testing.assert_close(together[run], alone, atol=1e-4, rtol=1e-5)


def test_a_large_linear_layer_takes_the_way_that_is_faster(monkeypatch):
    taken = []
    monkeypatch.setattr(products, "CONVOLUTIONS_ARE_FASTER", True)
    monkeypatch.setattr(products, "as_convolution", lambda x, *rest: taken.append(len(x)) or x)
    layer = Linear(128, 128)
    for num_rows in (511, 512, 2000):
        layer(torch.zeros(num_rows, 128))
    layer.double()(torch.zeros(2000, 128, dtype=torch.float64))
    assert taken == [512, 2000]


def test_no_row_is_no_row():
    assert affine(torch.zeros(0, 3), torch.zeros(5, 3), torch.zeros(5)).shape == (0, 5)


def test_a_large_product_runs_under_vmap_and_its_gradient_has_one(monkeypatch):
    monkeypatch.setattr(products, "CONVOLUTIONS_ARE_FASTER", True)
    x, weight, _ = made((2, 600), 128, 128)
    mapped = torch.vmap(affine, in_dims=(0, None))(x, weight)
    torch.testing.assert_close(mapped, x @ weight.T, atol=1e-4, rtol=1e-5)
    leaf = x[0].clone().requires_grad_()
    (slope,) = torch.autograd.grad(affine(leaf, weight).pow(2).sum(), leaf, create_graph=True)
    (second,) = torch.autograd.grad(slope.sum(), leaf)
    expected = (2 * (weight.double().T @ weight.double())).sum(dim=0).expand_as(second)
    torch.testing.assert_close(second.double(), expected, atol=1e-3, rtol=1e-4)


def test_a_large_product_compiles_whole(monkeypatch):
    monkeypatch.setattr(products, "CONVOLUTIONS_ARE_FASTER", True)
    x, weight, bias = made((600,), 128, 128)
    compiled = torch.compile(affine, backend="eager", fullgraph=True)
    assert torch.equal(compiled(x, weight, bias), affine(x, weight, bias))
