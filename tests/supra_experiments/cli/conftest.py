"""A small edge list of a user's own."""

import pytest

EDGES = "".join(
    f"{a},{b},{t}\n"
    for t in range(6)
    for a, b in [("ann", "bob"), ("bob", "cy"), ("cy", "dan"), ("dan", "eve"), ("eve", "fay"), ("ann", "cy")][
        t % 3 :
    ]
)


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target,time\n" + EDGES)
    return path
