"""What this package raises when its input is wrong; each is a ``ValueError``."""


class ModelError(ValueError):
    """The base of every error this package raises on purpose."""


class InvalidArgumentError(ModelError):
    """A parameter or a tensor argument is outside what is allowed."""


class InvalidSnapshotError(ModelError):
    """A snapshot is malformed, or does not fit the model or the other snapshots."""
