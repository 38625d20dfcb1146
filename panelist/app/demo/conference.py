"""A synthetic conference in OpenReview's layout, and a small gold standard in the layout of the released one.

Papers of the last year are submitted, and a committee has its earlier papers. For the gold standard members of the
committee rate papers by others: high in their own theme, lower in its field, low elsewhere, and with a person's
uncertainty. Its figures say nothing about real reviewers.
"""

import gzip
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import orjson

from panelist.app.demo.material import FOLDER, LAST_YEAR, SEED, corpus
from panelist.records import Author, Paper

COMMITTEE = 40
_FEWEST_PAPERS = 5


def write_conference(directory: Path | str) -> Path:
    """Write `submissions.json` and `archives/~ID.jsonl`, one for each member of the committee, into a directory."""
    root = Path(directory)
    archives = root / "archives"
    archives.mkdir(parents=True, exist_ok=True)
    ids = profile_ids()
    submitted = {paper.id: _note(paper, ids) for paper in corpus() if paper.year == LAST_YEAR}
    (root / "submissions.json").write_bytes(orjson.dumps(submitted, option=orjson.OPT_INDENT_2))
    for author, papers in sorted(committee().items(), key=lambda pair: pair[0].id):
        (archives / f"{ids[author.id]}.jsonl").write_bytes(_lines(_note(paper, ids) for paper in papers))
    return root


def committee() -> dict[Author, list[Paper]]:
    """People with at least five papers before the last year, drawn without regard to their fields, and these papers."""
    written: dict[Author, list[Paper]] = defaultdict(list)
    for paper in corpus():
        if paper.year is not None and paper.year < LAST_YEAR:
            for authorship in paper.authorships:
                written[authorship.author].append(paper)
    able = sorted((a for a, papers in written.items() if len(papers) >= _FEWEST_PAPERS), key=lambda author: author.id)
    return {author: written[author] for author in Random(f"{SEED} committee").sample(able, COMMITTEE)}


def profile_ids() -> dict[str, str]:
    """Ids as OpenReview makes them from names: a number tells namesakes apart."""
    people = {a.author.id: a.author.name for paper in corpus() for a in paper.authorships}
    seen: Counter[str] = Counter()
    ids = {}
    for author, name in sorted(people.items()):
        seen[name] += 1
        ids[author] = f"~{name.replace(' ', '_')}{seen[name]}"
    return ids


def _note(paper: Paper, ids: dict[str, str]) -> dict[str, Any]:
    content = {
        "title": paper.title,
        "abstract": paper.abstract,
        "year": paper.year,
        "venue": paper.venue,
        "authors": [authorship.author.name for authorship in paper.authorships],
        "authorids": [ids[authorship.author.id] for authorship in paper.authorships],
    }
    return {"id": paper.id, "content": {name: {"value": value} for name, value in content.items()}}


def write_gold_standard(directory: Path | str) -> Path:
    """Write `evaluations.csv`, `papers.jsonl.gz`, `profiles.jsonl.gz` and `predictions.csv.gz` there."""
    root = Path(directory)
    root.mkdir(parents=True, exist_ok=True)
    for name in ("evaluations.csv", "profiles.jsonl.gz", "predictions.csv.gz"):
        shutil.copyfile(FOLDER / name, root / name)
    papers = [{"ssId": p.id, "title": p.title, "abstract": p.abstract or None, "year": p.year} for p in corpus()]
    (root / "papers.jsonl.gz").write_bytes(gzip.compress(_lines(papers), mtime=0))
    return root


def _lines(records: Iterable[Any]) -> bytes:
    return b"".join(orjson.dumps(record) + b"\n" for record in records)
