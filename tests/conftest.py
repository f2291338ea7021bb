"""Fixtures every room shares."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no fault of the code: examples are counted, never timed.
settings.register_profile(
    "memtui", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("memtui")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-goldens` writes what the screens show now instead of comparing with it."""
    parser.addoption("--update-goldens", action="store_true", default=False)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with real benchmark files, or a skip where it is absent."""
    path = Path(__file__).resolve().parents[1] / ".." / "shared" / "data"
    if not path.is_dir():
        pytest.skip("real benchmark data (../shared/data) is not on this machine")
    return path.resolve()
