"""Attention and the transformer layer against the formula and against PyTorch's own modules."""

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from tgnn_models.attention import Attention, TransformerLayer

from .cases import shaken
from .oracles import array, arrays, multi_head_attention


@pytest.mark.parametrize("num_keys", [3, 120])
@pytest.mark.parametrize(("channels", "num_heads"), [(8, 1), (8, 2), (8, 4), (8, 8), (32, 2), (18, 1)])
def test_attention_is_the_explicit_formula(channels, num_heads, num_keys):
    torch.manual_seed(0)
    attention = shaken(Attention(channels, num_heads)).double()
    queries = torch.randn(2, 5, channels, dtype=torch.float64)
    others = torch.randn(2, num_keys, channels, dtype=torch.float64)
    query, _, _ = attention.project(queries)
    _, key, value = attention.project(others)
    ours = attention(query, key, value)
    for i in range(2):
        expected = multi_head_attention(array(queries[i]), array(others[i]), arrays(attention), num_heads)
        np.testing.assert_allclose(array(ours[i]), expected, atol=1e-12)


def test_transformer_layer_is_pytorchs():
    torch.manual_seed(0)
    ours = shaken(TransformerLayer(8, 2, 20)).double()
    theirs = torch.nn.TransformerEncoderLayer(8, 2, 20, dropout=0.0, batch_first=True).double()
    names = {
        "self_attn.in_proj_weight": "attention.inward.weight",
        "self_attn.in_proj_bias": "attention.inward.bias",
        "self_attn.out_proj.weight": "attention.outward.weight",
        "self_attn.out_proj.bias": "attention.outward.bias",
        "linear1.weight": "widen.weight",
        "linear1.bias": "widen.bias",
        "linear2.weight": "narrow.weight",
        "linear2.bias": "narrow.bias",
        "norm1.weight": "attention_norm.weight",
        "norm1.bias": "attention_norm.bias",
        "norm2.weight": "feedforward_norm.weight",
        "norm2.bias": "feedforward_norm.bias",
    }
    weights = ours.state_dict()
    theirs.load_state_dict({theirs_name: weights[ours_name] for theirs_name, ours_name in names.items()})
    tokens = torch.randn(3, 6, 8, dtype=torch.float64)
    torch.testing.assert_close(ours(tokens), theirs(tokens))


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_the_fused_kernel_serves_training_too(dropout):
    """With nothing else allowed it would raise; the kernel that forms all weights is quadratic in memory."""
    layer = TransformerLayer(16, 4, 64, dropout)
    tokens = torch.randn(1, 50, 16, requires_grad=True)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        layer(tokens).sum().backward()
    assert tokens.grad is not None


@pytest.mark.parametrize("width", [2, 4, 15])
def test_channels_that_make_the_kernel_faster_change_no_gradient(width):
    torch.manual_seed(0)
    attention = shaken(Attention(2 * width, 2)).double()
    few = torch.randn(1, 60, 2 * width, dtype=torch.float64)
    tokens = torch.cat([few, few], dim=-2).requires_grad_()  # each key twice: the same answers, more keys
    alone = few.clone().requires_grad_()

    def answers(queries, keys):
        query, _, _ = attention.project(queries)
        _, key, value = attention.project(keys)
        return attention(query, key, value)

    torch.testing.assert_close(answers(few, tokens), answers(few, alone))
    answers(few, tokens).square().sum().backward()
    answers(few, alone).square().sum().backward()
    torch.testing.assert_close(tokens.grad[:, :60] + tokens.grad[:, 60:], alone.grad)
