"""What processes share: the same values in each, as one copy that none can change."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from supra_experiments.encoding.local_processes import LocalProcesses
from supra_experiments.encoding.parcel import parcel
from supra_experiments.errors import ClusterError

KINDS = st.sampled_from(["f8", "i8", "f4", "i1", "?", "M8[s]", "U3"])
ARRAYS = hnp.arrays(KINDS, hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=7))


@given(st.dictionaries(st.text(max_size=3), ARRAYS, max_size=4), st.booleans())
def test_what_was_put_in_comes_out(arrays, turned):
    given_arrays = {name: array.T[::2] if turned else array for name, array in arrays.items()}
    with parcel((given_arrays, "a name")) as contents:
        found, name = contents.open()
        assert name == "a name"
        assert found.keys() == given_arrays.keys()
        for key, array in given_arrays.items():
            np.testing.assert_array_equal(found[key], array)
            assert found[key].dtype == array.dtype
            assert found[key].flags.aligned


def test_large_arrays_lie_in_the_file_and_cannot_be_written():
    matrix = sp.random_array((50, 50), density=0.2, rng=0, format="csr")
    with parcel(matrix) as contents:
        found = contents.open()
        assert contents.path.stat().st_size >= matrix.data.nbytes + matrix.indices.nbytes
        np.testing.assert_array_equal(found.toarray(), matrix.toarray())
        np.testing.assert_array_equal(found @ np.ones(50), matrix @ np.ones(50))
        with pytest.raises(ValueError, match="read-only"):
            found.data[:] = 0
        folder = contents.path.parent
    assert not folder.exists()


def test_a_folder_without_room_is_named(monkeypatch):
    class Full:
        def __init__(self, *_):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "open", Full)
    with pytest.raises(ClusterError, match=r"cannot hold the 8 MB .*No space left"), parcel(np.ones(10**6)):
        pass


def total(array, item):
    return os.getpid(), float(array.sum()) + item


def test_processes_that_were_started_early_are_those_that_work():
    with LocalProcesses(2) as processes:
        early = set(processes._pool._processes)
        assert len(early) == 2
        found = list(processes.spread(total, np.ones(1000), range(8)))
    assert [value for _, value in found] == [1000.0 + item for item in range(8)]
    assert {process for process, _ in found} <= early
    # They end with the work; the next work starts others.
    again = list(processes.spread(total, np.ones(10), [0]))
    assert [value for _, value in again] == [10.0]
    assert {process for process, _ in again}.isdisjoint(early)
