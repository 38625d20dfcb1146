"""Grades on eLife: suggestions for its later papers, with what they cite and without, graded across years."""

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
    """Suggestions to learn from, with and without references, and both graded; with them the benchmark must be read.

    The third, authors, is a check: who wrote a paper is suggested for it, by the model that learned from reviewers.
    """
    plain = lookup or Lookup(conflicts="ignore")
    queries, qrels = benchmark.judged("reviewers"), benchmark.qrels["reviewers"]
    bare = [structs.replace(query, references=(), bibliography=()) for query in queries]
    without = Suggestions.collect(finder, bare, qrels, replace(plain, references="off"), progress)
    cited = Suggestions.collect(finder, queries, qrels, plain, progress)
    wrote = Suggestions.collect(
        *(finder, benchmark.judged("authors"), benchmark.qrels["authors"], replace(plain, references="off"), progress),
        own_authors=True,
    )
    taught = without.followed_by(cited)
    measured = {"without references": without, "with references": cited, "authors": wrote}
    return taught, {name: Graded.by_other_years(of, taught) for name, of in measured.items()}
