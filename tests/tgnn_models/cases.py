"""One table of the models: every property is tested on every row."""

import pytest
import torch

from tgnn_models import Decoder, State, TemporalModel, build

CASES = {
    "egcn-h": ("egcn-h", {}),
    "egcn-o": ("egcn-o", {}),
    "egcn-h, three layers": ("egcn-h", {"num_layers": 3}),
    "egcn-o, one layer": ("egcn-o", {"num_layers": 1}),
    "egcn-h, embedded": ("egcn-h", {"embed_channels": 6}),
    "egcn-h, slow start": ("egcn-h", {"gru_init": "slow"}),
    "grugcn": ("grugcn", {}),
    "grugcn, three layers": ("grugcn", {"num_layers": 3, "window": 2}),
    "htgn": ("htgn", {}),
    "htgn, curvature learned": ("htgn", {"curvature": 0.7, "learn_curvature": True}),
    "slate": ("slate", {}),
    "slate, active only": ("slate", {"active_only": True, "num_layers": 2}),
}

every_model = pytest.mark.parametrize("case", CASES)


def make(
    case: str, in_channels: int, hidden_channels: int = 8, seed: int = 0, **options
) -> tuple[TemporalModel, Decoder]:
    """The model of a row and its decoder, the same for the same seed."""
    torch.manual_seed(seed)
    name, own = CASES[case]
    return build(name, in_channels, hidden_channels, **own, **options)


def shaken(module: torch.nn.Module, seed: int = 0, scale: float = 0.3) -> torch.nn.Module:
    """The module with noise on every parameter, so that nothing holds only because a bias starts at zero."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += scale * torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype)
    return module


def state_of(model: TemporalModel, num_nodes: int) -> State:
    return model.initial_state(num_nodes).detach()
