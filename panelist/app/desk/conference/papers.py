"""What is known of a conference's papers beside their scores: their titles."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import orjson

SUBMISSIONS = "submissions.jsonl"


def read_titles(conference: Path) -> dict[str, str]:
    """The titles of the submissions by id; empty where only scores were given."""
    path = conference / SUBMISSIONS
    try:
        return _titles(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return {}


@lru_cache(maxsize=4)
def _titles(path: Path, changed: int) -> dict[str, str]:
    with path.open("rb") as file:
        lines = (orjson.loads(line) for line in file if line.strip())
        return {one["id"]: one.get("title", "") for one in lines}
