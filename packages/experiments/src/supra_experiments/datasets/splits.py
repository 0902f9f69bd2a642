"""Which snapshots are trained on, which choose the epoch, which are tested. The test set chooses nothing."""

from dataclasses import dataclass
from typing import Literal, Protocol

from supra_core import InvalidArgumentError
from supra_core.checks import check_count, check_probability

Selection = Literal["train_loss", "validation_auc"]


@dataclass(frozen=True, slots=True)
class Split:
    """Snapshots in order of time: training, then validation (possibly none), then test.

    Attributes:
        num_train, num_validation, num_test: how many of each, in this order.
        follows: whether scores of a snapshot use all snapshots before it, the weights as trained; else
            on the training snapshots alone.
        num_held_out: how many of the last training snapshots choose the epoch where nothing else does: the
            weights do not come from their links, but scores of later ones use them.

    Example:
        >>> split = Split(num_train=8, num_validation=0, num_test=3)
        >>> list(split.train), list(split.test), split.selection
        ([0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10], 'train_loss')
    """

    num_train: int
    num_validation: int
    num_test: int
    follows: bool = False
    num_held_out: int = 0

    def __post_init__(self) -> None:
        check_count("num_train", self.num_train)
        check_count("num_held_out", self.num_held_out, minimum=0)
        if self.num_held_out > max(0, self.num_train - 2):
            # One snapshot at least has to be predicted from another.
            raise InvalidArgumentError(
                f"held_out={self.num_held_out}: must leave two of {self.num_train} training snapshots"
            )
        check_count("num_validation", self.num_validation, minimum=0)
        check_count("num_test", self.num_test)

    @property
    def train(self) -> range:
        """The snapshots whose edges are trained on."""
        return range(self.num_train)

    @property
    def num_fitted(self) -> int:
        """How many of them weights come from."""
        return self.num_train - self.num_held_out

    @property
    def validation(self) -> range:
        """The snapshots after the training ones that choose the epoch where there are any."""
        return range(self.num_train, self.num_train + self.num_validation)

    @property
    def judging(self) -> range:
        """The snapshots that choose the epoch: of validation, or those of training that are held out."""
        return self.validation or range(self.num_fitted, self.num_train)

    @property
    def test(self) -> range:
        """The snapshots that are reported on."""
        start = self.num_train + self.num_validation
        return range(start, start + self.num_test)

    def seen(self, snapshot: int) -> int:
        """How many snapshots, from the first on, scores of a later one use.

        Example:
            >>> Split(5, 0, 3).seen(7), Split(5, 0, 3, follows=True).seen(7)
            (5, 7)
        """
        return snapshot if self.follows else min(snapshot, self.num_train)

    @property
    def num_seen(self) -> int:
        """How many any score uses: all but the last test snapshot, or the training snapshots."""
        return self.seen(self.test[-1])

    @property
    def selection(self) -> Selection:
        """What chooses the epoch: the best validation AUC, or without one the lowest training loss."""
        return "validation_auc" if self.judging else "train_loss"

    def __str__(self) -> str:
        parts = [f"train {_span(self.train)}", f"test {_span(self.test)}"]
        if self.num_validation:
            parts.insert(1, f"validation {_span(self.validation)}")
        chosen = "best validation AUC" if self.judging else "lowest training loss"
        if self.num_held_out:
            chosen += f" (of {_span(self.judging)})"
        followed = "; scores from all snapshots before" if self.follows else ""
        return ", ".join(parts) + f"; epoch chosen by {chosen}" + followed


class SplitRule(Protocol):
    """Anything that splits a number of snapshots."""

    @property
    def follows(self) -> bool:
        """Whether scores of a snapshot use all snapshots before it."""
        ...

    def split(self, num_snapshots: int) -> Split:
        """The split of so many snapshots."""
        ...


@dataclass(frozen=True, slots=True)
class LastSnapshots:
    """The published HTGN protocol: the last ``test`` snapshots are tested, all before are trained on.

    ``validation`` snapshots before them, none in that protocol, choose the epoch where there are any.

    Example:
        >>> LastSnapshots(test=3).split(11).num_train
        8
    """

    test: int
    validation: int = 0
    follows: bool = False

    def __post_init__(self) -> None:
        check_count("test", self.test)
        check_count("validation", self.validation, minimum=0)

    def split(self, num_snapshots: int) -> Split:
        """The split; at least one snapshot must remain for training."""
        num_train = num_snapshots - self.test - self.validation
        if num_train < 1:
            raise InvalidArgumentError(
                f"num_snapshots={num_snapshots}: must exceed the {self.test} test and {self.validation} "
                "validation snapshots"
            )
        return Split(num_train, self.validation, self.test, self.follows)


@dataclass(frozen=True, slots=True)
class Fractions:
    """Shares of the snapshots for validation and test, rounded down but at least one; the rest trains.

    Example:
        >>> Fractions(validation=0.15, test=0.15).split(14)
        Split(num_train=10, num_validation=2, num_test=2, follows=False, num_held_out=0)
    """

    validation: float
    test: float
    follows: bool = False

    def __post_init__(self) -> None:
        check_probability("validation", self.validation)
        if not check_probability("test", self.test):
            raise InvalidArgumentError.of("test", self.test, "above 0")

    def split(self, num_snapshots: int) -> Split:
        """The split; at least one snapshot must remain for training."""
        num_validation = max(1, int(num_snapshots * self.validation)) if self.validation else 0
        num_test = max(1, int(num_snapshots * self.test))
        rule = LastSnapshots(test=num_test, validation=num_validation, follows=self.follows)
        return rule.split(num_snapshots)


def _span(snapshots: range) -> str:
    return f"{snapshots[0]}" if len(snapshots) == 1 else f"{snapshots[0]}–{snapshots[-1]}"
