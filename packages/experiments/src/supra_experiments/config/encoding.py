"""The positional encoding: what ``supra encode``, ``supra train`` and sweeps mean by each of its settings."""

from dataclasses import dataclass
from typing import Any

from supra_core import Encoder
from supra_experiments.config.setting import Check, Part, count, nonnegative, one_of, setting

ENCODED = ("lpe-e", "lpe-i", "lpe-t", "slpe-e", "slpe-i", "slpe-t")
PES = ("none", *ENCODED)
INEXACT = tuple(pe for pe in ENCODED if not pe.endswith("-e"))
UNSTEADY = tuple(pe for pe in ENCODED if pe not in ("slpe-e", "slpe-i"))
"""Whose channels change from window to window: an LPE's with its basis, a trajectory's on the way to one."""
INITS = ("normal", "rademacher", "uniform", "previous")

_VARIANTS: dict[str, Any] = {"e": "exact", "i": "inexact", "t": "trajectory"}
_OF_THE_ENCODER = (
    *("k", "coupling", "normalization", "global_nodes", "drop_isolated", "skip_trivial"),
    *("with_eigenvalues", "align", "absent", "with_age"),
)
"""Settings that the encoder has by the same name."""
_OWN = Encoder()
"""The defaults of encodings have one home: the encoder."""


def _encoded(default: Any, help: str, check: Check | None = None, **more: Any) -> Any:
    return setting(default, help, check, **{"pes": ENCODED} | more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding(Part):
    """The positional encoding; settings that are None are the encoder's own, or SLATE's.

    SLATE has some of its own: fewer eigenvectors, the window that it reads, and signs as they come, since it
    reads all layers of a window at once, whose signs agree already.
    """

    pe: str = setting(
        "none",
        "``none``, ``slpe`` (the window's snapshots as one graph) or ``lpe`` (each alone), with ``-e`` "
        "exact, ``-i`` inexact, ``-t`` the solver's trajectory.",
        one_of(*PES),
    )
    k: int | None = _encoded(None, "Eigenvectors.", count, otherwise=_OWN.k, own={"slate": 8})
    pe_window: int | None = _encoded(
        None,
        "Snapshots that an encoding looks at; where not given, ``window`` where that is.",
        count,
        otherwise=_OWN.window,
        own={"slate": 3},
    )
    coupling: float | None = _encoded(
        None,
        "The weight of the edges between layers.",
        nonnegative,
        otherwise=float(_OWN.coupling),
    )
    normalization: str = _encoded(
        _OWN.normalization or "none",
        "Of the Laplacian: ``none``, ``sym`` or ``rw``.",
        one_of("none", "sym", "rw"),
    )
    global_nodes: bool = _encoded(_OWN.global_nodes, "A global node in each layer.")
    drop_isolated: bool = _encoded(_OWN.drop_isolated, "Leave nodes without edges out of their layer.")
    skip_trivial: bool = _encoded(_OWN.skip_trivial, "Leave out the constant eigenvector.")
    with_eigenvalues: bool = _encoded(_OWN.with_eigenvalues, "Eigenvalues as further channels.")
    align: str | None = _encoded(
        None,
        "How a window agrees with the one before: ``signs``, ``rotation`` (within clusters of eigenvalues) "
        "or ``none``.",
        one_of("rotation", "signs", "none"),
        otherwise=_OWN.align or "none",
        own={"slate": "none"},
    )
    absent: str | None = _encoded(
        None,
        "What a node without an edge gets: its ``last`` row in the window, or ``zeros``; where not given, "
        "``last``, but ``zeros`` for ``lpe``.",
        one_of("last", "zeros"),
        otherwise=_OWN.absent,
        own={"lpe": Encoder("lpe").absent},
    )
    with_age: bool = _encoded(_OWN.with_age, "The snapshots since a node's last edge as a further channel.")
    pe_init: str = _encoded(
        _OWN.init,
        "How the inexact solver starts: ``normal``, ``rademacher``, ``uniform`` or from the ``previous`` "
        "window.",
        one_of(*INITS),
        pes=INEXACT,
    )
    max_steps: int = _encoded(
        20, "Steps of the inexact solver, and length of a trajectory.", count, pes=INEXACT
    )
    scale_pe: bool | None = _encoded(
        None,
        "Scale eigenvectors by the root of their length: entries are about 1 whatever the graph's size; "
        "where not given, all but an LPE's and trajectories in EvolveGCN, and an LPE's in SLATE beside "
        "one-hot features.",
        otherwise=_OWN.scale is not None,
        own={"egcn of unsteady channels": False, "slate beside one-hot features, lpe": False},
    )
    flip_signs: bool | None = _encoded(
        None,
        "Random signs of eigenvectors while training, as the paper does, instead of canonical ones; where "
        "not given, those of SLATE beside features other than zeros.",
        otherwise=False,
        own={"slate beside features": True},
    )

    def encoder(self, **more: Any) -> Encoder | None:
        """The encoder that the settings describe; None for ``pe = "none"``.

        Args:
            more: arguments of the encoder that are no settings of a run, or that win over them.

        Example:
            >>> Encoding(pe="slpe-t", k=4, max_steps=5).encoder().dim
            20
            >>> Encoding(pe="slpe-e").encoder() == Encoder()
            True
        """
        if self.pe == "none":
            return None
        method, variant = self.pe.split("-")
        values = {name: known.default(method) for name, known in self.settings().items()}
        values |= {name: value for name, value in self.values().items() if value is not None}
        own: dict[str, Any] = {
            name: None if values[name] == "none" else values[name] for name in _OF_THE_ENCODER
        }
        own |= {"method": method, "variant": _VARIANTS[variant], "window": values["pe_window"]}
        own["scale"] = "rows" if values["scale_pe"] else None
        if self.pe in INEXACT:  # the exact solver has no use for these
            own |= {"init": self.pe_init, "max_steps": self.max_steps}
        elif self.pe_init == "previous":
            own["init"] = self.pe_init
        return Encoder(**own | more)
