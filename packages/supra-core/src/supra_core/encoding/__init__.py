"""Positional encodings of temporal graphs: LPE and SLPE, exact, inexact and trajectory."""

from supra_core.encoding.encoder import Encoder, Method, Variant
from supra_core.encoding.encoding import Encoding
from supra_core.encoding.stability import Stability
from supra_core.encoding.stream import StreamEncoder
from supra_core.encoding.windows import Encodings

__all__ = ["Encoder", "Encoding", "Encodings", "Method", "Stability", "StreamEncoder", "Variant"]
