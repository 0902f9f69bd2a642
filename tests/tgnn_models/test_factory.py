"""Models by name."""

import pytest
import torch

from tgnn_models import DECODERS, EGCN, GRUGCN, HTGN, MODELS, SLATE, build

from .graphs import random_snapshots


@pytest.mark.parametrize(
    ("name", "model_class", "decoder"),
    [
        ("egcn", EGCN, "DotDecoder"),
        ("egcn-h", EGCN, "DotDecoder"),
        ("egcn-o", EGCN, "DotDecoder"),
        ("grugcn", GRUGCN, "DotDecoder"),
        ("htgn", HTGN, "FermiDiracDecoder"),
        ("slate", SLATE, "CrossAttentionDecoder"),
    ],
)
def test_each_name_gives_its_model_and_published_decoder(name, model_class, decoder):
    model, made = build(name, 5, 8)
    assert type(model) is model_class
    assert type(made).__name__ == decoder
    assert model.trains_through_time == (model_class is EGCN)
    if name.startswith("egcn"):
        assert model.variant == ("o" if name == "egcn-o" else "h")


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("name", MODELS)
def test_every_model_goes_with_every_decoder(name, decoder):
    model, scorer = build(name, 5, 8, decoder=decoder)
    z, _ = model(random_snapshots())
    # Embeddings outside HTGN's ball have no hyperbolic distance.
    z = z * 0.01 if decoder == "fermi-dirac" else z
    assert scorer(z, torch.tensor([[0, 1], [2, 3]])).isfinite().all()
