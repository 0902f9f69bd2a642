"""Encodings of snapshots as they come: constant memory, saved and restored at any time."""

import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from supra_core import checks
from supra_core.encoding.align import Anchor
from supra_core.encoding.cache import pack, unpack
from supra_core.encoding.decompose import as_channels
from supra_core.encoding.decomposition import Decomposition
from supra_core.encoding.encoding import Encoding
from supra_core.encoding.windows import Chain, Piece, Recent
from supra_core.errors import InvalidArgumentError
from supra_core.files import replacing
from supra_core.temporal_graph import TemporalGraph

if TYPE_CHECKING:
    from supra_core.encoding.encoder import Encoder

_EDGES = ("source", "target", "time", "weight")


class StreamEncoder:
    """The encoding of each snapshot as it is pushed: the window, the start and the alignment are kept.

    Pushing the snapshots of a graph one by one gives :meth:`supra_core.Encoder.encode_all`, bit for bit, also
    where the stream was saved and restored between two of them. Nothing older than a window is held.

    Args:
        encoder: the settings.
        num_nodes: nodes so far; more may come with any snapshot, and get rows from then on.

    Example:
        >>> from supra_core import Encoder, generators
        >>> graph = generators.path_layers(12, 3)
        >>> stream = Encoder(k=3, window=2).stream(12)
        >>> [stream.push(*graph.snapshot(t)).values.shape for t in range(3)]
        [(12, 3), (12, 3), (12, 3)]
    """

    def __init__(self, encoder: "Encoder", num_nodes: int) -> None:
        self.encoder = encoder
        self.num_nodes = checks.check_count("num_nodes", num_nodes)
        self.num_pushed = 0
        # The snapshots of the window, each a graph of its own.
        self._snapshots: list[TemporalGraph] = []
        self._chain = Chain(encoder)
        self._recent = Recent(encoder)

    def push(
        self, source: Any, target: Any = None, weight: Any = None, *, num_nodes: int | None = None
    ) -> Encoding:
        """The encoding of the next snapshot.

        Args:
            source, target, weight: its edges as for :meth:`supra_core.TemporalGraph.from_edges`; or for
                ``source`` alone a temporal graph of one snapshot.
            num_nodes: from now on, where that is more than before.

        Raises:
            InvalidGraphError: edges that do not describe a snapshot on these nodes.
            InvalidArgumentError: fewer nodes than before, or a graph of several snapshots.
        """
        if isinstance(source, TemporalGraph):
            if source.num_snapshots != 1 or target is not None or weight is not None:
                raise InvalidArgumentError.of("source", source, "one snapshot, or arrays of edges")
            given = source.num_nodes if num_nodes is None else num_nodes
            self._grow(max(given, self.num_nodes) if num_nodes is None else given)
            source, target, weight = source.source, source.target, source.weight
        elif num_nodes is not None:
            self._grow(num_nodes)
        time = np.zeros(len(np.asarray(source)), dtype=np.int64)
        sizes: dict[str, Any] = {"num_nodes": self.num_nodes, "num_snapshots": 1}
        snapshot = TemporalGraph.from_edges(source, target, time, weight, **sizes)
        self._snapshots = [*self._snapshots, snapshot][-self.encoder.window :]
        piece = self._chain.step(self._window(len(self._snapshots)), self.num_pushed)
        self._recent.add(piece.decomposition, piece.link)
        self.num_pushed += 1
        return self._recent.encoding

    # ── saved and restored ─────────────────────────────────────────────────────────────────────────────────

    def state_dict(self) -> dict[str, np.ndarray]:
        """All that the next snapshots depend on, as plain arrays."""
        counts = [snapshot.num_edges for snapshot in self._snapshots]
        state = {
            "encoder": np.asarray(repr(self.encoder)),
            "num_nodes": np.asarray(self.num_nodes),
            "num_pushed": np.asarray(self.num_pushed),
            "counts": np.asarray(counts, dtype=np.int64),
            "turns": np.asarray(self._recent.turns),
        }
        for name in _EDGES:
            columns = [getattr(snapshot, name) for snapshot in self._snapshots]
            state[name] = np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)
        for number, part in enumerate(self._recent.decompositions):
            state |= {f"result_{number}_{name}": array for name, array in pack(part.result).items()}
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from where :meth:`state_dict` was taken.

        Raises:
            InvalidArgumentError: the state of another encoder, or none at all.
        """
        try:
            if str(state["encoder"]) != repr(self.encoder):
                raise InvalidArgumentError.of("state['encoder']", str(state["encoder"]), repr(self.encoder))
            restored = StreamEncoder(self.encoder, int(state["num_nodes"]))
            restored._restore(state)
        except (KeyError, TypeError) as error:
            raise InvalidArgumentError(f"state: must be what state_dict gave ({error})") from None
        vars(self).update(vars(restored))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to an ``.npz`` file; a stream that is killed meanwhile leaves the file before."""
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.savez(file, **self.state_dict())  # type: ignore[arg-type]

    def load(self, path: str | PathLike[str]) -> None:
        """Go on from a file that :meth:`save` wrote.

        Raises:
            InvalidArgumentError: a file that is damaged, or of another encoder.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                state = {name: stored[name] for name in stored.files}
        except FileNotFoundError:
            raise
        except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
            raise InvalidArgumentError(f"path={str(path)!r}: must be a saved stream ({error})") from None
        self.load_state_dict(state)

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.num_pushed = int(state["num_pushed"])
        ends = np.concatenate([[0], np.cumsum(state["counts"])])
        for start, stop in pairwise(ends):
            columns = [state[name][start:stop] for name in _EDGES]
            sizes: dict[str, Any] = {"num_nodes": self.num_nodes, "num_snapshots": 1}
            self._snapshots.append(TemporalGraph.from_edges(*columns, **sizes))
        turns = list(state["turns"])
        for number, turn in enumerate(turns):
            prefix = f"result_{number}_"
            arrays = {name.removeprefix(prefix): state[name] for name in state if name.startswith(prefix)}
            # The newest decomposition ends with the newest snapshot, the one before it a snapshot earlier.
            window = self._window(len(self._snapshots) - (len(turns) - 1 - number))
            found = as_channels(self.encoder, window, self.encoder.supra(window), unpack(arrays))
            self._recent.decompositions.append(found)
            self._recent.turns.append(turn)
        if turns:
            newest = self.num_pushed - 1
            self._chain.last = Piece(newest, found, Anchor.of(found, newest), None)

    def _grow(self, num_nodes: int) -> None:
        num_nodes = checks.check_count("num_nodes", num_nodes)
        if num_nodes < self.num_nodes:
            raise InvalidArgumentError.of("num_nodes", num_nodes, f">= {self.num_nodes}, as before")
        if num_nodes == self.num_nodes:
            return
        self.num_nodes = num_nodes
        self._recent.decompositions = [_widened(part, num_nodes) for part in self._recent.decompositions]
        if self._chain.last is not None:
            newest = self._recent.decompositions[-1]
            self._chain.last = replace(self._chain.last, decomposition=newest)

    def _window(self, stop: int) -> TemporalGraph:
        """The snapshots that are decomposed together and end before the one numbered ``stop``."""
        snapshots = self._snapshots[max(0, stop - self.encoder.span) : stop]
        source, target, weight = (
            np.concatenate([getattr(snapshot, name) for snapshot in snapshots])
            for name in ("source", "target", "weight")
        )
        time = np.repeat(np.arange(len(snapshots)), [snapshot.num_edges for snapshot in snapshots])
        sizes: dict[str, Any] = {"num_nodes": self.num_nodes, "num_snapshots": len(snapshots)}
        return TemporalGraph.from_edges(source, target, time, weight, **sizes)


def _widened(part: Decomposition, num_nodes: int) -> Decomposition:
    """The same for more nodes, of which the new ones have no rows."""
    new = num_nodes - part.supra.num_nodes
    active = np.pad(part.active, ((0, 0), (0, new)))
    return replace(part, supra=replace(part.supra, num_nodes=num_nodes), active=active)
