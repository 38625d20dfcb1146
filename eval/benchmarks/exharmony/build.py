"""From a corpus to the files of an exHarmony benchmark: who is right for a query, by authorship and by citation.

As in the paper, a test paper has at least one author who is a candidate, and only candidates can be right: somebody who
wrote nothing before τ cannot be found. Unlike in the paper, a query's own authors are not right for what it cites:
papers cite their authors' earlier work, and nobody reviews their own paper.
"""

import gzip
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import orjson

from eval.benchmarks.exharmony.benchmark import (
    COLLECTION,
    ESTABLISHED,
    GOLD,
    MANIFEST,
    QUERIES,
    Inventory,
    Pool,
    SimilarityChoice,
    Sizes,
    qrels_file,
)
from indexing.encoders import EncoderFactory, load_encoder
from indexing.encoders.cache import CachedEncoder
from indexing.lexical import open_lexical, write_lexical
from indexing.text import Text
from panelist.corpus.documents import batches
from panelist.corpus.readers.openalex import to_work
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.progress import Progress
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
        for name, value in (("established", self.established), ("similar", self.similar)):
            if value < 1:
                raise InputError(f"{name} is {value}, which is too small: give at least 1")


@dataclass(slots=True)
class Split:
    """A corpus divided by year while it is read; papers without a year or without a text are in neither part."""

    since: int
    collection: list[str] = field(default_factory=list)
    authorships: int = 0
    later: list[Paper] = field(default_factory=list)
    undated: int = 0
    empty: int = 0

    def pass_collection(self, corpus: CorpusStore, out: gzip.GzipFile, progress: Progress) -> Iterator[Paper]:
        """Pass on the collection, and collect what is later; complete when all is passed on.

        Each paper is written as an OpenAlex work that gives the same paper when it is read.
        """
        total, years = corpus.counts().papers, set()
        for number, paper in enumerate(corpus.iter_papers(), 1):
            progress("papers", number, total)
            if paper.year is None:
                self.undated += 1
                continue
            if not Text.of(paper).plain():
                self.empty += 1
                continue
            years.add(paper.year)
            if paper.year >= self.since:
                self.later.append(paper)
                continue
            self.collection.append(paper.id)
            self.authorships += len(paper.authorships)
            # The plain abstract: an inverted index would lose its line breaks.
            work = to_work(paper) | {"abstract_inverted_index": None, "abstract": paper.abstract}
            out.write(orjson.dumps(work) + b"\n")
            yield paper
        if not years:
            raise InputError("no paper of the corpus has a year: exHarmony divides papers by their year")
        span = f"the corpus has papers from {min(years)} to {max(years)}"
        if not self.collection:
            raise InputError(f"no paper is from before {self.since}, so there is no collection: {span}")
        if not self.later:
            raise InputError(f"no paper is from {self.since} or later, so there are no queries: {span}")


