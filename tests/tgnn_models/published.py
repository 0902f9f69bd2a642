"""The published equations of EvolveGCN, GRUGCN and HTGN, written out in NumPy with dense matrices.

Weights are named as in the papers. Each function takes the weights W, dense Â and one-hot or float X, and
returns embeddings; the losses are the published ones, with log(p + 1e-15). Nothing here knows of the modules.
"""

from collections.abc import Callable, Mapping

import numpy as np

from .oracles import sigmoid, softmax

Weights = Mapping[str, np.ndarray]
BALL_EPS = 1e-5
LOG_EPS = 1e-15
SLOPE = 11 / 48


# ── EvolveGCN ──────────────────────────────────────────────────────────────────────────────────────────────


def matrix_gru(W: Weights, name: str, H: np.ndarray, X: np.ndarray) -> np.ndarray:
    """The three gates act(W X + U H + B), one after the other; H and X are (rows, columns)."""

    def gate(which: str, act: Callable[[np.ndarray], np.ndarray], hidden: np.ndarray) -> np.ndarray:
        W_g, U_g, B_g = (W[f"{name}.{which}.{part}"] for part in "WUB")
        return act(W_g @ X + U_g @ hidden + B_g)

    update = gate("update", sigmoid, H)
    reset = gate("reset", sigmoid, H)
    candidate = gate("candidate", np.tanh, reset * H)
    return (1 - update) * H + update * candidate


def top_rows(X: np.ndarray, p: np.ndarray, k: int) -> np.ndarray:
    """The k rows of the highest score X p / ‖p‖, each times tanh(score), as columns."""
    scores = X @ p / np.linalg.norm(p)
    best = np.argsort(-scores, kind="stable")[:k]
    return (X[best] * np.tanh(scores[best])[:, None]).T


def evolvegcn(W: Weights, adjacencies: list[np.ndarray], X: np.ndarray, variant: str) -> list[np.ndarray]:
    """The embeddings after each snapshot."""
    Q = [W["0.weight"], W["1.weight"]]
    embeddings = []
    for A in adjacencies:
        hidden = X
        for i in range(2):
            if i == 1:
                hidden = np.where(hidden > 0, hidden, SLOPE * hidden)
            read = Q[i] if variant == "o" else top_rows(hidden, W[f"{i}.p"], Q[i].shape[1])
            Q[i] = matrix_gru(W, str(i), Q[i], read)
            hidden = A @ hidden @ Q[i] + W[f"{i}.b"]
        embeddings.append(hidden)
    return embeddings


# ── what GRUGCN and HTGN share ─────────────────────────────────────────────────────────────────────────────


def attend(hidden: np.ndarray, W: Weights) -> np.ndarray:
    """The mean, not the sum, of a_k H_k with a_k = softmax_k(tanh(H_k Q) r)."""
    scores = np.tanh(hidden @ W["Q"]) @ W["r"]
    return (softmax(scores, axis=0) * hidden).mean(axis=0)


def gru(x: np.ndarray, h: np.ndarray, W: Weights) -> np.ndarray:
    """PyTorch's cell, gate by gate."""
    r = sigmoid(W["W_ir"] @ x.T + W["b_ir"] + W["W_hr"] @ h.T + W["b_hr"])
    z = sigmoid(W["W_iz"] @ x.T + W["b_iz"] + W["W_hz"] @ h.T + W["b_hz"])
    n = np.tanh(W["W_in"] @ x.T + W["b_in"] + r * (W["W_hn"] @ h.T + W["b_hn"]))
    return ((1 - z) * n + z * h.T).T


# ── GRUGCN ─────────────────────────────────────────────────────────────────────────────────────────────────


