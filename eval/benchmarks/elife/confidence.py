"""Grades on eLife: suggestions for its later papers, with what is known beside their text and without, across years."""

from dataclasses import replace

from msgspec import structs

from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.fit import Graded, Suggestions
from panelist.progress import Progress
from retriever.finder import Finder
from retriever.lookup import Lookup


def judged_fit(
    benchmark: ELife, finder: Finder, progress: Progress, lookup: Lookup | None = None
) -> tuple[Suggestions, dict[str, Graded]]:
    """Suggestions to learn from, without references, with them, and with a history where one is known, all graded.

    The benchmark must be read with references. The last, authors, is a check: who wrote a paper is suggested for it,
    by the model that learned from reviewers.
    """
    finder.use_history(benchmark.events)
    full = lookup or Lookup(conflicts="ignore")
    plain = replace(full, history="off")
    queries, qrels = benchmark.judged("reviewers"), benchmark.qrels["reviewers"]
    bare = [structs.replace(query, references=(), bibliography=()) for query in queries]
    uncited = Suggestions.collect(finder, bare, qrels, replace(plain, references="off"), progress)
    cited = Suggestions.collect(finder, queries, qrels, plain, progress)
    measured = {"without references": uncited, "with references": cited}
    if benchmark.events:
        measured["with a history"] = Suggestions.collect(finder, queries, qrels, full, progress)
    taught = Suggestions.joined([*measured.values()])
    measured["authors"] = Suggestions.collect(
        *(finder, benchmark.judged("authors"), benchmark.qrels["authors"], replace(plain, references="off"), progress),
        own_authors=True,
    )
    return taught, {name: Graded.by_other_years(suggestions, taught) for name, suggestions in measured.items()}
