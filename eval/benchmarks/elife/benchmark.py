"""Real reviewers: who did review the eLife papers of 2019 and 2020, found among all authors of papers up to 2018.

A query is a paper's title and abstract; the candidates are the authors of the collection. Three judgements of who is
right, each a file of qrels: `reviewers` (who really reviewed it), `authors` (its own authors, exHarmony-Authors) and
`cite` (authors of what it cites, exHarmony-Cite). A paper's own authors are not candidates, except where they are the
answer. Measured on the first 1,400 judged queries of each file in the order of their ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from msgspec import structs

from eval.measures.ranking import Measure, measure
from eval.measures.statistics import Ratio, interval, resampling_counts
from eval.runs import Qrels, Run
from eval.trec import read_qrels
from panelist.corpus.readers import openalex
from panelist.corpus.readers.history import read_history
from panelist.corpus.readers.lines import read_json_lines
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.reference_keys import doi_key
from panelist.errors import InputError, MissingDataError
from panelist.records import HistoryEvent, Paper, Reference, Submission

HISTORY = "history.jsonl.gz"  # who reviewed and edited what, where the data have it
TASKS = ("reviewers", "authors", "cite")
MEASURES = "recall@10,recall@100,ndcg@10,ndcg@100,map,mrr,precision@10"
LAST_COLLECTION_YEAR = 2018
QUERIES_MEASURED = 1_400


@dataclass(frozen=True, slots=True, eq=False)
class ELife:
    """The development split: papers up to 2018, and title and abstract of those since, in the order of their ids.

    Queries have authors only to exclude them; `qrels` are the judgements of each task, cut to the queries measured.
    `events` say who reviewed and edited what, where that was asked for: a query must see those before it only.
    """

    collection: tuple[Paper, ...]
    queries: tuple[Submission, ...]
    qrels: dict[str, Qrels]
    events: tuple[HistoryEvent, ...] = ()

    @classmethod
    def read(cls, root: Path, *, references: bool = False, history: bool = False) -> ELife:
        """Read the split from its directory (`works/`, `qrels.dev.*.txt`, and what papers cite, if it is there).

        With `references` queries have what they cite, as it was published; then who is cited cannot be a task. With
        `history` they have the day on which they were received, and it is known who reviewed and edited what.
        """
        if not (root / "works").is_dir():
            raise MissingDataError("elife", root, "works")
        report = ReadReport()
        papers = list(openalex.read([root / "works"], report))
        if report.rejected:
            raise InputError(f"{report.rejections[0]} ({report.rejected} such lines): run 'panelist fetch elife' again")
        cited = {line["id"]: line["references"] for line in _json_lines(root / "references.jsonl.gz")}
        papers = list(_with_references(papers, cited)) if cited else papers
        tasks = [task for task in TASKS if not (references and task == "cite")]
        qrels = {task: read_qrels(root / f"qrels.dev.{task}.txt").head(QUERIES_MEASURED) for task in tasks}
        lists = _json_lines(root / "bibliographies.jsonl.gz") if references else []
        entries = {line["id"]: tuple(map(_entry, line["references"])) for line in lists}
        split = cls.split(papers, qrels, references=references, bibliographies=entries)
        return with_history(split, papers, root / HISTORY) if history else split

    @classmethod
    def split(
        cls,
        papers: Iterable[Paper],
        qrels: dict[str, Qrels],
        *,
        references: bool = False,
        bibliographies: Mapping[str, tuple[Reference, ...]] | None = None,
    ) -> ELife:
        """Divide papers by year into collection and queries; papers without a year are in neither."""
        dated = [(paper, paper.year) for paper in papers if paper.year is not None]
        collection = tuple(paper for paper, year in dated if year <= LAST_COLLECTION_YEAR)
        later = sorted((paper for paper, year in dated if year > LAST_COLLECTION_YEAR), key=lambda paper: paper.id)
        entries = bibliographies or {}
        return cls(collection, tuple(_query(paper, references, entries.get(paper.id, ())) for paper in later), qrels)

    def candidates(self) -> frozenset[str]:
        """Everybody who wrote a paper of the collection."""
        return frozenset(a.author.id for paper in self.collection for a in paper.authorships)

    def judged(self, *tasks: str) -> tuple[Submission, ...]:
        """The queries that at least one of the tasks measures, of all tasks if none is named."""
        ids = {query for task in tasks or self.qrels for query in self.qrels[task].queries}
        return tuple(query for query in self.queries if query.id in ids)

    def score_run(self, run: Run, measures: Sequence[Measure], *, intervals: bool = False) -> dict[str, dict[str, Any]]:
        """The mean of each measure for each task, and the number of its queries, of rankings of author ids.

        With `intervals` also the 95% interval of each mean (`…_ci`), over resamples of the queries.
        """
        scores: dict[str, dict[str, Any]] = {}
        for task, admitted in self.admitted(run).items():
            qrels = self.qrels[task]
            means = {str(name): Ratio.mean(by_query) for name, by_query in measure(qrels, admitted, measures).items()}
            scores[task] = {"queries": len(qrels.queries), **{name: mean.value for name, mean in means.items()}}
            if intervals:
                counts = resampling_counts(len(qrels.queries))
                scores[task] |= {f"{name}_ci": interval(mean.resampled(counts)) for name, mean in means.items()}
        return scores

    def admitted(self, run: Run) -> dict[str, Run]:
        """For each task the run as it is measured: without each query's own authors, unless they are the answer."""
        outsiders = run.without_own_authors(self.queries)
        return {task: run if task == "authors" else outsiders for task in self.qrels}


