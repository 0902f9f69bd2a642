"""One thread a process; profiles of Hypothesis, by ``HYPOTHESIS_PROFILE``; markers; the order of tests."""

import os

import pytest
from hypothesis import HealthCheck, settings

# One thread a process, before any library reads it: workers that wait for each other's threads on cores that
# are taken make tests far slower.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# smoke: for wheels in fresh environments, where the question is whether it runs at all.
settings.register_profile("smoke", max_examples=3, derandomize=True, database=None, **_COMMON)
settings.register_profile("dev", max_examples=10, **_COMMON)
settings.register_profile("ci", max_examples=60, derandomize=True, print_blob=True, **_COMMON)
settings.register_profile("thorough", max_examples=2000, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

MARKERS = {
    "property": "a property test of one of the propositions",
    "cluster": "uses a cluster of Ray",
    "browser": "uses a browser",
    "isolated": "builds wheels and installs them in fresh environments",
    "long": "takes long for what it adds: `make test` leaves it out, `make test-all` does not",
}


def pytest_configure(config: pytest.Config) -> None:
    for name, meaning in MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest or shares something costly comes first.

    Each worker process has its share of the list, in order, and then takes work off the end of another's. So
    what is first is done by one of them: one cluster, one browser and one set of wheels serve all, and no
    long test is left for the end.
    """
    first = ("long", "isolated", "cluster", "browser")
    items.sort(key=lambda item: next((i for i, name in enumerate(first) if item.get_closest_marker(name)), 9))