def grugcn(W: Weights, A: np.ndarray, X: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """One step; ``hidden`` is the window (window, num_nodes, channels), newest last."""
    x = np.concatenate([X @ W["linear.W"] + W["linear.b"], hidden[-1]], axis=1)
    x = np.maximum(A @ (x @ W["0.W"]) + W["0.b"], 0)
    x = A @ (x @ W["1.W"]) + W["1.b"]
    return gru(x, attend(hidden, W), W)


# ── HTGN ───────────────────────────────────────────────────────────────────────────────────────────────────


def norm(x: np.ndarray) -> np.ndarray:
    return np.maximum(np.sqrt((x**2).sum(axis=-1, keepdims=True)), LOG_EPS)


def artanh(x: np.ndarray) -> np.ndarray:
    return (np.log1p(x) - np.log1p(-x)) / 2


def proj(x: np.ndarray) -> np.ndarray:
    """Points beyond 1 − 1e-5 go back to it."""
    return np.where(norm(x) > 1 - BALL_EPS, x / norm(x) * (1 - BALL_EPS), x)


def expmap0(v: np.ndarray) -> np.ndarray:
    return proj(np.tanh(norm(v)) * v / norm(v))


def logmap0(p: np.ndarray) -> np.ndarray:
    return artanh(norm(p)) * p / norm(p)


def mobius_add(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    xx, yy = (x**2).sum(axis=-1, keepdims=True), (y**2).sum(axis=-1, keepdims=True)
    xy = (x * y).sum(axis=-1, keepdims=True)
    return ((1 + 2 * xy + yy) * x + (1 - xx) * y) / (1 + 2 * xy + xx * yy)


def squared_distance(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (2 * artanh(norm(mobius_add(-x, y))[..., 0])) ** 2


def hyperbolic_conv(W: Weights, name: str, A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Linear map, aggregation, activation: from points to points, each of the three clipped to the ball."""
    moved = expmap0(logmap0(x) @ W[f"{name}.W"].T)
    moved = proj(mobius_add(moved, expmap0(W[f"{name}.b"])))
    gathered = proj(expmap0(A @ logmap0(moved)))
    tangent = logmap0(gathered)
    return proj(expmap0(np.where(tangent > 0, tangent, 0.01 * tangent)))


def htgn(W: Weights, A: np.ndarray, X: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """One step; ``hidden`` is a window of points."""
    x = expmap0(X @ W["linear.W"] + W["linear.b"])
    x = proj(np.concatenate([x, hidden[-1]], axis=1))
    x = hyperbolic_conv(W, "0", A, x)
    x = hyperbolic_conv(W, "1", A, x)
    return expmap0(gru(logmap0(x), attend(logmap0(hidden), W), W))


# ── losses ─────────────────────────────────────────────────────────────────────────────────────────────────


def link_loss(p: np.ndarray, q: np.ndarray) -> float:
    """Mean −log p over links and −log(1 − q) over as many non-links."""
    return float(-np.log(p + LOG_EPS).mean() - np.log(1 - q + LOG_EPS).mean())


def dot_loss(z: np.ndarray, links: np.ndarray, others: np.ndarray) -> float:
    p, q = (sigmoid((z[a] * z[b]).sum(axis=1)) for a, b in (links, others))
    return link_loss(p, q)


def fermi_dirac_loss(z: np.ndarray, links: np.ndarray, others: np.ndarray) -> float:
    p, q = (1 / (np.exp(squared_distance(z[a], z[b]) - 2) + 1) for a, b in (links, others))
    return link_loss(p, q)


def finite_differences(
    loss: Callable[[Weights], float], W: Weights, step: float = 1e-5
) -> dict[str, np.ndarray]:
    """The gradient in every entry of every weight, by central differences."""
    gradient = {}
    for name, weight in W.items():
        found = np.zeros_like(weight)
        for place in np.ndindex(weight.shape):
            sides = []
            for sign in (1, -1):
                moved = weight.copy()
                moved[place] += sign * step
                sides.append(loss({**W, name: moved}))
            found[place] = (sides[0] - sides[1]) / (2 * step)
        gradient[name] = found
    return gradient
