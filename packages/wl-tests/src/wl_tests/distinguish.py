"""Do two temporal graphs differ, as far as a test can see?"""

from collections.abc import Callable
from typing import Any, Literal

from supra_core import InvalidArgumentError, TemporalGraph
from wl_tests.colouring import Colouring
from wl_tests.layer_wl import layer_wl
from wl_tests.supra_wl import supra_wl
from wl_tests.verdict import Verdict

WLTest = Callable[..., Colouring]
"""``supra_wl``, ``layer_wl`` or anything called and answering like them."""

_NAMED: dict[str, WLTest] = {"supra": supra_wl, "layer": layer_wl}


def distinguishes(
    test: WLTest | Literal["supra", "layer"], g: TemporalGraph, h: TemporalGraph, **options: Any
) -> Verdict:
    """Run a test on two temporal graphs and say whether, and after which round, it tells them apart.

    Args:
        test: :func:`supra_wl` or :func:`layer_wl` (or ``"supra"``, ``"layer"``).
        g, h: temporal graphs with the same number of snapshots.
        options: ``node_features``, ``edge_labels``, ``max_rounds``, as the test takes them.

    Raises:
        InvalidArgumentError, InvalidGraphError: as the test does.

    Example:
        >>> from wl_tests import gallery, layer_wl, supra_wl
        >>> pair = gallery.moved_edge()
        >>> print(distinguishes(supra_wl, pair.first, pair.second))
        supra_wl: distinguished at round 2
        >>> print(distinguishes(layer_wl, pair.first, pair.second))
        layer_wl: inconclusive (stable after 1 round, equal multisets of colours)
    """
    rule = _NAMED.get(test) if isinstance(test, str) else test
    if not callable(rule):
        raise InvalidArgumentError.of("test", test, "supra_wl, layer_wl, 'supra' or 'layer'")
    return rule(g, h, **options).verdict(0, 1)
