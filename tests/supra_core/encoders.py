"""Encoders for tests that run over all variants."""

from typing import Any

from supra_core import Encoder


def plain(method: str = "slpe", variant: str = "exact", **settings: Any) -> Encoder:
    """An encoder with the paper's settings, without those that its variant has no use for."""
    if variant == "exact":
        settings = {name: value for name, value in settings.items() if name != "max_steps"}
    if settings.get("init") != "previous":
        settings = {name: value for name, value in settings.items() if name != "restart_every"}
    return Encoder.paper(method=method, variant=variant, **settings)
