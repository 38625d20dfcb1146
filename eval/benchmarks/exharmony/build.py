"""From a corpus to the files of an exHarmony benchmark, written beside the old ones and swapped in at the end."""

import dataclasses
import gzip
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson

from eval.benchmarks.exharmony.benchmark import COLLECTION, MANIFEST, QRELS, QUERIES, Inventory, Sizes, qrels_file
from eval.benchmarks.exharmony.gold import Gold, GoldRules, Split, derive
from eval.benchmarks.exharmony.pool import Pool
from indexing.encoders import EncoderFactory, load_encoder
from panelist.corpus.readers.openalex import to_work
from panelist.corpus.store import CorpusStore
from panelist.progress import Progress
from panelist.records import Paper


def build(
    corpus: CorpusStore, directory: Path, recipe: GoldRules, progress: Progress, load: EncoderFactory = load_encoder
) -> Inventory:
    """Make the benchmark of a corpus; one that is in `directory` already is replaced when all is done.

    Raises:
        InputError: the year leaves no collection or no queries, or the directory holds something else.
    """
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        Inventory.read(directory)  # refuse to replace anything else
    directory.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{directory.name}.", dir=directory.parent) as beside:
        fresh = Path(beside, "new")
        fresh.mkdir()
        manifest = _write(corpus, fresh, recipe, progress, load)
        if directory.exists():
            directory.rename(Path(beside, "old"))
        fresh.rename(directory)
    return manifest


def _write(corpus: CorpusStore, target: Path, recipe: GoldRules, progress: Progress, load: EncoderFactory) -> Inventory:
    split = Split(recipe.since)
    papers = _counted(corpus.iter_papers(), corpus.counts().papers, progress)
    # No name and no time in its header: the same corpus gives the same bytes.
    with (target / COLLECTION).open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as out:
        pool = Pool.of(_copied(split.earlier(papers), out))
    gold = derive(corpus, split, pool, recipe, load)
    (target / QUERIES).write_bytes(b"".join(map(_query_line, gold.queries.values())))
    for name in QRELS:
        if gold.right[name]:
            right = sorted(gold.right[name].items())
            lines = (f"{query} 0 {author} 1\n" for query, people in right for author in sorted(people))
            (target / qrels_file(name)).write_text("".join(lines), encoding="utf-8")
    manifest = _manifest(corpus, split, pool, gold, recipe)
    (target / MANIFEST).write_bytes(orjson.dumps(dataclasses.asdict(manifest), option=orjson.OPT_INDENT_2) + b"\n")
    return manifest


def _manifest(corpus: CorpusStore, split: Split, pool: Pool, gold: Gold, recipe: GoldRules) -> Inventory:
    authorships = sum(map(len, gold.own.values()))
    references = sum(len(set(paper.references)) for paper in gold.queries.values())
    return Inventory(
        since=recipe.since,
        established=recipe.established,
        similar=recipe.similar,
        similarity=gold.similarity,
        corpus=corpus.fingerprint(),
        collection=Sizes(len(split.collection), split.authorships, len(pool.number)),
        queries=Sizes(len(gold.queries), authorships, len(set().union(*gold.own.values()))),
        established_authors=len(pool.established(recipe.established)),
        judged={
            name: {"queries": len(right), "pairs": sum(map(len, right.values()))}
            for name, right in gold.right.items()
            if right
        },
        dropped={
            "papers without a year": split.undated,
            "papers without a text": split.empty,
            "later papers none of whose authors is a candidate": len(split.later) - len(gold.queries),
            "authorships of queries whose author is not a candidate": authorships
            - sum(map(len, gold.right["authors"].values())),
            "references of queries to papers outside the collection": references - sum(map(len, gold.cited.values())),
        },
        not_available={**gold.not_available, **pool.not_available()},
    )


def _counted(papers: Iterable[Paper], total: int, progress: Progress) -> Iterator[Paper]:
    for done, paper in enumerate(papers, 1):
        yield paper
        progress("papers", done, total)


def _copied(papers: Iterable[Paper], out: gzip.GzipFile) -> Iterator[Paper]:
    """Pass papers on and write each as an OpenAlex work, such that reading it back gives the same paper."""
    for paper in papers:
        # The plain abstract: an inverted index would lose its line breaks.
        work = to_work(paper) | {"abstract_inverted_index": None, "abstract": paper.abstract}
        out.write(orjson.dumps(work) + b"\n")
        yield paper


def _query_line(paper: Paper) -> bytes:
    """What methods may know of a query: without references and topics; authors only to exclude them."""
    authors = [{"id": authorship.author.id, "name": authorship.author.name} for authorship in paper.authorships]
    query = {"id": paper.id, "title": paper.title, "abstract": paper.abstract, "authors": authors, "year": paper.year}
    return orjson.dumps(query) + b"\n"
