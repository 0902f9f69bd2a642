"""Profiles of Hypothesis, by ``HYPOTHESIS_PROFILE``: ``dev`` (default), ``smoke``, ``ci``, ``thorough``."""

import os

import pytest
from hypothesis import HealthCheck, settings

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# smoke: for wheels in fresh environments, where the question is whether it runs at all.
settings.register_profile("smoke", max_examples=3, derandomize=True, database=None, **_COMMON)
settings.register_profile("dev", max_examples=30, **_COMMON)
settings.register_profile("ci", max_examples=60, derandomize=True, print_blob=True, **_COMMON)
settings.register_profile("thorough", max_examples=2000, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "property: a property test of one of the propositions")
    config.addinivalue_line("markers", "cluster: starts clusters of Ray")
    config.addinivalue_line("markers", "browser: starts a browser")
    config.addinivalue_line("markers", "slow: takes long for what it adds; run where SUPRA_SLOW is set")
    config.addinivalue_line("markers", "isolated: builds and installs wheels in fresh environments")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("slow") and not os.environ.get("SUPRA_SLOW"):
        pytest.skip("slow: set SUPRA_SLOW=1, or make slow")
