"""The datasets by name: where each comes from, what it must contain, how it is split."""

from dataclasses import dataclass

from supra_experiments.datasets.splits import Fractions, LastSnapshots, SplitRule

UPSTREAM = (
    "https://raw.githubusercontent.com/ykrmm/BenchmarkTW/988343be74c3193853e19b75db1b8f49eb85e561/datasets"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A published dataset.

    Attributes:
        name: what the command and the configuration call it.
        path: of its CSV file below :data:`UPSTREAM`.
        sha256, num_bytes: of that file.
        first_id: the smallest node id that the file can hold.
        num_nodes, num_snapshots: as published; ids that never occur count.
        num_links: distinct undirected edges over all time, self-loops left out.
        num_temporal_edges: the same, counted once for each snapshot they occur in.
        split: which snapshots are trained on, and which tested.
        about: one line for people.
        graph_digest: of the graph, for datasets that come with the package; else empty.
    """

    name: str
    path: str
    sha256: str
    num_bytes: int
    first_id: int
    num_nodes: int
    num_snapshots: int
    num_links: int
    num_temporal_edges: int
    split: SplitRule
    about: str
    graph_digest: str = ""

    @property
    def ships(self) -> bool:
        """Whether it comes with the package, so that nothing is downloaded."""
        return bool(self.graph_digest)

    @property
    def file_name(self) -> str:
        """The file's name in a data folder."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def url(self) -> str:
        """Where the file is downloaded from."""
        return f"{UPSTREAM}/{self.path}"


_ENTRIES = (
    Entry(
        name="canparl",
        path="CanParl/ml_CanParl.csv",
        sha256="5d34ce04fd9c9c417d4e268e77a1512a8ba7ba7638bdeaf714217f657ca8edfb",
        num_bytes=2593065,
        first_id=1,
        num_nodes=734,
        num_snapshots=14,
        num_links=45457,
        num_temporal_edges=71857,
        split=Fractions(validation=0.15, test=0.15, follows=True),
        about="Canadian members of parliament who voted alike, one snapshot a year, 2006-2019",
    ),
    Entry(
        name="as733",
        path="AS733/ml_AS733.csv",
        sha256="0b40bd9c94d92f0a66460bd7a28979bf84ae6e8f1590071e988a3dc8f3d442a8",
        num_bytes=2716042,
        first_id=0,
        num_nodes=6628,
        num_snapshots=30,
        num_links=13512,
        num_temporal_edges=163807,
        split=LastSnapshots(test=10),
        about="routers of the Internet's autonomous systems, 1997-2000",
    ),
    Entry(
        name="dblp",
        path="Colab/ml_Colab.csv",
        sha256="3f828016b8428174a0952381ba1c6478764bd1ee68c193b7d1968e662a360920",
        num_bytes=67947,
        first_id=0,
        num_nodes=315,
        num_snapshots=10,
        num_links=943,
        num_temporal_edges=2552,
        split=LastSnapshots(test=3),
        about="co-authors (also known as COLAB), one snapshot a year, 2000-2009",
        graph_digest="381c175980bb981d2f5e52072b445d730ea42d5db84e197ac428a6e8112f338b",
    ),
    Entry(
        name="enron10",
        path="Enron/ml_Enron.csv",
        sha256="a0a1cb143aba75b1a2deed4e8b09db31aec9dbecbe592d679a4d3263ce56b553",
        num_bytes=61739,
        first_id=0,
        num_nodes=184,
        num_snapshots=11,
        num_links=790,
        num_temporal_edges=2392,
        split=LastSnapshots(test=3),
        about="e-mails between Enron employees; 143 of the 184 ids ever write or receive one",
        graph_digest="ef19e9ba8af965efc9f1e5100727b5e9bcb5e49b3074690651759853d6054e00",
    ),
)

REGISTRY: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}
"""Every published dataset by its lower-case name."""

ALIASES = {"colab": "dblp", "enron": "enron10", "can.parl.": "canparl"}

DEMO = "demo"
"""The name of the built-in temporal graph."""


def find_entry(name: str) -> Entry | None:
    """The published dataset of that name in whatever case, or None.

    Example:
        >>> find_entry("CanParl").num_nodes
        734
        >>> find_entry("COLAB").name
        'dblp'
    """
    key = name.lower()
    return REGISTRY.get(ALIASES.get(key, key))
