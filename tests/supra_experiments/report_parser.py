"""What stands in an HTML page, read back by the parser of the standard library."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class ParsedTable:
    header: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    values: list[list[float | None]] = field(default_factory=list)
    keys: list[dict[str, str]] = field(default_factory=list)


class ParsedPage(HTMLParser):
    """Tables by their identifier, and every tag with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, ParsedTable] = {}
        self.scripts: list[str] = []
        self._table: ParsedTable | None = None
        self._cell: list[str] | None = None
        self._in: list[str] = []
        self._hidden = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if tag in ("table", "thead", "tbody", "script", "style"):
            self._in.append(tag)
        if tag == "table":
            self._table = self.tables.setdefault(attributes["id"], ParsedTable())
        if tag == "script":
            self.scripts.append("")
        if tag == "span" and self._cell is not None:
            self._hidden += attributes.get("class") == "visually-hidden"
        if self._table is None:
            return
        if tag == "tr" and "tbody" in self._in:
            self._table.rows.append([])
            self._table.values.append([])
            names = {name[5:]: value for name, value in attrs if name.startswith("data-")}
            self._table.keys.append(names)
        if tag in ("td", "th"):
            self._cell = []

    def handle_endtag(self, tag):
        if self._in and tag == self._in[-1]:
            self._in.pop()
        if tag == "span" and self._hidden:
            self._hidden -= 1
        if tag in ("td", "th") and self._table is not None and self._cell is not None:
            text = "".join(self._cell).strip()
            (self._table.rows[-1] if "tbody" in self._in else self._table.header).append(text)
            if "tbody" in self._in:
                number = re.match(r"[−+]?[\d,.]+", text)
                value = float(number[0].replace("−", "-").replace(",", "")) if number else None
                self._table.values[-1].append(value)
            self._cell = None
        if tag == "table":
            self._table = None

    def handle_data(self, data):
        if self._in and self._in[-1] == "script":
            self.scripts[-1] += data
        if self._cell is not None and not self._hidden:
            self._cell.append(data)
