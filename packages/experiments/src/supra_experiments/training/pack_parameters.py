"""The weights of several runs as one matrix, and Adam on its rows."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from supra_experiments.training.trainer import Trainer

_MOMENTS = ("exp_avg", "exp_avg_sq")


class ParameterStack:
    """A row a run: its weights, one after the other, of which the run's own and the stacked ones are views.

    Adam steps row by row, each with its own rate, decay and clipping, by the kernel that a run alone uses.

    Args:
        trainers: of one shape; their parameters become views of the rows.

    Attributes:
        parameters: the stacked parameters (num_runs, …), in the order of the trainers' own.
    """

    def __init__(self, trainers: Sequence[Trainer]) -> None:
        self.trainers = tuple(trainers)
        self.shapes = [p.shape for p in self.trainers[0].parameters]
        self.sizes = [p.numel() for p in self.trainers[0].parameters]
        matrix = torch.stack([parameters_to_vector(trainer.parameters) for trainer in trainers]).detach()
        self.rows = list(matrix.unbind())
        for row, trainer in zip(self.rows, self.trainers, strict=True):
            vector_to_parameters(row, trainer.parameters)
        self.parameters = [
            part.view(-1, *shape).requires_grad_()
            for part, shape in zip(matrix.split(self.sizes, dim=1), self.shapes, strict=True)
        ]
        self.optimizer = self._optimizer()

    def descend(self, losses: Tensor) -> None:
        """One step of each run by the gradient of its own loss (num_runs,)."""
        # A run's loss depends on its own weights alone: the gradient of the sum has each of theirs, apart.
        gradients = torch.autograd.grad(losses.sum(), self.parameters)
        matrix = torch.cat([gradient.reshape(len(self.rows), -1) for gradient in gradients], dim=1)
        for row, gradient, trainer in zip(self.rows, matrix, self.trainers, strict=True):
            row.grad = gradient
            if trainer.config.training.grad_clip is not None:
                nn.utils.clip_grad_norm_([row], trainer.config.training.grad_clip)
        self.optimizer.step()

    def hand_back(self, run: int) -> None:
        """Write what Adam remembers of a run into the run's own optimiser."""
        trainer, state = self.trainers[run], self.optimizer.state[self.rows[run]]
        parts = {name: state[name].split(self.sizes) for name in _MOMENTS}
        for i, parameter in enumerate(trainer.parameters):
            own: dict[str, Any] = {name: parts[name][i].view(self.shapes[i]).clone() for name in _MOMENTS}
            trainer.optimizer.state[parameter] = own | {"step": state["step"].clone()}

    def _optimizer(self) -> torch.optim.Adam:
        def rates(i: int) -> tuple[float, float]:
            return self.trainers[i].config.training.lr or 0.0, self.trainers[i].config.training.weight_decay

        alike = groupby(sorted(range(len(self.rows)), key=rates), key=rates)
        groups = [
            {"params": [self.rows[i] for i in members], "lr": lr, "weight_decay": decay}
            for (lr, decay), members in alike
        ]
        optimizer = torch.optim.Adam(groups, fused=True)
        for row, trainer in zip(self.rows, self.trainers, strict=True):
            states = [trainer.optimizer.state[p] for p in trainer.parameters if p in trainer.optimizer.state]
            if states:  # it has trained before: alone, from a checkpoint or in another pack
                moments = {name: torch.cat([s[name].flatten() for s in states]) for name in _MOMENTS}
                optimizer.state[row] = moments | {"step": states[0]["step"].clone()}
        return optimizer
