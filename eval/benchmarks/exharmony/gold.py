"""Who is right for a query, by authorship and by citation: the six gold standards of exHarmony.

As in the paper, a test paper has at least one author who is a candidate, and only candidates can be right: somebody who
wrote nothing before τ cannot be found. Unlike in the paper, a query's own authors are not right for what it cites:
papers cite their authors' earlier work, and nobody reviews their own paper.
"""

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from eval.benchmarks.exharmony.benchmark import ESTABLISHED, GOLD, SimilarityChoice
from eval.benchmarks.exharmony.pool import Pool
from indexing.encoders import EncoderFactory, load_encoder
from indexing.encoders.cache import CachedEncoder
from indexing.lexical import open_lexical, write_lexical
from indexing.text import Text
from panelist.corpus.documents import batches
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.records import Paper

_BATCH = 4096  # papers fetched or written at a time


@dataclass(frozen=True, slots=True)
class GoldRules:
    """How a benchmark is made: the collection is everything before the year `since` (τ), the queries come later.

    `established` papers in the collection make an author an established one; `similarity` is `bm25`, or the encoder
    that chooses the `similar` most similar of the cited papers.
    """

    since: int
    established: int = 15
    similarity: str = "bm25"
    similar: int = 10

    def __post_init__(self) -> None:
        for name in ("established", "similar"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}, which is too small: give at least 1")


@dataclass(slots=True)
class Split:
    """A corpus divided by year while it is read; complete when `earlier` is exhausted.

    Papers without a year (`undated`) or without a text (`empty`) are in neither part.
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
    """The queries by id, in its order, their `own` authors, and who is right for them.

    `right` has by gold standard and query those who are, without queries that have nobody; `cited` what each query
    cites in the collection, and `not_available` the gold standards that judge no query, and why.
    """

    queries: dict[str, Paper]
    own: dict[str, set[str]]
    right: dict[str, dict[str, set[str]]]
    cited: dict[str, list[str]]
    similarity: SimilarityChoice
    not_available: dict[str, str]


def derive(
    corpus: CorpusStore, split: Split, pool: Pool, recipe: GoldRules, load: EncoderFactory = load_encoder
) -> Gold:
    """Find the test queries of a corpus and the six gold standards.

    Raises:
        InputError: no query has an author who is a candidate.
    """
    own = {paper.id: {authorship.author.id for authorship in paper.authorships} for paper in split.later}
    later = sorted(split.later, key=lambda paper: paper.id)
    queries = {paper.id: paper for paper in later if not own[paper.id].isdisjoint(pool.number)}
    if not queries:
        raise InputError(
            f"none of the {len(later):,} papers since {recipe.since} has an author who wrote an earlier one: "
            f"choose another year, or a corpus that knows its authors by id"
        )
    collected = set(split.collection)
    cited = {query: sorted(collected.intersection(paper.references)) for query, paper in queries.items()}
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
        experienced = {query: people & experts for query, people in right[name].items()}
        right[name + ESTABLISHED] = {query: people for query, people in experienced.items() if people}
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
        paper.id: {authorship.author.id for authorship in paper.authorships}
        for some in batches(papers, _BATCH)
        for paper in corpus.papers(some).values()
    }


def most_similar(
    corpus: CorpusStore,
    collection: Sequence[str],
    queries: Mapping[str, Paper],
    cited: Mapping[str, Sequence[str]],
    similar: int,
    method: str,
    load: EncoderFactory = load_encoder,
) -> tuple[dict[str, tuple[str, ...]], SimilarityChoice]:
    """For each query the `similar` most similar of the papers that it cites, by BM25 or an encoder; ties by id.

    The paper took SPECTER, which it then evaluated as well. A method must not judge itself, so the choice is BM25's
    unless an encoder is named; the benchmark remembers which one, and refuses to measure that encoder by it.
    """
    contested = {query: sorted(papers) for query, papers in cited.items() if len(papers) > similar}
    chosen = {query: tuple(sorted(papers)) for query, papers in cited.items() if len(papers) <= similar}
    if method == "bm25":
        similarity = SimilarityChoice()
        ranked = _by_words(corpus, collection, queries, contested) if contested else {}
    else:
        encoder = CachedEncoder(load(method))
        similarity = SimilarityChoice(method, encoder.revision)
        ranked = _by_vectors(corpus, queries, contested, encoder)
    chosen |= {query: tuple(papers[:similar]) for query, papers in ranked.items()}
    return chosen, similarity


def _by_words(
    corpus: CorpusStore, collection: Sequence[str], queries: Mapping[str, Paper], cited: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    number = {paper: unit for unit, paper in enumerate(collection)}
    ranked = {}
    with tempfile.TemporaryDirectory() as folder:
        with write_lexical(Path(folder), "bm25s") as writer:
            for some in batches(collection, _BATCH):
                papers = corpus.papers(some)
                writer.add([number[item] for item in some], [Text.of(papers[item]).plain() for item in some])
        with open_lexical(Path(folder), "bm25s") as index:
            for query, candidates in cited.items():
                mask = np.zeros(len(collection), dtype=np.bool_)
                mask[[number[candidate] for candidate in candidates]] = True
                units = index.search([Text.of(queries[query]).plain()], len(candidates), allowed=mask).units[0]
                hits = [collection[unit] for unit in units.tolist() if unit >= 0]
                # A paper that shares no word with the query is not a hit, but still a citation.
                ranked[query] = [*hits, *sorted(set(candidates).difference(hits))]
    return ranked


def _by_vectors(
    corpus: CorpusStore, queries: Mapping[str, Paper], cited: Mapping[str, list[str]], encoder: CachedEncoder
) -> dict[str, list[str]]:
    ranked = {}
    for query, candidates in cited.items():
        papers = corpus.papers(candidates)
        vectors = encoder.encode([Text.of(queries[query]), *(Text.of(papers[candidate]) for candidate in candidates)])
        order = np.argsort(-(vectors[1:] @ vectors[0]), kind="stable")
        ranked[query] = [candidates[row] for row in order.tolist()]
    return ranked
