"""Seeded temporal graphs to try things on, and the spectra that are known."""

from supra_core.generators.changing import barabasi_albert, block_model
from supra_core.generators.repeated import (
    complete_layers,
    cycle_layers,
    grid_layers,
    path_layers,
    star_layers,
)
from supra_core.generators.spectra import (
    complete_spectrum,
    cycle_spectrum,
    grid_spectrum,
    path_spectrum,
    star_spectrum,
    supra_spectrum,
)

__all__ = [
    "barabasi_albert",
    "block_model",
    "complete_layers",
    "complete_spectrum",
    "cycle_layers",
    "cycle_spectrum",
    "grid_layers",
    "grid_spectrum",
    "path_layers",
    "path_spectrum",
    "star_layers",
    "star_spectrum",
    "supra_spectrum",
]
