"""Who is right for a query, by authorship and by citation: the six gold standards of exHarmony.

As in the paper, a test paper has at least one author who is a candidate, and only candidates can be right: somebody who
wrote nothing before τ cannot be found. Unlike in the paper, a query's own authors are not right for what it cites:
papers cite their authors' earlier work, and nobody reviews their own paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from eval.benchmarks.exharmony.benchmark import ESTABLISHED, GOLD, Similarity
from eval.benchmarks.exharmony.pool import Pool
from eval.benchmarks.exharmony.similarity import most_similar
from indexing.encoders import EncoderFactory, load_encoder
from indexing.text import Text
from panelist.corpus.documents import batches
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.records import Paper

_BATCH = 4096  # papers fetched at a time


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a benchmark is made.

    Attributes:
        since: τ: the collection is everything before this year, the queries are of this year or later.
        established: how many papers in the collection make an author an established one.
        similarity: `bm25`, or the encoder that chooses the most similar of the cited papers.
        similar: how many of them.
    """

    since: int
    established: int = 15
    similarity: str = "bm25"
    similar: int = 10

    def __post_init__(self) -> None:
        for name in ("established", "similar"):
            if getattr(self, name) < 1:
                raise InputError(f"--{name} {getattr(self, name)} is too small: give at least 1")


@dataclass(slots=True)
class Split:
    """A corpus divided by year while it is read; complete when `earlier` is exhausted.

    Attributes:
        since: τ.
        collection: the ids of the papers before, ascending.
        authorships: how many authorships these have.
        later: the papers since.
        undated: how many papers have no year and are in neither part.
        empty: how many papers have no text and are in neither part.
    """

    since: int
    collection: list[str] = field(default_factory=list)
    authorships: int = 0
    later: list[Paper] = field(default_factory=list)
    undated: int = 0
    empty: int = 0
    _years: set[int] = field(default_factory=set)

    def earlier(self, papers: Iterable[Paper]) -> Iterator[Paper]:
        """Pass on the collection, keep what is later.

        Raises:
            InputError: in the end, one of the two is empty.
        """
        for paper in papers:
            if paper.year is None:
                self.undated += 1
            elif not Text.of(paper).plain():
                self.empty += 1
            else:
                self._years.add(paper.year)
                if paper.year >= self.since:
                    self.later.append(paper)
                    continue
                self.collection.append(paper.id)
                self.authorships += len(paper.authorships)
                yield paper
        if not self._years:
            raise InputError("no paper of the corpus has a year: exHarmony divides papers by their year")
        span = f"the corpus has papers from {min(self._years)} to {max(self._years)}"
        if not self.collection:
            raise InputError(f"no paper is from before {self.since}, so there is no collection: {span}")
        if not self.later:
            raise InputError(f"no paper is from {self.since} or later, so there are no queries: {span}")


@dataclass(frozen=True, slots=True)
class Gold:
    """The queries and who is right for them.

    Attributes:
        queries: the test papers by id, in the order of their ids.
        own: the authors of each of them.
        right: name of the gold standard -> query -> authors; without queries that have no right author.
        cited: what each query cites in the collection, where it cites anything.
        similarity: how the most similar of the cited papers were chosen.
        not_available: gold standards that judge no query, and why.
    """

    queries: dict[str, Paper]
    own: dict[str, set[str]]
    right: dict[str, dict[str, set[str]]]
    cited: dict[str, list[str]]
    similarity: Similarity
    not_available: dict[str, str]


def derive(corpus: CorpusStore, split: Split, pool: Pool, recipe: Recipe, load: EncoderFactory = load_encoder) -> Gold:
    """Find the test queries of a corpus and the six gold standards.

    Raises:
        InputError: no query has an author who is a candidate.
    """
    own = {paper.id: {one.author.id for one in paper.authorships} for paper in split.later}
    later = sorted(split.later, key=lambda paper: paper.id)
    queries = {paper.id: paper for paper in later if not own[paper.id].isdisjoint(pool.number)}
    if not queries:
        raise InputError(
            f"none of the {len(later):,} papers since {recipe.since} has an author who wrote an earlier one: "
            f"choose another year, or a corpus that knows its authors by id"
        )
    known = set(split.collection)
    cited = {query: sorted(known.intersection(paper.references)) for query, paper in queries.items()}
    cited = {query: papers for query, papers in cited.items() if papers}
    chosen, similarity = most_similar(corpus, split.collection, queries, cited, recipe.similar, recipe.similarity, load)
    writers = _writers(corpus, sorted({paper for papers in cited.values() for paper in papers}))
    everybody = {"authors": {query: own[query] & pool.number.keys() for query in queries}}
    for name, sources in (("cite", cited), ("simcite", chosen)):
        everybody[name] = {
            query: {author for paper in papers for author in writers[paper]} - own[query]
            for query, papers in sources.items()
        }
    experts = pool.established(recipe.established)
    right: dict[str, dict[str, set[str]]] = {}
    missing: dict[str, str] = {}
    for name in GOLD:
        right[name] = {query: people for query, people in everybody[name].items() if people}
        kept = {query: people & experts for query, people in right[name].items()}
        right[name + ESTABLISHED] = {query: people for query, people in kept.items() if people}
        if not right[name]:
            referring = any(paper.references for paper in queries.values())
            why = "no query cites others' papers of the collection" if referring else "the corpus has no references"
            missing |= {name: why, name + ESTABLISHED: why}
        elif not right[name + ESTABLISHED]:
            missing[name + ESTABLISHED] = f"nobody who is right has {recipe.established} papers in the collection"
    return Gold(queries, {query: own[query] for query in queries}, right, cited, similarity, missing)


def _writers(corpus: CorpusStore, papers: Sequence[str]) -> dict[str, set[str]]:
    """The authors of these papers."""
    return {
        paper.id: {one.author.id for one in paper.authorships}
        for some in batches(papers, _BATCH)
        for paper in corpus.papers(some).values()
    }
