"""On the published datasets: channels keep their signs, and nodes their rows."""

import numpy as np
import pytest

from supra_core import Encoder
from supra_experiments.datasets import load

from ..helpers import REAL, needs_data

pytestmark = needs_data

MATCHING = 0.8


def compared(values: np.ndarray, graph) -> np.ndarray:
    """Cosines of each channel at t and at t - 1 over the nodes that are active at both, for all t."""
    found = []
    for t in range(1, graph.num_snapshots):
        both = graph.active(t) & graph.active(t - 1)
        now, before = values[t][both], values[t - 1][both]
        sizes = np.linalg.norm(now, axis=0) * np.linalg.norm(before, axis=0)
        found.append(np.sum(now * before, axis=0) / sizes)
    return np.concatenate(found)


@pytest.mark.parametrize("dataset", ["enron10", "dblp", "canparl"])
@pytest.mark.parametrize("settings", [{}, {"k": 8, "coupling": 1.0}], ids=["defaults", "as before"])
def test_no_flipped_pair_and_no_zero_row(dataset, settings):
    graph = load(dataset, root=REAL).graph
    for align in ("signs", "rotation"):
        encodings = Encoder(**settings, align=align).encode_all(graph)
        cosines = compared(encodings.values, graph)
        assert (np.abs(cosines) > MATCHING).sum() >= 10
        assert not (cosines < -MATCHING).any()
        for encoding in encodings:
            seen = encoding.age < 5
            assert encoding.values[seen].any(axis=1).all()
            assert not encoding.values[~seen].any()


def test_without_alignment_there_are_flipped_pairs_and_zero_rows():
    """Figures of the settings before, so that the test above is known to be able to fail."""
    matching = flipped = zeros = 0
    for dataset in ("enron10", "dblp", "canparl"):
        graph = load(dataset, root=REAL).graph
        encoder = Encoder.paper(k=8, window=5, normalization="sym")
        encodings = encoder.encode_all(graph)
        cosines = compared(encodings.values, graph)
        matching += int((np.abs(cosines) > MATCHING).sum())
        flipped += int((cosines < -MATCHING).sum())
        zeros += sum(int((~e.values[e.age < 5].any(axis=1)).sum()) for e in encodings)
    assert (matching, flipped, zeros) == (90, 23, 2213)
