"""What a test says of two temporal graphs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """Whether a test tells two temporal graphs apart. True in a condition where it does.

    Attributes:
        distinguished: True: they are certainly not isomorphic. False: the test is inconclusive.
        round: the round after which the multisets of colours differ; None where inconclusive.
        num_rounds: how many rounds the refinement took.
        stable: whether it went on until nothing changed; if not, more rounds might yet distinguish.
        test: the name of the test.
    """

    distinguished: bool
    round: int | None
    num_rounds: int
    stable: bool
    test: str

    @property
    def inconclusive(self) -> bool:
        """The multisets never differed, which isomorphic and other graphs may have in common."""
        return not self.distinguished

    def __bool__(self) -> bool:
        return self.distinguished

    def __str__(self) -> str:
        if self.distinguished:
            return f"{self.test}: distinguished at round {self.round}"
        rounds = f"{self.num_rounds} round{'' if self.num_rounds == 1 else 's'}"
        if self.stable:
            return f"{self.test}: inconclusive (stable after {rounds}, equal multisets of colours)"
        return f"{self.test}: inconclusive (stopped after {rounds}, not stable yet)"