def build_benchmark(
    corpus: CorpusStore, directory: Path, recipe: GoldRules, progress: Progress, load: EncoderFactory = load_encoder
) -> Inventory:
    """Make the benchmark of a corpus; one that is in `directory` already is replaced when all is done."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        Inventory.read(directory)  # refuse to replace anything else
    directory.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{directory.name}.", dir=directory.parent) as folder:
        fresh = Path(folder, "new")
        fresh.mkdir()
        manifest = _write(corpus, fresh, recipe, progress, load)
        if directory.exists():
            directory.rename(Path(folder, "old"))
        fresh.rename(directory)
    return manifest


def _write(corpus: CorpusStore, target: Path, recipe: GoldRules, progress: Progress, load: EncoderFactory) -> Inventory:
    split = Split(recipe.since)
    # No name and no time in its header: the same corpus gives the same bytes.
    with (target / COLLECTION).open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as out:
        pool = Pool.of_papers(split.pass_collection(corpus, out, progress))
    queries = {
        paper.id: paper
        for paper in sorted(split.later, key=lambda paper: paper.id)
        if not _authors(paper).isdisjoint(pool.number)
    }
    if not queries:
        raise InputError(
            f"none of the {len(split.later):,} papers since {recipe.since} has an author who wrote an earlier one: "
            f"choose another year, or a corpus that knows its authors by id"
        )
    collected = set(split.collection)
    references = {query: sorted(collected.intersection(paper.references)) for query, paper in queries.items()}
    cited = {query: papers for query, papers in references.items() if papers}
    chosen, similarity = most_similar(corpus, split.collection, queries, cited, recipe.similar, recipe.similarity, load)
    right, missing = _gold_standards(corpus, pool, queries, {"cite": cited, "simcite": chosen}, recipe.established)
    (target / QUERIES).write_bytes(b"".join(map(_query_line, queries.values())))
    judged = {name: by_query for name, by_query in right.items() if by_query}
    for name, by_query in judged.items():
        lines = (f"{query} 0 {author} 1\n" for query in sorted(by_query) for author in sorted(by_query[query]))
        (target / qrels_file(name)).write_text("".join(lines), encoding="utf-8")
    authors = [_authors(paper) for paper in queries.values()]
    authorships, candidates = sum(map(len, authors)), sum(map(len, right["authors"].values()))
    outside = sum(len(set(paper.references)) for paper in queries.values()) - sum(map(len, cited.values()))
    manifest = Inventory(
        since=recipe.since,
        established=recipe.established,
        similar=recipe.similar,
        similarity=similarity,
        corpus=corpus.fingerprint(),
        collection=Sizes(len(split.collection), split.authorships, len(pool.number)),
        queries=Sizes(len(queries), authorships, len(set().union(*authors))),
        established_authors=len(pool.established(recipe.established)),
        judged={
            name: {"queries": len(by_query), "pairs": sum(map(len, by_query.values()))}
            for name, by_query in judged.items()
        },
        dropped={
            "papers without a year": split.undated,
            "papers without a text": split.empty,
            "later papers none of whose authors is a candidate": len(split.later) - len(queries),
            "authorships of queries whose author is not a candidate": authorships - candidates,
            "references of queries to papers outside the collection": outside,
        },
        not_available={**missing, **pool.not_available()},
    )
    (target / MANIFEST).write_bytes(orjson.dumps(asdict(manifest), option=orjson.OPT_INDENT_2) + b"\n")
    return manifest


def _query_line(paper: Paper) -> bytes:
    """What methods may know of a query: without references and topics; authors only to exclude them."""
    authors = [{"id": authorship.author.id, "name": authorship.author.name} for authorship in paper.authorships]
    query = {"id": paper.id, "title": paper.title, "abstract": paper.abstract, "authors": authors, "year": paper.year}
    return orjson.dumps(query) + b"\n"


def _authors(paper: Paper) -> set[str]:
    return {authorship.author.id for authorship in paper.authorships}


def _gold_standards(
    corpus: CorpusStore,
    pool: Pool,
    queries: Mapping[str, Paper],
    sources: Mapping[str, Mapping[str, Sequence[str]]],
    established: int,
) -> tuple[dict[str, dict[str, set[str]]], dict[str, str]]:
    """Who is right, by gold standard and query, without queries that have nobody; and why a gold standard is missing.

    `sources` are the papers of each query whose authors are right by `cite` and `simcite`.
    """
    papers = sorted({paper for of_query in sources["cite"].values() for paper in of_query})
    stored = (paper for batch in batches(papers, _BATCH) for paper in corpus.papers(batch).values())
    writers = {paper.id: _authors(paper) for paper in stored}
    everybody = {"authors": {query: _authors(paper) & pool.number.keys() for query, paper in queries.items()}}
    for name, chosen in sources.items():
        everybody[name] = {
            query: set().union(*(writers[paper] for paper in papers)) - _authors(queries[query])
            for query, papers in chosen.items()
        }
    experts = pool.established(established)
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
            missing[name + ESTABLISHED] = f"nobody who is right has {established} papers in the collection"
    return right, missing


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
    chosen = {query: tuple(sorted(papers)) for query, papers in cited.items()}
    contested = {query: list(papers) for query, papers in chosen.items() if len(papers) > similar}
    if method == "bm25":
        similarity = SimilarityChoice()
        ranked = _by_words(corpus, collection, queries, contested) if contested else {}
    else:
        encoder = CachedEncoder(load(method))
        similarity = SimilarityChoice(method, encoder.revision)
        ranked = _by_vectors(corpus, queries, contested, encoder)
    return chosen | {query: tuple(papers[:similar]) for query, papers in ranked.items()}, similarity


def _by_words(
    corpus: CorpusStore, collection: Sequence[str], queries: Mapping[str, Paper], cited: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    number = {paper: unit for unit, paper in enumerate(collection)}
    ranked = {}
    with tempfile.TemporaryDirectory() as folder:
        with write_lexical(Path(folder), "bm25s") as writer:
            for batch in batches(collection, _BATCH):
                papers = corpus.papers(batch)
                writer.add([number[item] for item in batch], [Text.of(papers[item]).plain() for item in batch])
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
