"""Every test has a cache of its own: models keep what they encoded."""

import pytest


@pytest.fixture(autouse=True)
def private_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
