"""Many runs that train as one: their weights are stacked, each has its own draws, loss and step."""

import copy
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call

from supra_experiments.protocol.evaluation import Scorer
from supra_experiments.training.objective import LabelledPairs, Objective
from supra_experiments.training.pack_parameters import ParameterStack
from supra_experiments.training.record import EpochRecord
from supra_experiments.training.trainer import Trainer, epoch_record
from tgnn_models import Snapshot, State, TokenGroups


class Pack:
    """Trainers of one shape on one graph, whose epochs are computed together.

    On graphs of some hundred nodes PyTorch spends its time on calls, not on numbers; one call does for all
    runs. The trainers' weights become views of the pack's, so that each can be asked for its own at any time;
    what their optimisers remember is theirs again after :meth:`hand_back`. A run that is done leaves by a new
    pack of the others.

    Args:
        trainers: as :func:`~supra_experiments.training.pack_groups.group_into_packs` puts them together.
    """

    def __init__(self, trainers: Sequence[Trainer]) -> None:
        self.trainers = tuple(trainers)
        first = self.trainers[0]
        self.device = first.config.training.device
        self.through_time = first.model.trains_through_time
        self.names = [name for name, p in first.objective.named_parameters() if p.requires_grad]
        self.objective, self._dropout = _with_dropout_by_run(first.objective, self.trainers)
        self._buffers = _differing_buffers(self.trainers)
        self._features = (
            None
            if first.snapshots[0].is_one_hot
            else torch.stack([trainer.snapshots[0].x for trainer in self.trainers])
        )
        self._consistency = self._by_run([trainer.config.training.consistency for trainer in self.trainers])
        self._stack = ParameterStack(self.trainers)
        self._groups: dict[int, TokenGroups | None] = {}

    def epoch(self, numbers: Sequence[int]) -> list[EpochRecord]:
        """Train every run on every training snapshot in order, once; see :meth:`Trainer.epoch`.

        Args:
            numbers: of each run's epoch, counted from 1.

        Returns:
            What each trainer's own epoch gives, to rounding; the seconds are an equal share of the pack's.
        """
        start = time.perf_counter()
        rngs = [trainer.rng(number) for trainer, number in zip(self.trainers, numbers, strict=True)]
        self._dropout.seed([t.torch_seed(number) for t, number in zip(self.trainers, numbers, strict=True)])
        self.objective.train()
        weights = self._weights()
        state = self._initial_state(weights)
        losses: list[Tensor] = []
        for t in range(self.trainers[0].num_steps):
            before = state if self.through_time else state.detach()
            inputs = self._inputs(t, rngs)
            arguments = (inputs, before, self._labelled(t, rngs), self._consistency)
            loss, state = functional_call(self.objective, weights | self._buffers, arguments)
            losses.append(loss if self.through_time else loss.detach())
            if not self.through_time:
                self._stack.descend(loss)
                weights = self._weights()
        if self.through_time:
            self._stack.descend(torch.stack(losses).sum(dim=0))
        else:
            self._remember(state.detach() if self.trainers[0].ahead else before)
        means = torch.stack(losses).detach().mean(dim=0).tolist()
        share = (time.perf_counter() - start) / len(self.trainers)
        return [epoch_record(number, mean, share) for number, mean in zip(numbers, means, strict=True)]

    @torch.no_grad()
    def scorers(self) -> list[dict[int, Scorer]]:
        """Those of each trainer, see :meth:`Trainer.scorers`, with the embeddings computed together."""
        first = self.trainers[0]
        for objective in (self.objective, *(trainer.objective for trainer in self.trainers)):
            objective.eval()  # a run's own decoder scores its pairs
        weights = self._weights()
        own = {
            name.removeprefix("model."): tensor
            for name, tensor in (weights | self._buffers).items()
            if name.startswith("model.")
        }
        remembered = [trainer.memory for trainer in self.trainers if trainer.memory is not None]
        state = _stacked(remembered) if remembered else self._initial_state(weights)
        last = first.num_train - 1
        found: list[dict[int, Scorer]] = [{} for _ in self.trainers]
        for t in range(last if remembered else 0, first.graph.num_snapshots):
            z, state = functional_call(self.objective.model, own, (self._inputs(t, None), state))
            if t >= last:
                for scorers, trainer, part in zip(found, self.trainers, z, strict=True):
                    scorers[t + 1] = partial(trainer.scores, part, t + 1)
        return found

    # ── what goes in, stacked ──────────────────────────────────────────────────────────────────────────────

    def _weights(self) -> dict[str, Tensor]:
        """The parameters of all runs, (num_runs, …); contiguous, or each call that picks rows copies them."""
        parts = (parameter.contiguous() for parameter in self._stack.parameters)
        return dict(zip(self.names, parts, strict=True))

    def _initial_state(self, weights: dict[str, Tensor]) -> State:
        if self.through_time:  # the first state is weights, to which gradients go
            return State(tuple(w for name, w in weights.items() if name.endswith("initial_weight")))
        num_nodes = self.trainers[0].graph.num_nodes
        return _stacked([trainer.model.initial_state(num_nodes) for trainer in self.trainers])

    def _inputs(self, t: int, rngs: Sequence[np.random.Generator] | None) -> list[Snapshot]:
        """The snapshots that a call reads, of all runs."""
        draws: Sequence[np.random.Generator | None] = rngs or [None] * len(self.trainers)
        own = [trainer.inputs(t, rng) for trainer, rng in zip(self.trainers, draws, strict=True)]
        together = [self._together(snapshots) for snapshots in zip(*own, strict=True)]
        if t not in self._groups:
            of_runs = [snapshots[-1].groups for snapshots in own]
            known = [groups for groups in of_runs if groups is not None]
            self._groups[t] = TokenGroups.common(known) if len(known) == len(own) else None
        return [*together[:-1], replace(together[-1], groups=self._groups[t])]

    def _together(self, own: Sequence[Snapshot]) -> Snapshot:
        """One snapshot of all runs, with the features and encodings of each."""
        x = own[0].x if self._features is None else self._features
        pe = None if own[0].pe is None else torch.stack([snapshot.pe for snapshot in own])  # type: ignore[misc]
        return replace(own[0], x=x, pe=pe)

    def _labelled(self, t: int, rngs: Sequence[np.random.Generator]) -> LabelledPairs:
        own = [trainer.labelled(t, rng) for trainer, rng in zip(self.trainers, rngs, strict=True)]
        past = [pairs.features for pairs in own if pairs.features is not None]
        index = torch.stack([pairs.index for pairs in own])
        return LabelledPairs(index, torch.stack(past) if past else None, own[0].num_links)

    def _by_run(self, values: list[float]) -> Tensor | float:
        """One number where it is the same for all runs, else (num_runs,)."""
        return values[0] if len(set(values)) == 1 else torch.tensor(values, device=self.device)

    # ── what comes out, run by run ─────────────────────────────────────────────────────────────────────────

    def hand_back(self, run: int) -> None:
        """Let a trainer's own optimiser remember what the pack's does, as a checkpoint keeps it."""
        self._stack.hand_back(run)

    def _remember(self, state: State) -> None:
        for i, trainer in enumerate(self.trainers):
            trainer.memory = State(tuple(tensor[i] for tensor in state.tensors))


