"""One temporal graph of each isomorphism class."""

from wl_tests.search.isomorphism_classes import Classes


def representatives(n, T):
    table = Classes(n)
    return [table.graph(row) for block in table.blocks(T) for row in block]
