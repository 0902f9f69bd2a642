"""Exact Weisfeiler–Leman tests for temporal graphs: Supra-WL and Layer-WL."""

from wl_tests import gallery, search
from wl_tests.colouring import Colouring, refines
from wl_tests.distinguish import distinguishes
from wl_tests.layer_wl import layer_wl
from wl_tests.relabel import relabel
from wl_tests.supra_wl import supra_wl
from wl_tests.verdict import Verdict

__version__ = "0.1.0"

__all__ = [
    "Colouring",
    "Verdict",
    "distinguishes",
    "gallery",
    "layer_wl",
    "refines",
    "relabel",
    "search",
    "supra_wl",
]
