"""What references add on eLife: text alone, shared references, cited people, a learned ranker; and what less gives.

All rows but the first use the references of the published version, of which some were added because a reviewer asked:
hence the rows with older references only. The task of cited authors is never measured with references.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.lookup import encode_queries, renamed, room_for_own, run_of
from eval.benchmarks.ranker import Judged, compared_rows, cross_scores
from eval.runs import Run
from indexing.index import Index
from indexing.text import Text
from panelist.corpus.readers.bibliography.printed import read_entry
from panelist.progress import Progress
from panelist.records import Reference, Submission
from retriever.finder import Finder
from retriever.history.seats import TEN, Seats, kept_seats, with_seats
from retriever.lookup import Lookup
from retriever.references.joining import ReferenceWeights
from retriever.search import Search, SearchFunction, search
from retriever.stages import Candidates

TEXT, PLAIN, LEARNED = "text", "+ cited people", "ranker, learned across years"
_SEED = 0
_WIDTH, _HEIGHT = 100, 60  # characters of a line and lines of a page
_PLAIN = Lookup(uncited=0)


@dataclass(frozen=True, slots=True)
class Variant:
    """A row: how people are looked up, which references are known, and the row that it is compared with."""

    lookup: Lookup
    against: str | None = None
    references: Callable[[Submission], tuple[Reference, ...]] = lambda query: query.bibliography


def older(query: Submission, years: int) -> tuple[Reference, ...]:
    """The references that appeared at least `years` years before the query."""
    last = (query.year or 0) - years
    return tuple(reference for reference in query.bibliography if reference.year is not None and reference.year <= last)


def half(query: Submission) -> tuple[Reference, ...]:
    """Half of the references, drawn at random: what a damaged file may lose."""
    dice = np.random.default_rng([_SEED, *query.id.encode()])
    drawn = dice.random(len(query.bibliography)) < 0.5
    return tuple(reference for reference, is_drawn in zip(query.bibliography, drawn, strict=True) if is_drawn)


def nameless(query: Submission) -> tuple[Reference, ...]:
    """The references without their authors: cited people are known where the work is in the corpus."""
    return tuple(structs.replace(reference, authors=()) for reference in query.bibliography)


def write_cited(query: Submission, path: Path) -> None:
    """Write what a query cites as BibTeX, or as the last pages of a PDF, where lines are printed without DOIs."""
    if path.suffix == ".bib":
        names = ("author", "title", "year", "doi")
        works = ((" and ".join(work.authors), work.title, work.year, work.doi) for work in query.bibliography)
        fields = (zip(names, work, strict=True) for work in works)
        entries = (", ".join(f"{name} = {{{value}}}" for name, value in entry if value) for entry in fields)
        path.write_text("\n".join(f"@article{{r{number}, {entry}}}" for number, entry in enumerate(entries)))
        return
    from matplotlib import rc_context
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure

    entries = (f"{number}. {line}" for number, line in enumerate(_printed(query), 1))
    lines = [query.title[:_WIDTH], "", "References", *(line for entry in entries for line in wrap(entry, _WIDTH))]
    with rc_context({"pdf.fonttype": 42}), PdfPages(path) as pages:
        for start in range(0, len(lines), _HEIGHT):
            page = Figure((8.27, 11.69))  # A4
            page.text(0.08, 0.95, "\n".join(lines[start : start + _HEIGHT]), va="top", size=9, parse_math=False)
            pages.savefig(page)


def through(benchmark: ELife, kind: str) -> ELife:
    """The queries that files of this kind are made of: all, but of the slow PDFs every sixth."""
    qrels = benchmark.qrels["reviewers"]
    chosen = qrels.queries[:: 6 if kind == "pdf" else 1]
    return replace(benchmark, qrels={"reviewers": qrels.only(frozenset(chosen))})


def by_print(query: Submission) -> tuple[Reference, ...]:
    """The references as they are read from printed lines without DOIs, as in PDFs."""
    return tuple(map(read_entry, _printed(query)))


def _printed(query: Submission) -> Iterator[str]:
    """References as journals print them ("Ho VC, Choi C. Title. …")."""
    for work in query.bibliography:
        names = ", ".join(" ".join(name.split(" ", 1)[::-1]) for name in work.authors)
        yield f"{names}. {work.title}. Journal, {work.year or ''}."


STEPS = {
    TEXT: Variant(Lookup(references="off")),
    "+ shared references": Variant(Lookup(reference_weights=ReferenceWeights(people=0), uncited=0), TEXT),
    PLAIN: Variant(_PLAIN, "+ shared references"),
    "… only references at least 2 years older": Variant(_PLAIN, PLAIN, lambda query: older(query, 2)),
    "… only references at least 3 years older": Variant(_PLAIN, PLAIN, lambda query: older(query, 3)),
    "… half of the entries lost": Variant(_PLAIN, PLAIN, half),
    "… without printed names": Variant(_PLAIN, PLAIN, nameless),
    "… read back from printed lines without DOIs": Variant(_PLAIN, PLAIN, by_print),
    "… at least 2 of 10 not cited": Variant(Lookup(uncited=2), PLAIN),
    "… at least 3 of 10 not cited": Variant(Lookup(uncited=3), PLAIN),
    "… at least 5 of 10 not cited": Variant(Lookup(uncited=5), PLAIN),
}


def measured(
    benchmark: ELife,
    finder: Finder,
    citations: NDArray[np.int64],
    progress: Progress,
    read: Callable[[Submission], tuple[Reference, ...]] | None = None,
) -> dict[str, Any]:
    """For each row its figures, with the paired difference from the row it is compared with, and whom it suggests.

    The rows are `STEPS` and a learned ranker; or the true list and what is left of it after it was written and `read`.
    """
    steps = STEPS if read is None else {PLAIN: Variant(_PLAIN), "… read back from files": Variant(_PLAIN, PLAIN, read)}
    queries, qrels = benchmark.judged("reviewers"), benchmark.qrels["reviewers"]
    texts, vectors = [Text.of(query) for query in queries], encode_queries(finder, queries, _PLAIN)
    candidates = dict(zip(texts, search(finder.index, texts, Search(), vectors=vectors), strict=True))

    def remembered(index: Index, texts: Sequence[Text], settings: Search, **_: object) -> list[Candidates]:
        return [candidates[text] for text in texts]  # rows differ in what follows the search

    runs = {
        name: _run(finder, queries, step, name, remembered, renamed(progress, name)) for name, step in steps.items()
    }
    if read is None:
        judged = Judged.collect(finder, queries, qrels, references=True, progress=renamed(progress, LEARNED))
        runs[LEARNED] = judged.run(cross_scores(judged), LEARNED)
    admitted = {name: run.without_own_authors(benchmark.queries) for name, run in runs.items()}
    against = {name: steps[name].against if name in steps else PLAIN for name in runs}
    return compared_rows(finder.index, admitted, against, qrels, citations)


def spread(authors: NDArray[np.int32], rows: NDArray[np.int64], seats: Sequence[Seats], size: int) -> NDArray[np.int64]:
    """The first rows, ten after ten as panels of ten would be chosen from those that are left."""
    order: list[NDArray[np.int64]] = []
    while seats and len(rows) and len(order) * TEN < size:
        order.append(np.sort(with_seats(authors, rows, rows[:TEN], seats)))
        rows = rows[~np.isin(rows, order[-1])]
    return np.concatenate([*order, rows])[:size]


def _run(
    finder: Finder, queries: Sequence[Submission], step: Variant, name: str, search: SearchFunction, progress: Progress
) -> Run:
    citing = [structs.replace(query, bibliography=step.references(query)) for query in queries]
    size = 100 + room_for_own(queries)
    orders = {}
    for shortlist in finder.shortlists(citing, replace(step.lookup, size=size, conflicts="ignore"), search=search):
        ranked, seats = shortlist.ranked, kept_seats(shortlist, step.lookup.uncited, 0)
        rows = spread(ranked.authors, shortlist.rows, seats, size)
        orders[shortlist.submission.id] = ranked.authors[rows]  # to leave room for others changes the order
        progress("queries", len(orders), len(queries))
    return run_of(finder.index, orders, name)
