"""Which settings matter where: a search should not spend its trials on one that changes nothing."""

from collections.abc import Collection

from supra_experiments.sweeping.types import Cell

_OF_ENCODINGS = {
    "k",
    "pe_window",
    "coupling",
    "normalization",
    "global_nodes",
    "drop_isolated",
    "skip_trivial",
    "with_eigenvalues",
    "align",
    "absent",
    "with_age",
    "scale_pe",
    "flip_signs",
}
_OF_MODELS = {
    "num_heads": ("slate",),
    "feedforward_channels": ("slate",),
    "active_only": ("slate",),
    "curvature": ("htgn",),
    "learn_curvature": ("htgn",),
    "hidden_init": ("grugcn", "htgn"),
    "attention_reduce": ("grugcn", "htgn"),
    "embed_channels": ("egcn",),
}


def has_effect(name: str, cell: Cell, given: Collection[str] = ()) -> bool:
    """Whether a setting changes anything in a cell.

    Args:
        name: of the setting.
        cell: where.
        given: all settings that are given there; an encoder without a window of its own takes the model's.

    Example:
        >>> exact, inexact = (Cell("demo", "htgn", pe, "zeros") for pe in ("slpe-e", "slpe-i"))
        >>> has_effect("max_steps", exact), has_effect("max_steps", inexact)
        (False, True)
    """
    family = cell.model.split("-")[0]
    if name in ("pe_init", "max_steps"):
        return cell.pe.endswith(("-i", "-t"))
    if name in _OF_ENCODINGS:
        return cell.pe != "none"
    if name == "window":  # EvolveGCN has none
        return family != "egcn" or (cell.pe != "none" and "pe_window" not in given)
    if name == "random_channels":
        return cell.features == "random"
    return family in _OF_MODELS.get(name, (family,))
