"""Independent arithmetic: dense matrices, loops, NumPy."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor


def geoopt_ball(c: float, dtype: torch.dtype = torch.float64) -> Any:
    """The Poincaré ball of geoopt; the test is skipped where that is not installed."""
    geoopt = pytest.importorskip("geoopt", reason="geoopt, the oracle of this test, is not installed")
    return geoopt.PoincareBall(c=torch.tensor(c, dtype=dtype))


def normalized_adjacency(edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None = None) -> np.ndarray:
    """D^-1/2 (A + I) D^-1/2, dense; entry (target, source)."""
    A = np.zeros((num_nodes, num_nodes))
    weights = np.ones(edge_index.size(1)) if edge_weight is None else edge_weight.double().numpy()
    for (source, target), weight in zip(edge_index.t().tolist(), weights, strict=True):
        A[target, source] += weight
    A += np.eye(num_nodes)
    scale = 1 / np.sqrt(A.sum(axis=1))
    return scale[:, None] * A * scale[None, :]


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def window_attention(hidden: np.ndarray, Q: np.ndarray, r: np.ndarray, reduce: str) -> np.ndarray:
    """a_k = softmax_k(tanh(H_k Q) r), node by node."""
    window, num_nodes, channels = hidden.shape
    out = np.zeros((num_nodes, channels))
    for node in range(num_nodes):
        scores = np.array([np.tanh(hidden[k, node] @ Q) @ r[:, 0] for k in range(window)])
        weights = np.exp(scores) / np.exp(scores).sum()
        out[node] = sum(weights[k] * hidden[k, node] for k in range(window))
    return out / window if reduce == "mean" else out


def gru_cell(x: np.ndarray, h: np.ndarray, cell: torch.nn.GRUCell) -> np.ndarray:
    """The GRU of torch.nn.GRUCell's documentation."""
    size = h.shape[1]
    from_x = x @ array(cell.weight_ih).T + array(cell.bias_ih)
    from_h = h @ array(cell.weight_hh).T + array(cell.bias_hh)
    reset = sigmoid(from_x[:, :size] + from_h[:, :size])
    keep = sigmoid(from_x[:, size : 2 * size] + from_h[:, size : 2 * size])
    new = np.tanh(from_x[:, 2 * size :] + reset * from_h[:, 2 * size :])
    return (1 - keep) * new + keep * h


def multi_head_attention(
    query: np.ndarray, key_value: np.ndarray, weights: dict[str, np.ndarray], num_heads: int
) -> np.ndarray:
    """softmax(Q Kᵀ / √d) V head by head, for tokens (num_tokens, channels)."""
    channels = query.shape[1]
    size = channels // num_heads
    W, b = weights["inward.weight"], weights["inward.bias"]
    Q = query @ W[:channels].T + b[:channels]
    K = key_value @ W[channels : 2 * channels].T + b[channels : 2 * channels]
    V = key_value @ W[2 * channels :].T + b[2 * channels :]
    heads = []
    for i in range(num_heads):
        part = slice(i * size, (i + 1) * size)
        heads.append(softmax(Q[:, part] @ K[:, part].T / np.sqrt(size), axis=1) @ V[:, part])
    return np.concatenate(heads, axis=1) @ weights["outward.weight"].T + weights["outward.bias"]


def layer_norm(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * weight + bias


def array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().double().numpy()


def arrays(module: torch.nn.Module) -> dict[str, np.ndarray]:
    return {name: array(tensor) for name, tensor in module.state_dict().items()}


def auc(positive: np.ndarray, negative: np.ndarray) -> float:
    """The share of (positive, negative) pairs in the right order, ties counted half."""
    difference = np.asarray(positive)[:, None] - np.asarray(negative)[None, :]
    return float((difference > 0).mean() + (difference == 0).mean() / 2)


def supra_laplacian_encoding(edge_indices: list[Tensor], num_nodes: int, k: int) -> list[Tensor]:
    """The k eigenvectors after the first of the supra-Laplacian with coupling 1, (num_nodes, k) a layer."""
    layers = len(edge_indices)
    A = np.zeros((layers * num_nodes, layers * num_nodes))
    for t, edges in enumerate(edge_indices):
        A[t * num_nodes + edges[0].numpy(), t * num_nodes + edges[1].numpy()] = 1
    for i in range((layers - 1) * num_nodes):
        A[i, i + num_nodes] = A[i + num_nodes, i] = 1
    _, vectors = np.linalg.eigh(np.diag(A.sum(axis=1)) - A)
    values = vectors[:, 1 : k + 1].reshape(layers, num_nodes, k)
    return [torch.from_numpy(layer.copy()) for layer in values]
