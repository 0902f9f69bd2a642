"""Temporal graphs to test on, drawn and by hand."""

import numpy as np
import torch
from hypothesis import strategies as st
from torch_geometric.data import Data


def edge_index(pairs: np.ndarray) -> torch.Tensor:
    """Both directions of pairs (num_pairs, 2)."""
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    return torch.from_numpy(np.concatenate([pairs, pairs[:, ::-1]]).T.copy())


def random_pairs(rng: np.random.Generator, num_nodes: int, density: float) -> np.ndarray:
    rows, columns = np.triu_indices(num_nodes, 1)
    kept = rng.random(rows.size) < density
    return np.stack([rows[kept], columns[kept]], axis=1)


def random_snapshots(
    seed: int = 0,
    num_nodes: int = 7,
    num_snapshots: int = 3,
    density: float = 0.4,
    in_channels: int = 5,
    pe_channels: int = 0,
    one_hot: bool = False,
    dtype: torch.dtype = torch.float32,
) -> list[Data]:
    """Snapshots with normal features, or one-hot ones of `num_nodes` categories, and a normal encoding."""
    rng = np.random.default_rng(seed)
    snapshots = []
    for _ in range(num_snapshots):
        x = (
            torch.arange(num_nodes)
            if one_hot
            else torch.from_numpy(rng.normal(size=(num_nodes, in_channels))).to(dtype)
        )
        data = Data(x=x, edge_index=edge_index(random_pairs(rng, num_nodes, density)))
        if pe_channels:
            data.pe = torch.from_numpy(rng.normal(size=(num_nodes, pe_channels))).to(dtype)
        snapshots.append(data)
    return snapshots


@st.composite
def temporal_graphs(draw: st.DrawFn, *, max_nodes: int = 8, max_snapshots: int = 4, **options) -> list[Data]:
    """Snapshots of any density, the empty graph and the single node among them."""
    return random_snapshots(
        seed=draw(st.integers(0, 2**32 - 1)),
        num_nodes=draw(st.integers(1, max_nodes)),
        num_snapshots=draw(st.integers(1, max_snapshots)),
        density=draw(st.sampled_from([0.0, 0.2, 0.5, 1.0])),
        **options,
    )


def relabelled(snapshots: list[Data], order: torch.Tensor, edge_seed: int) -> list[Data]:
    """Let node order[i] be called i, and list the edges in another order."""
    inverse = torch.empty_like(order)
    inverse[order] = torch.arange(order.size(0))
    generator = torch.Generator().manual_seed(edge_seed)
    answer = []
    for data in snapshots:
        edges = inverse[data.edge_index]
        edges = edges[:, torch.randperm(edges.size(1), generator=generator)]
        copy = Data(x=data.x[order], edge_index=edges)
        if getattr(data, "pe", None) is not None:
            copy.pe = data.pe[order]
        answer.append(copy)
    return answer


def two_blocks(
    seed: int = 0, num_nodes: int = 30, num_snapshots: int = 6
) -> tuple[list[torch.Tensor], np.ndarray]:
    """The edges of a sparse two-block graph, drawn anew in each snapshot, and the block of each node."""
    rng = np.random.default_rng(seed)
    block = np.arange(num_nodes) % 2
    rows, columns = np.triu_indices(num_nodes, 1)
    likely = np.where(block[rows] == block[columns], 0.35, 0.02)
    edges = []
    for _ in range(num_snapshots):
        kept = rng.random(rows.size) < likely
        edges.append(edge_index(np.stack([rows[kept], columns[kept]], axis=1)))
    return edges, block


def cycle(nodes: list[int]) -> list[tuple[int, int]]:
    return list(zip(nodes, nodes[1:] + nodes[:1], strict=True))


def hexagon_and_triangles() -> torch.Tensor:
    """Nodes 0–5 in a hexagon, 6–8 and 9–11 in triangles: all of degree 2, alike to colour refinement."""
    return edge_index(np.array(cycle([0, 1, 2, 3, 4, 5]) + cycle([6, 7, 8]) + cycle([9, 10, 11])))
