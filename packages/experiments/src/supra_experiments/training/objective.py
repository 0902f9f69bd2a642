"""What training makes small: how well links are told from other pairs, and consistency in time."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn.functional import softplus

from tgnn_models import Decoder, HistoryDecoder, Snapshot, State, TemporalModel


@dataclass(frozen=True, eq=False)
class LabelledPairs:
    """Links, and non-edges after them.

    Attributes:
        index: (2, num_pairs), or one a run, (num_runs, 2, num_pairs).
        features: what the pairs' past says (num_pairs, num_features), where the decoder reads it; as many.
        num_links: how many of the first are links.
    """

    index: Tensor
    features: Tensor | None
    num_links: int


class Objective(nn.Module):
    """A model, its decoder and their loss as one call, for one run or for several stacked ones.

    Args:
        model, decoder: what is trained.
    """

    def __init__(self, model: TemporalModel, decoder: Decoder | HistoryDecoder) -> None:
        super().__init__()
        self.model, self.decoder = model, decoder

    def forward(
        self, snapshots: Sequence[Snapshot], state: State, pairs: LabelledPairs, consistency: float | Tensor
    ) -> tuple[Tensor, State]:
        """Return the loss, a scalar or (num_runs,), and the state after the snapshots.

        The loss is −log p over the links, −log(1 − p) over the non-edges, both as means, and the term of
        temporal consistency.

        Args:
            snapshots: what the model reads.
            state: what it remembers of those before.
            pairs: to be told apart.
            consistency: the weight of the consistency term, or one a run.
        """
        z, after = self.model(snapshots, state)
        logits = self.logits(z, pairs.index, pairs.features)
        loss = 0 * logits.sum(dim=-1)  # reaches the weights even where a snapshot has no links
        for part in (-logits[..., : pairs.num_links], logits[..., pairs.num_links :]):
            if part.size(-1):
                loss = loss + softplus(part).mean(dim=-1)
        if isinstance(consistency, Tensor) or consistency:
            loss = loss + consistency * self.model.consistency_loss(z, state)
        return loss, after

    def logits(self, z: Tensor, index: Tensor, features: Tensor | None = None) -> Tensor:
        """Of pairs, from embeddings and, where the decoder reads it, the pairs' past."""
        return self.decoder(z, index) if features is None else self.decoder(z, index, features)
