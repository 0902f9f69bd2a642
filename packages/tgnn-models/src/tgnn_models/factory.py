"""A model with the decoder it was published with, by name."""

from __future__ import annotations

import inspect
from typing import Any

from .base import TemporalModel
from .checks import check_choice
from .decoders import CrossAttentionDecoder, Decoder, DotDecoder, FermiDiracDecoder, MLPDecoder
from .egcn import EGCN
from .errors import InvalidArgumentError
from .grugcn import GRUGCN
from .htgn import HTGN
from .slate import SLATE

#: Each name with its class, the parameters that the name stands for, and its decoder.
MODELS: dict[str, tuple[type[TemporalModel], dict[str, Any], str]] = {
    "egcn": (EGCN, {}, "dot"),
    "egcn-h": (EGCN, {"variant": "h"}, "dot"),
    "egcn-o": (EGCN, {"variant": "o"}, "dot"),
    "grugcn": (GRUGCN, {}, "dot"),
    "htgn": (HTGN, {}, "fermi-dirac"),
    "slate": (SLATE, {}, "cross-attention"),
}
DECODERS = ("dot", "fermi-dirac", "mlp", "cross-attention")


def build(
    name: str, in_channels: int, hidden_channels: int, *, decoder: str | None = None, **options: Any
) -> tuple[TemporalModel, Decoder]:
    """Return a model and its decoder.

    Args:
        name: one of ``MODELS``: egcn (that is egcn-h), egcn-h, egcn-o, grugcn, htgn, slate.
        in_channels: the width of ``Data.x``, or the number of one-hot categories.
        hidden_channels: the width of the embeddings.
        decoder: one of ``DECODERS``; the published one unless told.
        **options: the model's own parameters, such as ``pe_channels``, ``window`` or ``hidden_init``.

    Raises:
        InvalidArgumentError: if a name, a parameter or an option is not one of those.

    Example:
        >>> model, decoder = build("htgn", 184, 16, pe_channels=8)
        >>> type(model).__name__, type(decoder).__name__
        ('HTGN', 'FermiDiracDecoder')
    """
    cls, preset, published = MODELS[check_choice("name", name, MODELS)]
    kind = check_choice("decoder", decoder or published, DECODERS)
    allowed = [option for option in inspect.signature(cls).parameters if option not in preset][2:]
    for option in options:
        if option not in allowed:
            raise InvalidArgumentError(
                f"{option}={options[option]!r}: no option of {name!r}; must be one of {', '.join(allowed)}"
            )
    model = cls(in_channels, hidden_channels, **preset, **options)
    return model, _decoder(kind, model)


def _decoder(kind: str, model: TemporalModel) -> Decoder:
    if kind == "dot":
        return DotDecoder()
    if kind == "fermi-dirac":
        return FermiDiracDecoder(model.ball) if isinstance(model, HTGN) else FermiDiracDecoder()
    if kind == "mlp":
        return MLPDecoder(model.hidden_channels, dropout=model.dropout)
    heads = model.num_heads if isinstance(model, SLATE) else 1
    return CrossAttentionDecoder(model.hidden_channels, num_heads=heads, dropout=model.dropout)
