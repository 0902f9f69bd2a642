"""One epoch after another: what a protocol does to a model."""

import math
import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_geometric.data import Data

from supra_core import TemporalGraph
from supra_experiments.config import Config
from supra_experiments.encoding.tensors import EncodedGraph
from supra_experiments.errors import ConfigError
from supra_experiments.protocol.evaluation import Scorer
from supra_experiments.protocol.negatives import Pairs
from supra_experiments.training.objective import LabelledPairs, Objective
from supra_experiments.training.pair_history import PairHistory, TrainingPairs, training_features
from supra_experiments.training.record import EpochRecord
from tgnn_models import Decoder, HistoryDecoder, Snapshot, State, TokenGroups, build, prepare

Weights = dict[str, dict[str, Tensor]]
"""Tensors by name, those of the modules and those of the memory."""


class Trainer:
    """A model, its optimiser and the training snapshots; chance follows from the seed and the epoch.

    Each epoch draws from a stream of its own, so that a run which continues from a checkpoint needs no state
    of a generator to continue exactly.

    Args:
        config: the settings, resolved.
        graph: the training snapshots, and after them those that scores may use.
        x: features, integers (num_nodes,) or floats (num_nodes, channels).
        in_channels: their channels.
        encoded: the encodings, or None.
        num_train: how many of the snapshots are trained on; all where not given.
    """

    def __init__(
        self,
        config: Config,
        graph: TemporalGraph,
        x: Tensor,
        in_channels: int,
        encoded: EncodedGraph | None,
        num_train: int | None = None,
    ) -> None:
        self.config = config
        self.graph = graph
        self.num_train = graph.num_snapshots if num_train is None else num_train
        # How far the links that are predicted are ahead of the embeddings.
        self.ahead = 1 if config.training.protocol == "next" else 0
        if self.num_train <= self.ahead:
            raise ConfigError(f"protocol='next': must have two training snapshots, not {self.num_train}")
        self.encoded = encoded
        torch.manual_seed(_torch_seed(config.training.seed, 0))
        self.model, decoder = build(
            config.model.name,
            in_channels,
            config.model.hidden_channels or 0,
            decoder=config.model.decoder,
            pe_channels=0 if encoded is None else encoded.dim,
            num_layers=config.model.num_layers,
            dropout=config.model.dropout,
            **config.model.options,
        )
        self.history: PairHistory | None = None
        self.decoder: Decoder | HistoryDecoder = decoder
        if config.model.decoder_history:
            self.history = PairHistory(graph, encoded, config.model.history_decay)
            self.decoder = self._with_history(self.history, decoder)
        self.objective = Objective(self.model, self.decoder).to(config.training.device)
        self.parameters = [p for p in self.objective.parameters() if p.requires_grad]
        self.optimizer = torch.optim.Adam(
            self.parameters,
            lr=config.training.lr or 0.0,
            weight_decay=config.training.weight_decay,
            fused=True,
        )
        self.snapshots = [
            _snapshot(graph, t, x).to(config.training.device) for t in range(graph.num_snapshots)
        ]
        self.pairs = TrainingPairs(config, graph, self.num_train)
        self._groups: dict[int, TokenGroups | None] = {}
        # What the model remembered when it came to the last training snapshot of the last epoch.
        self.memory: State | None = None

    def _with_history(self, history: PairHistory, decoder: Decoder) -> HistoryDecoder:
        """The decoder, and features of pairs that are standardised by those of the training links."""
        own = self.config.model
        wrapped = HistoryDecoder(
            decoder, len(history.names), hidden_channels=own.history_channels, dropout=own.dropout
        )
        features, _ = training_features(self.config, history, self.num_train)
        wrapped.standardize(torch.from_numpy(features.values))
        return wrapped

    # ── an epoch ───────────────────────────────────────────────────────────────────────────────────────────

    def epoch(self, number: int) -> EpochRecord:
        """Train on every training snapshot in order, once: on its own links, or on those of the next one.

        One optimiser step a snapshot, the state carried on but detached; models that are trained through time
        take one step on the sum over all snapshots instead.

        Args:
            number: counted from 1; it fixes the negatives, the signs and the dropout.
        """
        start = time.perf_counter()
        rng = self.rng(number)
        torch.manual_seed(self.torch_seed(number))
        self.objective.train()
        through_time = self.model.trains_through_time
        state = self.model.initial_state(self.graph.num_nodes)
        losses: list[Tensor] = []
        for t in range(self.num_steps):
            before = state if through_time else state.detach()
            loss, state = self.loss(t, before, rng)
            losses.append(loss if through_time else loss.detach())
            if not through_time:
                self._descend(loss)
        if through_time:
            self._descend(torch.stack(losses).sum())
        else:
            self.memory = state.detach() if self.ahead else before
        mean = torch.stack(losses).detach().mean().item()
        return epoch_record(number, mean, time.perf_counter() - start)

    @property
    def num_steps(self) -> int:
        """Snapshots that an epoch embeds."""
        return self.num_train - self.ahead

    def rng(self, number: int) -> np.random.Generator:
        """Where the signs and the negatives of an epoch come from."""
        return np.random.default_rng([self.config.training.seed, 2, number])

    def torch_seed(self, number: int) -> int:
        """What the dropout of an epoch comes from, and for 0 the weights."""
        return _torch_seed(self.config.training.seed, number)

    def loss(self, t: int, before: State, rng: np.random.Generator) -> tuple[Tensor, State]:
        """The loss of embedding snapshot ``t``, see :class:`Objective`, and what the model then remembers."""
        inputs = self.inputs(t, rng)
        return self.objective(inputs, before, self.labelled(t, rng), self.config.training.consistency)

    def labelled(self, t: int, rng: np.random.Generator) -> LabelledPairs:
        """The links that the embeddings of ``t`` are to predict, and as many fresh non-edges."""
        t = t + self.ahead
        links = self.pairs.links[t]
        num_links = links.shape[1]
        pairs = np.concatenate([links, self.pairs.non_edges(t, num_links, rng)], axis=1)
        return LabelledPairs(*self._index_and_features(t, pairs), num_links)

    def _descend(self, loss: Tensor) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.step()

    def step(self) -> None:
        """Move the weights by the gradients that are there."""
        if self.config.training.grad_clip is not None:
            nn.utils.clip_grad_norm_(self.parameters, self.config.training.grad_clip)
        self.optimizer.step()

    # ── scoring ────────────────────────────────────────────────────────────────────────────────────────────

    @torch.no_grad()
    def scorers(self) -> dict[int, Scorer]:
        """Scores by how many snapshots they use, the training ones or more: canonical signs, no dropout.

        As published, the embedding after the last training snapshot uses what the model remembered of the
        epoch; a model that is trained through time remembers nothing but its weights, and goes through
        the snapshots once more. Weights do not change over the snapshots that follow.
        """
        self.objective.eval()
        last = self.num_train - 1
        state = self.memory or self.model.initial_state(self.graph.num_nodes)
        found: dict[int, Scorer] = {}
        for t in range(last if self.memory else 0, self.graph.num_snapshots):
            z, state = self.model(self.inputs(t, None), state)
            if t >= last:
                found[t + 1] = partial(self.scores, z, t + 1)
        return found

    @torch.no_grad()
    def scores(self, z: Tensor, t: int, pairs: Pairs) -> NDArray[np.float64]:
        """Raw logits of pairs from embeddings after ``t`` snapshots; a sigmoid merges those that saturate."""
        if not bool(z.isfinite().all()):
            return np.full(pairs.shape[1], math.nan)
        index, features = self._index_and_features(t, pairs)
        return self.objective.logits(z, index, features).double().cpu().numpy()

    # ── inputs ─────────────────────────────────────────────────────────────────────────────────────────────

    def inputs(self, t: int, rng: np.random.Generator | None) -> list[Snapshot]:
        """The snapshots that a call reads, with the encodings of the window that ends with ``t``."""
        first = max(0, t + 1 - self.model.num_input_snapshots)
        snapshots = self._encoded(t, self.snapshots[first : t + 1], rng)
        if t not in self._groups:
            self._groups[t] = self.model.groups(snapshots)
        groups = self._groups[t]
        return snapshots if groups is None else [*snapshots[:-1], replace(snapshots[-1], groups=groups)]

    def _encoded(self, t: int, snapshots: list[Snapshot], rng: np.random.Generator | None) -> list[Snapshot]:
        """The snapshots with the encodings of the window that ends with ``t``, where there are any."""
        if self.encoded is None:
            return snapshots
        flip = rng is not None and self.config.encoding.flip_signs
        layers = self.encoded.flipped(t, rng) if flip and rng is not None else self.encoded.windows[t]
        layers = layers.to(self.config.training.device)
        missing = len(snapshots) - layers.size(0)  # an encoding may look at fewer snapshots than the model
        if missing > 0:
            layers = torch.cat([layers.new_zeros(missing, *layers.shape[1:]), layers])
        return [replace(s, pe=pe) for s, pe in zip(snapshots, layers[-len(snapshots) :], strict=True)]

    def _index_and_features(self, t: int, pairs: Pairs) -> tuple[Tensor, Tensor | None]:
        """Pairs (2, m) as a tensor and, where the decoder reads it, what ``t`` snapshots say of them."""
        index = torch.from_numpy(pairs).to(self.config.training.device)
        if self.history is None:
            return index, None
        features = self.history.before(t, pairs).values.astype(np.float32)
        return index, torch.from_numpy(features).to(index.device)

    # ── what a checkpoint keeps ────────────────────────────────────────────────────────────────────────────

    @property
    def num_parameters(self) -> int:
        """Trained numbers."""
        return sum(parameter.numel() for parameter in self.parameters)

    def weights(self) -> Weights:
        """A copy of all weights, and of the memory of the last epoch."""
        memory = {} if self.memory is None else {"memory": self.memory.state_dict()}
        # Not deepcopy: of a view, as weights are in a pack, it copies all that is behind it.
        own = {name: tensor.clone() for name, tensor in self.objective.state_dict().items()}
        return {"modules": own, **memory}

    def load_weights(self, weights: Weights) -> None:
        """Put both back."""
        self.objective.load_state_dict(weights["modules"])
        memory = weights.get("memory")
        self.memory = (
            None if memory is None else State.from_state_dict(memory).to(self.config.training.device)
        )

    def optimizer_state(self) -> dict[str, Any]:
        """What the optimiser remembers."""
        return self.optimizer.state_dict()

    def load_optimizer_state(self, state: dict[str, Any]) -> None:
        """Put it back."""
        self.optimizer.load_state_dict(state)


def epoch_record(number: int, loss: float, seconds: float) -> EpochRecord:
    """An epoch in few characters, since a record keeps hundreds.

    The loss as the shortest decimal that is this float32, the seconds to microseconds.
    """
    return EpochRecord(number, float(str(np.float32(loss))), None, round(seconds, 6))


def _snapshot(graph: TemporalGraph, t: int, x: Tensor) -> Snapshot:
    source, target, weight = graph.snapshot(t)
    index = torch.from_numpy(np.stack([np.concatenate([source, target]), np.concatenate([target, source])]))
    both = torch.from_numpy(np.concatenate([weight, weight]).astype(np.float32))
    return prepare(Data(x=x, edge_index=index, edge_weight=both))


def _torch_seed(seed: int, number: int) -> int:
    """A seed for PyTorch that differs between runs and epochs."""
    return int(np.random.SeedSequence([seed, 3, number]).generate_state(1, np.uint64)[0] >> np.uint64(1))
