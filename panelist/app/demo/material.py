"""What is invented, in files beside this one: papers and their people, phrases of themes, submissions, reviews."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport
from panelist.records import Paper

SEED = 2024  # of everything that is drawn at random
LAST_YEAR = 2024
FOLDER = Path(__file__).parent / "data"


@cache
def load_material(name: str) -> dict[str, Any]:
    """A file of tables."""
    return tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))


@cache
def corpus() -> tuple[Paper, ...]:
    """All papers in order of id, which is the order of publication.

    A lab publishes on its themes with its members of that year, with partners elsewhere and now and then with somebody
    from another field. People move between institutions, and a few have the name of somebody else. Papers cite earlier
    ones, mostly of their theme and mostly the well-cited.
    """
    return tuple(openalex.read([FOLDER / "works.jsonl.gz"], ReadReport()))
