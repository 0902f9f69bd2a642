"""Temporal link prediction with positional encodings: datasets, protocol, training, the ``supra`` command."""

from typing import TYPE_CHECKING, Any

from supra_experiments.config import Config
from supra_experiments.datasets import Dataset, load
from supra_experiments.datasets.splits import Split
from supra_experiments.errors import ExperimentError
from supra_experiments.training.record import RunRecord, read_records
from supra_experiments.training.record_file import RecordFile

if TYPE_CHECKING:
    from supra_experiments.training.fit import fit
    from supra_experiments.training.pack_fit import fit_pack

__version__ = "0.1.0"

__all__ = [
    "Config",
    "Dataset",
    "ExperimentError",
    "RecordFile",
    "RunRecord",
    "Split",
    "fit",
    "fit_pack",
    "load",
    "read_records",
]


def __getattr__(name: str) -> Any:
    """Import what trains when first asked for: PyTorch takes seconds that most commands can do without."""
    if name == "fit":
        from supra_experiments.training.fit import fit

        return fit
    if name == "fit_pack":
        from supra_experiments.training.pack_fit import fit_pack

        return fit_pack
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
