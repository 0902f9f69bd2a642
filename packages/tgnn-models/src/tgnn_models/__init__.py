"""EvolveGCN, GRUGCN, HTGN and SLATE, with any encoding: ``z, state = model(snapshots, state)``."""

from .base import TemporalModel
from .decoders import CrossAttentionDecoder, Decoder, DotDecoder, FermiDiracDecoder, MLPDecoder
from .egcn import EGCN
from .errors import InvalidArgumentError, InvalidSnapshotError, ModelError
from .factory import DECODERS, MODELS, build
from .grugcn import GRUGCN
from .history_decoder import HistoryDecoder
from .htgn import HTGN
from .slate import SLATE
from .snapshot import Snapshot, prepare
from .state import State
from .tokens import TokenGroups

__version__ = "0.1.0"

__all__ = [
    "DECODERS",
    "EGCN",
    "GRUGCN",
    "HTGN",
    "MODELS",
    "SLATE",
    "CrossAttentionDecoder",
    "Decoder",
    "DotDecoder",
    "FermiDiracDecoder",
    "HistoryDecoder",
    "InvalidArgumentError",
    "InvalidSnapshotError",
    "MLPDecoder",
    "ModelError",
    "Snapshot",
    "State",
    "TemporalModel",
    "TokenGroups",
    "build",
    "prepare",
]
