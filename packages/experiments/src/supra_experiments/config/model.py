"""The model and what it is made of."""

from dataclasses import dataclass
from typing import Any

from supra_core.checks import check_probability
from supra_core.errors import InvalidArgumentError
from supra_experiments.config.setting import Part, count, one_of, positive, setting

NETWORKS = ("egcn", "egcn-h", "egcn-o", "grugcn", "htgn", "slate")
"""Names of networks; ``egcn`` is ``egcn-h`` by another name."""
LEARNED_SCORES = ("logistic", "boosting", "blend")
"""Scores that are learned from the pasts of pairs, without a network and without node features."""
LEARNED = (*NETWORKS, *LEARNED_SCORES)
"""Models with anything to train."""
UNLEARNED = ("edgebank", "degree", "count", "neighbours")
"""Scores without learning."""
MODELS = (*LEARNED, *UNLEARNED)
DECODERS = ("dot", "fermi-dirac", "mlp", "cross-attention")


def _dropout(name: str, value: float) -> None:
    if check_probability(name, value) == 1:
        raise InvalidArgumentError.of(name, value, "below 1")


def _decay(name: str, value: float) -> None:
    if not check_probability(name, value):
        raise InvalidArgumentError.of(name, value, "above 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Part):
    """The model and what it is made of; settings that are None are the model's own.

    ``model`` is the name as it was written, by which files and digests know a run; :attr:`name` is the one
    to go by.

    Example:
        >>> Model(model="egcn").name, Model(model="htgn", window=3).options["curvature"]
        ('egcn-h', 1.0)
    """

    model: str = setting(
        "htgn",
        "``egcn-h``, ``egcn-o``, ``grugcn``, ``htgn``, ``slate``; learned from the pasts of pairs alone "
        "``logistic``, ``boosting`` or the ``blend`` of both; or without learning ``edgebank``, ``degree``, "
        "``count``, ``neighbours``.",
        one_of(*MODELS),
    )
    hidden_channels: int | None = setting(
        None,
        "Width of the embeddings, of SLATE's tokens.",
        count,
        otherwise=16,
        own={"egcn": 64, "grugcn": 64, "slate": 128},
    )
    num_layers: int | None = setting(
        None, "Graph convolutions, of SLATE layers of the transformer.", count, otherwise=2, own={"slate": 1}
    )
    dropout: float = setting(0.0, "Rate of dropout.", _dropout)
    window: int | None = setting(
        None,
        "Snapshots or hidden states that a model sees.",
        count,
        otherwise=5,
        own={"slate": 3},
        models=("grugcn", "htgn", "slate"),
    )
    decoder: str | None = setting(
        None, "``dot``, ``fermi-dirac``, ``mlp`` or ``cross-attention``; else the model's.", one_of(*DECODERS)
    )
    num_heads: int | None = setting(
        None, "Attention heads of SLATE.", count, own={"slate": 8}, models=("slate",)
    )
    feedforward_channels: int | None = setting(
        None, "The width inside SLATE's layers; else four times its tokens'.", count, models=("slate",)
    )
    active_only: bool | None = setting(
        None,
        "SLATE without tokens of nodes that have no edge; where not given, if it has neither an encoding nor "
        "features, and so nothing else to tell nodes apart by, and if it follows, where many nodes are new "
        "and others gone.",
        otherwise=False,
        own={"slate without inputs": True, "slate that follows": True},
        models=("slate",),
    )
    curvature: float = setting(1.0, "Of HTGN's ball.", positive, models=("htgn",))
    learn_curvature: bool = setting(False, "HTGN's curvature as a parameter.", models=("htgn",))
    hidden_init: str = setting(
        "glorot",
        "Hidden states start from a fixed draw for each node (``glorot``, as published) or ``constant``.",
        one_of("glorot", "constant"),
        models=("grugcn", "htgn"),
    )
    attention_reduce: str = setting(
        "mean",
        "Attention over the window averaged (``mean``, as published) or added up (``sum``).",
        one_of("mean", "sum"),
        models=("grugcn", "htgn"),
    )
    embed_channels: int | None = setting(
        None,
        "The width of a linear map in front of EGCN's first layer; else there is none, as published.",
        count,
        models=("egcn",),
    )
    gru_init: str | None = setting(
        None,
        "The biases of the GRUs that evolve EGCN's weights: drawn (``published``), or such that the weights "
        "hardly move at first (``slow``).",
        one_of("published", "slow"),
        own={"egcn": "published"},  # the others have none, and keep the digests from before there was one
        models=("egcn",),
    )
    decoder_history: bool = setting(
        False, "What the pair's past says is added to the decoder's logit; needs ``protocol = next``."
    )
    history_channels: int | None = setting(
        None, "The width of a hidden layer on the pair's past in the decoder; else a linear map.", count
    )
    history_decay: float = setting(
        0.5, "What a snapshot counts in a pair's past beside the one after it.", _decay
    )
    l2: float = setting(
        1.0,
        "The weight of the squared coefficients of ``logistic``, of the squared leaves of ``boosting``.",
        positive,
        models=LEARNED_SCORES,
    )
    num_trees: int = setting(100, "Trees of ``boosting``.", count, models=("boosting", "blend"))
    tree_depth: int = setting(3, "Their depth.", count, models=("boosting", "blend"))
    tree_rate: float = setting(
        0.1, "What a tree adds to those before it.", positive, models=("boosting", "blend")
    )

    @property
    def name(self) -> str:
        """The model's one name."""
        return "egcn-h" if self.model == "egcn" else self.model

    @property
    def family(self) -> str:
        """The name without its variant, by which settings say to which models they belong."""
        return self.model.split("-")[0]

    @property
    def is_learned(self) -> bool:
        """Whether there is anything to train."""
        return self.model in LEARNED

    @property
    def is_network(self) -> bool:
        """Whether it reads node features, and is trained in epochs."""
        return self.model in NETWORKS

    @property
    def options(self) -> dict[str, Any]:
        """The settings that this model has and some others do not."""
        return {
            name: getattr(self, name) for name, own in self.settings().items() if self.family in own.models
        }