class RunDropout(nn.Module):
    """Dropout with a rate and a stream a run, the stream that the run alone would draw from.

    Args:
        rates: one a run.
    """

    def __init__(self, rates: Sequence[float]) -> None:
        super().__init__()
        self.rates = tuple(rates)
        self.generators = [torch.Generator() for _ in rates]

    def seed(self, seeds: Sequence[int]) -> None:
        """Start the streams anew."""
        for generator, seed in zip(self.generators, seeds, strict=True):
            generator.manual_seed(seed)

    def forward(self, x: Tensor) -> Tensor:
        """Return x (num_runs, …) with entries set to zero and the others scaled up."""
        if not self.training or not any(self.rates):
            return x
        return x * torch.stack(list(self._masks(x)))

    def _masks(self, x: Tensor) -> Iterator[Tensor]:
        for rate, generator in zip(self.rates, self.generators, strict=True):
            mask = torch.ones(x.shape[1:])
            if rate:
                mask = mask.bernoulli_(1 - rate, generator=generator).div_(1 - rate)
            yield mask.to(x)


def _with_dropout_by_run(objective: Objective, trainers: Sequence[Trainer]) -> tuple[Objective, RunDropout]:
    """A copy of the modules in which all that is drawn is drawn by run; one set of streams for all of it."""
    copied = copy.deepcopy(objective)
    shared = RunDropout([trainer.config.model.dropout for trainer in trainers])
    for module in list(copied.modules()):
        for name, child in module.named_children():
            if isinstance(child, nn.Dropout):
                setattr(module, name, shared)
    return copied, shared


def _differing_buffers(trainers: Sequence[Trainer]) -> dict[str, Tensor]:
    """Buffers of floats that are not the same in all runs, such as curvatures, stacked."""
    own = [dict(trainer.objective.named_buffers()) for trainer in trainers]
    return {
        name: torch.stack([buffers[name] for buffers in own])
        for name, value in own[0].items()
        if value.is_floating_point() and any(not torch.equal(value, buffers[name]) for buffers in own)
    }


def _stacked(states: Sequence[State]) -> State:
    return State(tuple(torch.stack(parts) for parts in zip(*(s.tensors for s in states), strict=True)))
