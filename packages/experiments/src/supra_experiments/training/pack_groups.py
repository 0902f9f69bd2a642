"""Which runs can train as one: the same graph, model and shapes, whatever else differs."""

import math
from collections.abc import Callable, Hashable, Sequence

from supra_core.checks import check_count
from supra_experiments.config import Config
from supra_experiments.config.encoding import Encoding

_OWN = {
    *Encoding.settings(),
    *("features", "random_channels", "model"),
    *("dropout", "curvature", "hidden_init", "gru_init"),
    *("seed", "lr", "weight_decay", "grad_clip", "consistency", "max_epochs", "min_epochs", "patience"),
}
"""Settings in which runs of a pack may differ, as long as their inputs have the same shapes."""


def is_stackable(config: Config) -> bool:
    """Whether runs of these settings can train together with others.

    Example:
        >>> [is_stackable(Config(model=model)) for model in ("htgn", "slate", "logistic")]
        [True, True, False]
    """
    return config.model.is_network


def kind_of(config: Config) -> Hashable:
    """The same for runs that fit together; None for one that fits with no other."""
    if not is_stackable(config):
        return None
    config = config.resolved()
    encoder = config.encoder
    shared = {name: value for name, value in config.values().items() if name not in _OWN}
    channels = 0 if encoder is None else encoder.dim
    return config.model.name, _features(config), channels, tuple(sorted(shared.items()))


def group_into_packs(configs: Sequence[Config], limit: int | Callable[[Config], int]) -> list[list[Config]]:
    """Runs in packs that :func:`~supra_experiments.training.pack_fit.fit_pack` takes.

    Args:
        configs: the settings of the runs.
        limit: how many a pack has at most, or what gives that for the first run of a kind.

    Returns:
        The packs in the order of their first runs, those of one kind about equally large; runs that cannot be
        stacked are packs of one.

    Raises:
        InvalidArgumentError: a limit that is no integer >= 1.

    Example:
        >>> runs = [Config(model=model, seed=seed) for seed in range(3) for model in ("grugcn", "degree")]
        >>> [[run.training.seed for run in pack] for pack in group_into_packs(runs, 2)]
        [[0, 1], [0], [1], [2], [2]]
    """
    alike: dict[Hashable, list[int]] = {}
    for place, config in enumerate(configs):
        alike.setdefault(kind_of(config), []).append(place)
    packs: list[list[int]] = []
    for kind, places in alike.items():
        most = check_count("limit", limit(configs[places[0]]) if callable(limit) else limit)
        size = 1 if kind is None else math.ceil(len(places) / math.ceil(len(places) / most))
        packs += [places[i : i + size] for i in range(0, len(places), size)]
    return [[configs[place] for place in pack] for pack in sorted(packs)]


def fit_together(configs: Sequence[Config]) -> bool:
    """Whether all of these can train as one pack; one alone always can."""
    kinds = {kind_of(config) for config in configs}
    return len(configs) < 2 or (len(kinds) == 1 and None not in kinds)


def _features(config: Config) -> Hashable:
    """What the shape of the node features depends on, beside the graph."""
    return {"random": config.data.random_channels, "zeros": 1}.get(config.data.features, config.data.features)
