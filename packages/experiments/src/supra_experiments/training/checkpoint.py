"""Where a run stands, so that one that is killed goes on from there."""

import json
import os
import pickle
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from supra_core.files import replacing
from supra_experiments.errors import CheckpointError
from supra_experiments.training.record import EpochRecord
from supra_experiments.training.trainer import Weights

VERSION = 1


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """All that the next epoch depends on; random numbers follow from the seed and the epoch's number.

    Attributes:
        digest: of the settings and the graph; a checkpoint of another run is refused.
        history: the epochs so far.
        best_epoch: the epoch to report so far, 0 for none.
        weights, best_weights: now, and after the best epoch.
        optimizer: what the optimiser remembers.
    """

    digest: str
    history: tuple[EpochRecord, ...]
    best_epoch: int
    weights: Weights
    best_weights: Weights
    optimizer: dict[str, Any]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file under a temporary name and rename it: a kill leaves the last checkpoint whole."""
        content = {
            "version": VERSION,
            "digest": self.digest,
            "history": json.dumps([asdict(epoch) for epoch in self.history]),
            "best_epoch": self.best_epoch,
            "weights": self.weights,
            "best_weights": self.best_weights,
            "optimizer": self.optimizer,
        }
        with replacing(path) as temporary, temporary.open("wb") as file:
            torch.save(content, file)

    @classmethod
    def load(cls, path: str | os.PathLike[str], digest: str) -> "Checkpoint | None":
        """The checkpoint at ``path`` if there is one.

        Raises:
            CheckpointError: a file that is none, or one of another run.
        """
        if not Path(path).exists():
            return None
        try:
            content = torch.load(path, map_location="cpu", weights_only=True)
            found = (content.pop("version"), content.pop("digest"))
            content["history"] = tuple(EpochRecord(**epoch) for epoch in json.loads(content["history"]))
        except (
            OSError,
            RuntimeError,
            ValueError,
            KeyError,
            TypeError,
            EOFError,
            pickle.UnpicklingError,
        ) as error:
            reason = " ".join(str(error).split())[:120]
            raise CheckpointError(f"{path}: not a checkpoint ({reason}); remove it to start afresh") from None
        if found != (VERSION, digest):
            raise CheckpointError(f"{path}: belongs to another run; remove it to start afresh")
        return cls(digest=digest, **content)
