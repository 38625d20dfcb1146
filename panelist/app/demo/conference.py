"""A synthetic conference in OpenReview's layout, and a small gold standard in the layout of the released one.

Papers of the last year are submitted, and a committee has its earlier papers. For the gold standard invented people
rate papers by others: high in their own theme, lower in its field, low elsewhere, and with a person's uncertainty. Its
figures say nothing about real reviewers.
"""

import gzip
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import orjson

from panelist.app.demo.generator import SEED, corpus
from panelist.app.demo.people import LAST_YEAR
from panelist.app.demo.samples import in_half_points
from panelist.records import Author, Paper
from panelist.spreadsheet import csv_text

COMMITTEE = 40
_FEWEST_PAPERS = 5
PARTICIPANTS = 24
_DRAWS = 2
_PROFILE = 20
_RATED = {"theme": (3, 4.4), "field": (3, 3.2), "elsewhere": (2, 1.4)}  # how many papers, and their mean rating
_DOUBT = 0.6


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
    random = Random(f"{SEED} gold standard")
    people = dict(sorted(committee().items(), key=lambda pair: pair[0].id)[:PARTICIPANTS])
    ratings = {author.id: _rate(author, papers, random) for author, papers in people.items()}
    columns = [f"{name}{number}" for name in ("Paper", "Expertise") for number in range(1, 11)]
    rows: list[list[object]] = [["ParticipantID", *columns]]
    for participant, rated in ratings.items():
        empty = [""] * (10 - len(rated))
        rows.append([participant, *rated, *empty, *rated.values(), *empty])
    (root / "evaluations.csv").write_text(csv_text(rows, "\t"), encoding="utf-8")
    records = [{"ssId": p.id, "title": p.title, "abstract": p.abstract or None, "year": p.year} for p in corpus()]
    _compress(root / "papers.jsonl.gz", _lines(records))
    profiles = []
    for draw in range(1, _DRAWS + 1):
        for author, papers in people.items():  # the most recent papers, those of one year in random order
            recent = sorted(papers, key=lambda paper: (-(paper.year or 0), random.random()))[:_PROFILE]
            profiles.append(
                {"dataset": f"d_20_{draw}", "reviewer": author.id, "papers": [paper.id for paper in recent]}
            )
    _compress(root / "profiles.jsonl.gz", _lines(profiles))
    # Of a system called `tpms`, as the released ones are, which here is the truth with noise.
    predicted: list[list[object]] = [["algorithm", "dataset", "regime", "reviewer", "paper", "score"]]
    for draw in range(1, _DRAWS + 1):
        for participant, rated in ratings.items():
            for paper, rating in rated.items():
                score = f"{rating + random.gauss(0, 1.5):.3f}"
                predicted.append(["tpms", f"d_20_{draw}", "ta", participant, paper, score])
    _compress(root / "predictions.csv.gz", csv_text(predicted).encode())
    return root


def _rate(author: Author, written: list[Paper], random: Random) -> dict[str, float]:
    """Somebody's ratings of papers that others wrote, from 1 to 5 in halves."""
    fields, themes = {paper.topics[0] for paper in written}, {paper.topics[1] for paper in written}
    others = [p for p in corpus() if p.abstract and all(a.author.id != author.id for a in p.authorships)]
    near = {
        "theme": [p for p in others if p.topics[1] in themes],
        "field": [p for p in others if p.topics[0] in fields and p.topics[1] not in themes],
        "elsewhere": [p for p in others if p.topics[0] not in fields],
    }
    rated = {}
    for kind, (count, mean) in _RATED.items():
        for paper in random.sample(near[kind], min(count, len(near[kind]))):
            rated[paper.id] = in_half_points(random.gauss(mean, _DOUBT), 5.0)
    return rated


def _lines(records: Iterable[Any]) -> bytes:
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


def _compress(path: Path, content: bytes) -> None:
    path.write_bytes(gzip.compress(content, mtime=0))