def with_history(benchmark: ELife, papers: Sequence[Paper], path: Path) -> ELife:
    """The split with who reviewed and edited its papers, and the days on which its queries were received."""
    texts = {paper.id: paper for paper in papers}
    days = {line["id"]: line["received"] for _, line in read_json_lines(path, ReadReport())}
    received = {query: date.fromisoformat(day) for query, day in days.items() if day}
    events = tuple(
        HistoryEvent(  # ids are those of the works: nobody is looked for by name
            *(event.person, event.role, event.paper),
            title=texts[event.paper].title,
            abstract=texts[event.paper].abstract,
            published=event.published,
        )
        for event in read_history([path], ReadReport())
        if event.paper in texts
    )
    queries = tuple(structs.replace(query, received=received.get(query.id)) for query in benchmark.queries)
    return replace(benchmark, queries=queries, events=events)


def _json_lines(path: Path) -> list[dict[str, Any]]:
    """The records of a file, none where it is not there."""
    return [line for _, line in read_json_lines(path, ReadReport())] if path.exists() else []


def _with_references(papers: Sequence[Paper], cited: Mapping[str, Sequence[str]]) -> Iterator[Paper]:
    """The papers with everything that they cite: papers of these data by id, others by their keys."""
    ids = {doi_key(paper.doi): paper.id for paper in papers if paper.doi}
    for paper in papers:
        keys = (ids.get(key, key) for key in cited.get(paper.id, ()))
        yield structs.replace(paper, references=tuple(dict.fromkeys((*paper.references, *keys))))


def _entry(entry: dict[str, Any]) -> Reference:
    digits = re.match(r"\d{4}", entry.get("year") or "")
    year = int(digits[0]) if digits else None
    return Reference(entry.get("title") or "", tuple(entry.get("authors") or ()), year, entry.get("doi") or None)


def _query(paper: Paper, references: bool, entries: tuple[Reference, ...] = ()) -> Submission:
    """What models may know of a query: without keywords and topics, and without references unless it is asked for."""
    return Submission(
        id=paper.id,
        title=paper.title,
        abstract=paper.abstract,
        authors=tuple(authorship.author for authorship in paper.authorships),
        references=paper.references if references and not entries else (),
        year=paper.year,
        bibliography=entries,
    )
