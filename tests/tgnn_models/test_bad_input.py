"""Bad input: an error that names the argument, its value and what is allowed."""

import re

import pytest
import torch
from torch_geometric.data import Data

from tgnn_models import (
    EGCN,
    GRUGCN,
    HTGN,
    SLATE,
    CrossAttentionDecoder,
    DotDecoder,
    FermiDiracDecoder,
    InvalidArgumentError,
    InvalidSnapshotError,
    MLPDecoder,
    ModelError,
    State,
    build,
    prepare,
)

EDGES = torch.tensor([[0, 1], [1, 0]])


def snapshot(num_nodes: int = 3, **parts) -> Data:
    return Data(**{"x": torch.zeros(num_nodes, 5), "edge_index": EDGES, **parts})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EGCN(0, 4), "in_channels=0: must be an integer >= 1"),
        (lambda: GRUGCN(5, 2.5), "hidden_channels=2.5: must be an integer >= 1"),
        (lambda: GRUGCN(5, True), "hidden_channels=True: must be an integer >= 1"),
        (lambda: HTGN(5, 4, pe_channels=-1), "pe_channels=-1: must be an integer >= 0"),
        (lambda: EGCN(5, 4, variant="x"), "variant='x': must be one of 'h', 'o'"),
        (lambda: EGCN(5, 4, num_layers=0), "num_layers=0: must be an integer >= 1"),
        (lambda: EGCN(5, 4, gru_init="zeros"), "gru_init='zeros': must be one of 'published', 'slow'"),
        (lambda: EGCN(5, 4, embed_channels=0), "embed_channels=0: must be an integer >= 1"),
        (lambda: EGCN(5, 4, dropout=1.0), "dropout=1.0: must be a number in [0, 1)"),
        (lambda: GRUGCN(5, 4, dropout=float("nan")), "dropout=nan: must be a number in [0, 1)"),
        (lambda: GRUGCN(5, 4, num_layers=0), "num_layers=0: must be an integer >= 1"),
        (lambda: GRUGCN(5, 4, window=0), "window=0: must be an integer >= 1"),
        (
            lambda: GRUGCN(5, 4, hidden_init="zeros"),
            "hidden_init='zeros': must be one of 'glorot', 'constant'",
        ),
        (
            lambda: GRUGCN(5, 4, attention_reduce="max"),
            "attention_reduce='max': must be one of 'mean', 'sum'",
        ),
        (lambda: HTGN(5, 4, curvature=0), "curvature=0: must be a finite number > 0"),
        (lambda: HTGN(5, 4, curvature=float("inf")), "curvature=inf: must be a finite number > 0"),
        (lambda: SLATE(5, 6, num_heads=4), "num_heads=4: must divide the width, 6"),
        (lambda: SLATE(5, 8, feedforward_channels=0), "feedforward_channels=0: must be an integer >= 1"),
        (lambda: CrossAttentionDecoder(6, num_heads=4), "num_heads=4: must divide the width, 6"),
        (lambda: CrossAttentionDecoder(8, aggregate="max"), "aggregate='max': must be one of 'last', 'mean'"),
        (lambda: MLPDecoder(0), "channels=0: must be an integer >= 1"),
        (lambda: FermiDiracDecoder(-1.0), "curvature=-1.0: must be a finite number > 0"),
        (lambda: FermiDiracDecoder(temperature=0), "temperature=0: must be a finite number > 0"),
        (lambda: build("gcn", 5, 4), "name='gcn': must be one of 'egcn', 'egcn-h'"),
        (lambda: build("htgn", 5, 4, decoder="cosine"), "decoder='cosine': must be one of 'dot'"),
        (lambda: build("egcn", 5, 4, hidden_init="glorot"), "hidden_init='glorot': no option of 'egcn'"),
        (lambda: build("egcn-h", 5, 4, variant="o"), "variant='o': no option of 'egcn-h'"),
        (lambda: GRUGCN(5, 4).initial_state(0), "num_nodes=0: must be an integer >= 1"),
    ],
)
def test_parameters_die_in_the_constructor(make, message):
    with pytest.raises(InvalidArgumentError, match=re.escape(message)):
        make()


