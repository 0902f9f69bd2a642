"""What an encoding adds: nodes that a model cannot tell apart without one, and can with SLPE."""

import pytest
import torch
from torch_geometric.data import Data

from .cases import CASES, every_model, make, shaken
from .graphs import hexagon_and_triangles
from .oracles import supra_laplacian_encoding

HEXAGON, TRIANGLE, NUM_NODES, WINDOW, K = 0, 6, 12, 3, 4


def snapshots(encoded: bool) -> list[Data]:
    edges = [hexagon_and_triangles()] * WINDOW
    encodings = supra_laplacian_encoding(edges, NUM_NODES, K)
    return [
        Data(x=torch.zeros(NUM_NODES, 2), edge_index=edges[t], pe=encodings[t] if encoded else None)
        for t in range(WINDOW)
    ]


def embedded(case: str, seed: int, encoded: bool) -> torch.Tensor:
    """Every parameter is shaken: what is equal is equal for all weights, not for those of the start."""
    options = {"hidden_init": "constant"} if CASES[case][0] in ("grugcn", "htgn") else {}
    model, _ = make(case, 2, seed=seed, pe_channels=K if encoded else 0, **options)
    return shaken(model.double(), seed)(snapshots(encoded))[0].reshape(NUM_NODES, -1)


@every_model
@pytest.mark.parametrize("seed", range(3))
def test_a_node_of_the_hexagon_and_one_of_a_triangle(case, seed):
    without = embedded(case, seed, encoded=False)
    torch.testing.assert_close(without[HEXAGON], without[TRIANGLE], rtol=1e-9, atol=1e-10)
    with_slpe = embedded(case, seed, encoded=True)
    assert (with_slpe[HEXAGON] - with_slpe[TRIANGLE]).abs().max() > 1e-3
