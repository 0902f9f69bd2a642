"""A sweep without a cluster."""

import pytest

from supra_experiments.sweep.journal import Journal
from supra_experiments.sweep.storage import SweepStorage

from .scene import Scene


@pytest.fixture
def open_scene(tmp_path):
    with SweepStorage.open(tmp_path, "mine") as storage, Journal(storage.folder) as journal:
        yield lambda **options: Scene(storage, journal, tmp_path, **options)
