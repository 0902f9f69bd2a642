"""Delimited text in NumPy alone: fast where all is well, exact about line and column where it is not."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supra_core.errors import InvalidGraphError, shorten
from supra_core.io.growing import Growing
from supra_core.io.layout import DECIMAL_COMMA, Layout, layout_of
from supra_core.io.name_table import NameTable
from supra_core.io.opened import line_of, read_bytes
from supra_core.io.parse import floats, integers, texts
from supra_core.io.raw_edges import RawEdges
from supra_core.io.table_columns import whole_numbers
from supra_core.io.tokens import Fields, Part, parts_of
from supra_core.labels import ids_of
from supra_core.times import Times
from supra_core.times.iso_dates import ALLOWED, BadFieldError, parse_dates
from supra_core.times.reading import LATEST

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_ID = "an integer >= 0 and below 2**62"
_WEIGHT = "a finite number >= 0"


def read_text(path: Path, asked: Mapping[str, str | None]) -> RawEdges:
    """The edges of a text file.

    Args:
        path: the file.
        asked: the names of columns where the caller gave them.

    Raises:
        InvalidGraphError: a file that is no edge list; the message names line, column and value.
    """
    data = read_bytes(path)
    layout = layout_of(path, data, asked)
    return _Reader(path, data, layout).read()


class _OtherKindError(Exception):
    """A column turned out to be of another kind; it is read again from the start."""


@dataclass
class _Reader:
    path: Path
    data: bytes
    layout: Layout
    kinds: dict[str, str] = field(default_factory=dict)

    def read(self) -> RawEdges:
        sample = self.layout.sample
        dates = sample is not None and not NUMBER.fullmatch(sample[self.layout.positions["time"]])
        self.kinds = {"ids": "integer", "time": "date" if dates else "integer", "weight": "integer"}
        if self.layout.stated is not None:
            self.kinds["time"] = "integer"
            if self.layout.stated.weights == "float":
                self.kinds["weight"] = "float"
        while True:
            try:
                return self._read()
            except _OtherKindError:
                continue

    def _read(self) -> RawEdges:
        table = NameTable()
        columns = {name: Growing() for name in self.layout.positions}
        zones: list[str | None] = []
        # Names are told apart part by part, so that large parts are compared less often.
        larger = 8 if self.kinds["ids"] == "name" else 1
        for part in parts_of(self.path, self.data, self.layout, larger):
            for name, fields in part.columns.items():
                column = getattr(self, "_node" if name in ("source", "target") else f"_{name}")
                values = column(part, name, fields, table)
                if name == "time":
                    values, zone = values
                    zones.append(zone)
                columns[name].add(values, part.stop / len(self.data))
        joined = {name: column.values() for name, column in columns.items()}
        if self.kinds["weight"] == "float" and "weight" in joined:
            joined["weight"] = joined["weight"].astype(np.float64)
        times = self._times(joined["time"], zones)
        ends, labels = [joined["source"], joined["target"]], None
        if self.kinds["ids"] == "name":
            ends, labels = table.ids(ends)
        elif self.layout.stated is None:
            ends, labels = ids_of(ends)
        return RawEdges(ends[0], ends[1], times, joined.get("weight"), labels, self.layout.stated)

    # ── one column of some rows ────────────────────────────────────────────────────────────────────────────

    def _node(self, part: Part, name: str, fields: Fields, table: NameTable) -> NDArray[np.int64]:
        if self.kinds["ids"] == "name":
            empty = fields.stops <= fields.starts
            if empty.any():
                self._refuse(part, name, int(np.argmax(empty)), "the name of a node")
            return table.add(fields)
        values, right = integers(fields, plain=self.layout.stated is None)
        if self.layout.stated is not None:
            self._check_below(part, name, values, right, self.layout.stated.num_nodes, "num_nodes")
        elif not right.all():
            self._again("ids", "name")
        return values

    def _time(self, part: Part, name: str, fields: Fields, _: NameTable) -> tuple[NDArray[Any], str | None]:
        if self.kinds["time"] == "date":
            if fields.escaped is not None and fields.escaped.any():
                self._refuse(part, name, int(np.argmax(fields.escaped)), f"a number or {ALLOWED}")
            try:
                return parse_dates(texts(fields))
            except BadFieldError as error:
                allowed = error.allowed
                if allowed == ALLOWED and NUMBER.fullmatch(fields.text(error.index).decode()):
                    allowed = "an ISO date, as the first one is"
                elif allowed == ALLOWED:
                    allowed = f"a number or {ALLOWED}"
                self._refuse(part, name, error.index, allowed)
        if self.kinds["time"] == "integer":
            values, right = integers(fields)
            if self.layout.stated is not None:
                self._check_below(
                    part, name, values, right, self.layout.stated.num_snapshots, "num_snapshots"
                )
            elif not (right & (values < LATEST) & (values > -LATEST)).all():
                self._again("time", "float")
            return values, None
        numbers, right = floats(fields)
        if not right.all():
            index = int(np.argmax(~right))
            dated = re.match(rb"\d{4}-\d\d", fields.text(index)) is not None
            allowed = "a number, as the first one is" if dated else f"a finite number or {ALLOWED}"
            self._refuse(part, name, index, allowed)
        for index in np.flatnonzero(np.abs(numbers) >= 2**53).tolist():
            if fields.text(index).lstrip(b"+-").isdigit():
                self._refuse(part, name, index, "below 2**53 in size beside times that are no integers")
        return numbers, None

    def _weight(self, part: Part, name: str, fields: Fields, _: NameTable) -> NDArray[Any]:
        values: NDArray[Any]
        if self.kinds["weight"] == "integer":
            # "2.0" is a float: whoever writes so means one.
            values, right = integers(fields, fractions=False)
            if not right.all():
                self._again("weight", "float")
            wrong = values < 0
        else:
            values, right = floats(fields)
            wrong = ~right | (values < 0)
        if wrong.any():
            self._refuse(part, name, int(np.argmax(wrong)), _WEIGHT)
        return values

    def _note(self, part: Part, name: str, fields: Fields, _: NameTable) -> NDArray[Any]:
        weights = floats(fields)[1]
        if weights.any():
            allowed = "text, as in the first row; a column of weights is called weight in a header"
            self._refuse(part, name, int(np.argmax(weights)), allowed)
        return np.zeros(0)

    # ── all rows ───────────────────────────────────────────────────────────────────────────────────────────

    def _times(self, values: NDArray[Any], zones: list[str | None]) -> Times:
        found = set(zones)
        if None in found and len(found) > 1:
            raise InvalidGraphError(f"{self.path}: times: must be all with a time zone or all without")
        zone = found.pop() if len(found) == 1 else "UTC" if found else None
        return Times(whole_numbers(values), zone)

    def _again(self, column: str, kind: str) -> None:
        self.kinds[column] = kind
        raise _OtherKindError

    def _check_below(
        self,
        part: Part,
        name: str,
        values: NDArray[np.int64],
        right: NDArray[np.bool_],
        size: int | None,
        bound: str,
    ) -> None:
        wrong = ~right | (values < 0) | (values >= 2**62)
        if wrong.any():
            self._refuse(part, name, int(np.argmax(wrong)), _ID)
        if size is not None and (values >= size).any():
            self._refuse(part, name, int(np.argmax(values >= size)), f"below {bound}={size}")

    def _refuse(self, part: Part, name: str, index: int, allowed: str) -> Any:
        fields = part.columns[name]
        line = line_of(self.data, part.offset + int(fields.starts[index]))
        text = fields.text(index).decode(errors="replace")
        where = f"{self.path}, line {line}, column {self.layout.positions[name] + 1}"
        hint = "; numbers have a decimal point, not a comma" if DECIMAL_COMMA.fullmatch(text) else ""
        raise InvalidGraphError(f"{where}: {name}={shorten(text)}: must be {allowed}{hint}")
