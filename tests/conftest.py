"""Hypothesis profiles, and the environments that the conformance suite goes through."""

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers import TABLES, Table

COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("default", max_examples=100, derandomize=True, database=None, **COMMON)
settings.register_profile("nightly", max_examples=2000, **COMMON)
settings.load_profile("default")


@pytest.fixture(params=TABLES, ids=str)
def seats(request: pytest.FixtureRequest) -> Table:
    """Each game with each number of players it declares."""
    return request.param
