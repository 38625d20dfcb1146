"""The synthetic corpus as a file in the native import format: OpenAlex works, one per line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from panelist.records import Authorship, Paper


def to_work(paper: Paper) -> dict[str, Any]:
    """A paper as an OpenAlex work; `panelist.corpus.readers.openalex.to_paper` is the inverse."""
    index: dict[str, list[int]] = {}
    for position, word in enumerate(paper.abstract.split()):
        index.setdefault(word, []).append(position)
    return {
        "id": paper.id,
        "doi": paper.doi,
        "title": paper.title,
        "publication_year": paper.year,
        "type": "article",
        "language": "en",
        "abstract_inverted_index": index or None,
        "authorships": [_authorship(authorship) for authorship in paper.authorships],
        "primary_location": {"source": {"display_name": paper.venue}},
        "referenced_works": list(paper.references),
        "cited_by_count": paper.cited_by_count,
        "topics": [{"display_name": topic} for topic in paper.topics],
    }


def _authorship(authorship: Authorship) -> dict[str, Any]:
    author = authorship.author
    return {
        "author": {"id": author.id, "display_name": author.name, "orcid": author.orcid},
        "institutions": [
            {"ror": one.ror, "display_name": one.name, "country_code": one.country} for one in authorship.institutions
        ],
    }


def write_works(path: Path, papers: Iterable[Paper]) -> None:
    """Write papers as JSON lines."""
    with path.open("wb") as file:
        file.writelines(orjson.dumps(to_work(paper), option=orjson.OPT_APPEND_NEWLINE) for paper in papers)