@pytest.mark.parametrize(
    "model", [EGCN(5, 4), GRUGCN(5, 4), HTGN(5, 4), SLATE(5, 4)], ids=lambda m: type(m).__name__
)
@pytest.mark.parametrize(
    ("snapshots", "message"),
    [
        ([], "snapshots=[]: must hold at least one snapshot"),
        (snapshot(), "snapshots=Data: must be a sequence, newest last"),
        ([snapshot(x=torch.zeros(3, 4))], "snapshots[0].x.shape=(3, 4): must have 5 channels (in_channels)"),
        ([snapshot(), snapshot(4)], "snapshots[1].num_nodes=4: must be 3, as in snapshots[0]"),
        ([snapshot(x=torch.tensor([0, 5, 1]))], "snapshots[0].x=5: must be an index below 5 (in_channels)"),
        ([snapshot(x=torch.tensor([0, -1, 1]))], "x=-1: must be an index >= 0"),
        ([snapshot(x=torch.zeros(3))], "x.shape=(3,) of torch.float32: must be float (num_nodes, channels)"),
        ([snapshot(x=torch.zeros(3, 5, dtype=torch.int64))], "x.shape=(3, 5) of torch.int64"),
        ([snapshot(x=torch.zeros(0, 5))], "x.shape[0]=0: must have at least one node"),
        ([snapshot(x=None)], "x=None: must be a tensor"),
        ([snapshot(x=torch.full((3, 5), torch.nan))], "x=nan: must be finite"),
        ([snapshot(pe=torch.zeros(3, 2))], "snapshots[0].pe has 2 channels: must have 0 (pe_channels)"),
        (
            [snapshot(pe=torch.zeros(2, 2))],
            "pe.shape=(2, 2) of torch.float32: must be float (3, pe_channels)",
        ),
        ([snapshot(pe=torch.full((3, 2), torch.inf))], "pe=inf: must be finite"),
        ([snapshot(edge_index=torch.tensor([[0], [3]]))], "edge_index=3: must be a node in 0..2"),
        ([snapshot(edge_index=torch.tensor([[0], [-1]]))], "edge_index=-1: must be a node in 0..2"),
        (
            [snapshot(edge_index=torch.zeros(3, 2, dtype=torch.int64))],
            "edge_index.shape=(3, 2): must be (2, num_edges)",
        ),
        ([snapshot(edge_index=torch.zeros(2, 2))], "edge_index.dtype=torch.float32: must be torch.int64"),
        ([snapshot(edge_index=None)], "edge_index=None: must be a tensor (2, num_edges)"),
        ([snapshot(edge_weight=torch.ones(3))], "edge_weight.shape=(3,): must be (2,)"),
        ([snapshot(edge_weight=torch.tensor([1.0, -2.0]))], "edge_weight=-2.0: must be >= 0"),
        ([snapshot(edge_weight=torch.tensor([1.0, torch.inf]))], "edge_weight=inf: must be finite"),
        (
            [prepare(snapshot(), torch.float64)],
            "snapshots[0]: prepared as torch.float64: must be torch.float32",
        ),
    ],
)
def test_snapshots(model, snapshots, message):
    with pytest.raises(InvalidSnapshotError, match=re.escape(message)):
        model(snapshots)


def test_a_missing_encoding_is_named():
    with pytest.raises(InvalidSnapshotError, match=re.escape("snapshots[0].pe has 0 channels: must have 8")):
        SLATE(5, 4, pe_channels=8)([snapshot()])


@pytest.mark.parametrize("model", [EGCN(5, 4), GRUGCN(5, 4), SLATE(5, 4)], ids=lambda m: type(m).__name__)
def test_a_state_of_another_shape(model):
    with pytest.raises(
        InvalidArgumentError, match=re.escape("state has tensors of shapes [(5, 2, 4)]: must be")
    ):
        model([snapshot()], State((torch.zeros(5, 2, 4),)))
    with pytest.raises(InvalidArgumentError, match="state=list: must be a State or None"):
        model([snapshot()], [torch.zeros(5, 2, 4)])


@pytest.mark.parametrize(
    "decoder", [DotDecoder(), FermiDiracDecoder(), MLPDecoder(4), CrossAttentionDecoder(4)]
)
@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (torch.tensor([[0], [3]]), "edge_label_index=3: must be a node in 0..2"),
        (torch.tensor([[-1], [2]]), "edge_label_index=-1: must be a node in 0..2"),
        (torch.zeros(2, dtype=torch.int64), "edge_label_index.shape=(2,): must be (2, num_edges)"),
        (torch.zeros(2, 1), "edge_label_index.dtype=torch.float32: must be torch.int64"),
    ],
)
def test_pairs(decoder, pairs, message):
    with pytest.raises(InvalidArgumentError, match=re.escape(message)):
        decoder(torch.zeros(3, 4), pairs)


@pytest.mark.parametrize("decoder", [MLPDecoder(4), CrossAttentionDecoder(4)])
def test_embeddings_of_another_width(decoder):
    with pytest.raises(InvalidArgumentError, match=re.escape("z.shape=(3, 5): must be (num_nodes, 4) or")):
        decoder(torch.zeros(3, 5), EDGES)


def test_every_error_is_a_value_error():
    assert issubclass(ModelError, ValueError)
    assert issubclass(InvalidArgumentError, ModelError)
    assert issubclass(InvalidSnapshotError, ModelError)
