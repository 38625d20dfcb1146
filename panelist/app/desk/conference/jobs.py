"""Which background jobs work for a conference: their ids lie beside what they make, so that a restart finds them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson

from panelist.files import write_whole

SCORING = ".score-job.json"
"""The job that scores a conference, with its settings."""
CHECKING = "review_check.job"
"""The job that checks its reviews."""
SOLVING = "job"
"""The job that makes a solution, in its directory."""


def save_job(file: Path, job: str) -> None:
    """Write the id of a job into a file of its own, as the job writes the others."""
    write_whole(file, job.encode())


def read_job(file: Path) -> str:
    """The id of a job; empty where none was begun."""
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def jobs_of(conference: Path) -> Iterator[str]:
    """The ids of the latest jobs of every kind that were begun for a conference."""
    if (conference / SCORING).exists():
        yield orjson.loads((conference / SCORING).read_bytes())["job"]
    for file in (conference / CHECKING, *conference.glob(f"assignments/*/{SOLVING}")):
        if job := read_job(file):
            yield job
