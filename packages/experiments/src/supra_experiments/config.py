"""Everything that determines a run, as one frozen dataclass that reads and writes TOML."""

import dataclasses
import hashlib
import json
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from supra_core import Encoder
from supra_core.binning import EVERY
from supra_core.checks import check_choice, check_count, check_nonnegative, check_probability
from supra_core.errors import InvalidArgumentError
from supra_experiments.baselines import BASELINES
from supra_experiments.errors import ConfigError
from supra_experiments.files import write_atomically
from supra_experiments.negatives import NEGATIVES, TEST_SEED
from supra_experiments.setting_checks import allowed_types, check_type, refuse_unknown

ENCODER = Encoder()
"""The defaults of encodings have one home: the encoder."""

EARLIER: dict[str, Any] = {"align": "none", "absent": "zeros", "with_age": False}
"""Settings that records of earlier versions do not have, and what was done then."""

LEARNED = ("egcn", "egcn-h", "egcn-o", "grugcn", "htgn", "slate")
MODELS = (*LEARNED, *BASELINES)
PES = ("none", "lpe-e", "lpe-i", "lpe-t", "slpe-e", "slpe-i", "slpe-t")
FEATURES = ("one-hot", "random", "zeros")
INITS = ("normal", "rademacher", "uniform", "previous")
DECODERS = ("dot", "fermi-dirac", "mlp", "cross-attention")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of a run; the defaults are those of the published HTGN protocol.

    Settings that are None take the value that goes with the model or the dataset; :meth:`resolved` fills in
    those of the model. Bad values are refused here, before anything is loaded.

    Example:
        >>> config = Config(dataset="enron10", model="htgn", pe="slpe-i", features="zeros")
        >>> config.lr, config.resolved().lr  # the model's own where not given
        (None, 0.01)
        >>> Config.from_toml("modle = 'htgn'")
        Traceback (most recent call last):
        supra_experiments.errors.ConfigError: modle: no such setting; did you mean 'model'?
    """

    # ── data ───────────────────────────────────────────────────────────────────────────────────────────────
    dataset: str = "demo"
    """A name (``enron10``, …), ``demo``, or the path of a CSV or Parquet edge list."""
    num_snapshots: int | None = None
    """Bins for the times of a user's file; None: each distinct time is a snapshot."""
    every: str | None = None
    """Bins of the calendar for the dates of a user's file: ``hour`` … ``year``."""
    unit: str | None = None
    """The times of a user's file are Unix times in ``s``, ``ms``, ``us`` or ``ns``."""
    test_snapshots: int | None = None
    """How many snapshots at the end are tested; None: as published for the dataset."""
    validation_snapshots: int | None = None
    """How many before them choose the epoch; None: as published (0 with ``test_snapshots``)."""
    follow: bool | None = None
    """Score a snapshot from all before it, weights as trained, not from the training ones alone; None: as
    published for the dataset."""
    negatives: str = "uniform"
    """How test negatives are drawn: ``uniform`` over all ids, ``active`` or ``historical``."""
    test_seed: int = TEST_SEED
    """The seed of the test sets, apart from the run's."""

    # ── inputs ─────────────────────────────────────────────────────────────────────────────────────────────
    features: str = "one-hot"
    """``one-hot``, ``random``, ``zeros``, or the path of a CSV, Parquet or .npy file of node features."""
    random_channels: int = 128
    """Channels of random features."""
    pe: str = "none"
    """The encoding: ``none``, or ``lpe``/``slpe`` with ``-e`` exact, ``-i`` inexact, ``-t`` trajectory."""
    k: int | None = None
    """Eigenvectors; None: the encoder's own default, SLATE 8."""
    pe_window: int | None = None
    """Snapshots that an encoding looks at; None: ``window``, or without that the encoder's own, SLATE 3."""
    coupling: float | None = None
    """The weight of edges between layers; None: the encoder's own default, SLATE 1."""
    normalization: str = ENCODER.normalization or "none"
    """Of the Laplacian: ``none``, ``sym``, ``rw``. Smooth vectors of D − A gather on nodes of low degree."""
    global_nodes: bool = True
    """A global node in each layer."""
    drop_isolated: bool = True
    """Leave nodes without edges out of their layer."""
    skip_trivial: bool = True
    """Leave out the constant eigenvector."""
    with_eigenvalues: bool = False
    """Eigenvalues as further channels."""
    align: str | None = None
    """How eigenvectors agree with those of the window before: ``rotation``, ``signs``, ``none``; None: the
    encoder's own default, SLATE ``none``."""
    absent: str | None = None
    """What a node without an edge gets: ``last``, its newest row in the window, or ``zeros``; None: the
    encoder's own default, SLATE ``zeros``."""
    with_age: bool = False
    """The snapshots since a node's last edge as a further channel."""
    pe_init: str = "normal"
    """How the inexact solver starts: ``normal``, ``rademacher``, ``uniform`` or ``previous``."""
    max_steps: int = 20
    """Steps of the inexact solver, and length of a trajectory."""
    scale_pe: bool | None = None
    """Scale eigenvectors by the root of their length: entries are about 1 whatever the graph's size; None:
    yes, but not for SLATE beside features other than zeros."""
    flip_signs: bool | None = None
    """Random signs of eigenvectors while training, as the paper does, instead of canonical ones; None: for
    SLATE beside features other than zeros."""

    # ── model ──────────────────────────────────────────────────────────────────────────────────────────────
    model: str = "htgn"
    """``egcn`` (-h, -o), ``grugcn``, ``htgn``, ``slate``; or without learning ``edgebank``, ``degree``,
    ``count``, ``neighbours``."""
    hidden_channels: int | None = None
    """Width of the embeddings; None: 16, SLATE's tokens 128."""
    num_layers: int | None = None
    """Graph convolutions; None: 2, SLATE's transformer layers 1."""
    dropout: float = 0.0
    """Rate of dropout."""
    window: int | None = None
    """Snapshots or hidden states that a model sees; None: 5, SLATE 3."""
    decoder: str | None = None
    """``dot``, ``fermi-dirac``, ``mlp`` or ``cross-attention``; None: the model's own."""
    num_heads: int | None = None
    """SLATE's attention heads; None: 8."""
    feedforward_channels: int | None = None
    """The width inside SLATE's layers; None: four times its tokens'."""
    active_only: bool = False
    """SLATE without tokens of nodes that have no edge."""
    curvature: float = 1.0
    """Of HTGN's ball."""
    learn_curvature: bool = False
    """HTGN's curvature as a parameter."""
    hidden_init: str = "glorot"
    """Hidden states start from a fixed draw for each node (``glorot``, as published) or ``constant``."""
    attention_reduce: str = "mean"
    """Attention over the window averaged (``mean``, as published) or added up (``sum``)."""
    embed_channels: int | None = None
    """EGCN: the width of a linear map in front of the first layer; None: no such map, as published."""

    # ── training ───────────────────────────────────────────────────────────────────────────────────────────
    lr: float | None = None
    """Adam's learning rate; None: 0.01, SLATE 0.0005."""
    weight_decay: float = 5e-7
    """Adam's weight decay."""
    grad_clip: float | None = None
    """The largest norm of a gradient; None: 1 for SLATE, no limit for the others."""
    consistency: float = 1.0
    """The weight of the temporal-consistency term."""
    max_epochs: int = 500
    """Epochs at most."""
    min_epochs: int = 100
    """No early stop before this epoch."""
    patience: int = 50
    """Epochs without a better one after which training stops."""
    seed: int = 0
    """Fixes everything that is random but the test sets."""
    threads: int = 1
    """Threads of a run."""
    device: str = "cpu"
    """A PyTorch device."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            # A whole number is as good as a float: `lr = 1` means 1.0.
            value = getattr(self, field.name)
            if type(value) is int and float in allowed_types(field.type):
                object.__setattr__(self, field.name, float(value))
            else:
                check_type(field.name, value, allowed_types(field.type))
        try:
            self._check_values()
        except InvalidArgumentError as error:
            raise ConfigError(str(error)) from None

    def _check_values(self) -> None:
        choices = {
            "model": MODELS,
            "pe": PES,
            "negatives": NEGATIVES,
            "normalization": ("none", "sym", "rw"),
            "pe_init": INITS,
            "hidden_init": ("glorot", "constant"),
            "attention_reduce": ("mean", "sum"),
        }
        for name, allowed in choices.items():
            check_choice(name, getattr(self, name), allowed)
        own: dict[str, Any] = {
            "decoder": DECODERS,
            "align": ("rotation", "signs", "none"),
            "absent": ("last", "zeros"),
            "every": EVERY,
            "unit": ("s", "ms", "us", "ns"),
        }
        for name, allowed in own.items():
            if getattr(self, name) is not None:
                check_choice(name, getattr(self, name), allowed)
        if self.features not in FEATURES and not Path(self.features).suffix:
            raise InvalidArgumentError.of(
                "features",
                self.features,
                "one of " + ", ".join(map(repr, FEATURES)) + ", or the path of a file",
            )
        for name in ("random_channels", "max_steps", "max_epochs", "patience", "threads"):
            check_count(name, getattr(self, name))
        for name in ("min_epochs", "seed", "test_seed"):
            check_count(name, getattr(self, name), minimum=0)
        optional = ("num_snapshots", "test_snapshots", "k", "pe_window", "hidden_channels", "num_layers")
        for name in (*optional, "window", "num_heads", "feedforward_channels", "embed_channels"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name))
        if self.validation_snapshots is not None:
            check_count("validation_snapshots", self.validation_snapshots, minimum=0)
        for name in ("weight_decay", "consistency"):
            check_nonnegative(name, getattr(self, name))
        if self.coupling is not None:
            check_nonnegative("coupling", self.coupling)
        for name in ("lr", "grad_clip", "curvature"):
            if getattr(self, name) is not None:
                check_nonnegative(name, getattr(self, name), positive=True)
        if check_probability("dropout", self.dropout) == 1:
            raise InvalidArgumentError.of("dropout", self.dropout, "below 1")

    # ── what it stands for ─────────────────────────────────────────────────────────────────────────────────

    @property
    def is_learned(self) -> bool:
        """Whether there is anything to train."""
        return self.model in LEARNED

    @property
    def binning(self) -> dict[str, Any]:
        """How times become snapshots, as :func:`~supra_experiments.datasets.load` takes it."""
        return {"num_snapshots": self.num_snapshots, "every": self.every, "unit": self.unit}

    def resolved(self) -> Self:
        """The same settings with the model's and the encoder's defaults in place of None.

        SLATE has settings of its own for encodings: it reads all layers of a window at once, whose signs
        agree already, and the encoder's defaults were chosen with models that read one layer at a time.
        """
        slate = self.model == "slate"
        window = self.window or (3 if slate else 5)
        beside_features = slate and self.features != "zeros"
        defaults: dict[str, Any] = {
            "hidden_channels": 128 if slate else 16,
            "num_layers": 1 if slate else 2,
            "window": window,
            "num_heads": 8 if slate else None,
            "k": 8 if slate else ENCODER.k,
            "pe_window": self.window or (3 if slate else ENCODER.window),
            "coupling": 1.0 if slate else float(ENCODER.coupling),
            "align": "none" if slate else ENCODER.align or "none",
            "absent": "zeros" if slate else ENCODER.absent,
            "scale_pe": not beside_features and ENCODER.scale is not None,
            "flip_signs": beside_features,
            "lr": 5e-4 if slate else 0.01,
            "grad_clip": 1.0 if slate else None,
        }
        missing = {name: value for name, value in defaults.items() if getattr(self, name) is None}
        return self.replace(**missing)

    def replace(self, **changes: Any) -> Self:
        """The same settings but for some.

        Raises:
            ConfigError: a name that is no setting, or a value that is not allowed.
        """
        refuse_unknown(changes, self.__dataclass_fields__)
        return dataclasses.replace(self, **changes)

    @property
    def digest(self) -> str:
        """A short name for exactly these settings, defaults filled in; the same in earlier versions."""
        values = self.resolved().to_dict()
        told = {name: value for name, value in values.items() if EARLIER.get(name, ...) != value}
        text = json.dumps(told, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    # ── in and out ─────────────────────────────────────────────────────────────────────────────────────────

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name; settings that are None are left out."""
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The way back from :meth:`to_dict`.

        Raises:
            ConfigError: an unknown setting (with the nearest name), an ill-typed one or a bad value.
        """
        refuse_unknown(values, cls.__dataclass_fields__)
        return cls(**values)

    @classmethod
    def from_record(cls, values: dict[str, Any]) -> Self:
        """Those of a run that is over: what its version did not know yet is what was done then."""
        return cls.from_dict(EARLIER | values)

    def to_toml(self) -> str:
        """The settings as TOML, one a line."""
        # JSON's strings, numbers and booleans are TOML's as well.
        lines = [
            f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in self.to_dict().items()
        ]
        return "\n".join(lines).replace("\x7f", "\\u007f") + "\n"

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """The settings that TOML text describes; those it does not name have their defaults."""
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"not TOML: {error}") from None
        return cls.from_dict(values)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a TOML file."""
        write_atomically(path, lambda file: file.write(self.to_toml().encode()))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a TOML file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})"
            ) from None
        try:
            return cls.from_toml(text)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from None
