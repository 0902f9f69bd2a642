"""The smallest pairs are those of the gallery."""

import pytest

from supra_core import InvalidArgumentError
from wl_tests import gallery, search

from ..oracles import isomorphic_by_brute_force, isomorphic_by_vf2


def test_the_smallest_separating_pair_is_the_gallery_s():
    found, known = search.smallest_separating_pair(4, 3), gallery.moved_edge()
    straight = isomorphic_by_brute_force(found.first, known.first)
    first, second = (known.first, known.second) if straight else (known.second, known.first)
    assert isomorphic_by_brute_force(found.first, first)
    assert isomorphic_by_brute_force(found.second, second)
    assert search.smallest_separating_pair(3, 1) is None
    assert search.smallest_separating_pair(2, 5) is None


def test_the_smallest_merged_pair_is_the_gallery_s():
    found, known = search.smallest_merged_pair(4, 2), gallery.turned_matching()
    assert {isomorphic_by_vf2(found.first, g) for g in (known.first, known.second)} == {True, False}
    assert {isomorphic_by_vf2(found.second, g) for g in (known.first, known.second)} == {True, False}
    assert not isomorphic_by_vf2(found.first, found.second)
    assert search.smallest_merged_pair(3, 4) is None


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: search.smallest_separating_pair(3, 0), "max_snapshots=0"),
        (lambda: search.smallest_merged_pair(True, 1), "max_nodes=True"),
        (lambda: search.smallest_spectral_pair(3, 2, min_snapshots=3), "min_snapshots=3"),
    ],
)
def test_bad_sizes(call, says):
    with pytest.raises(InvalidArgumentError, match=says):
        call()
