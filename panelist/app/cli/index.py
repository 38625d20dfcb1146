"""`panelist index`: build, update, check and measure the index of a workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from panelist.app.cli.options import Encoding, ExecutorOption, WorkspaceOption, argument, encoder_name, group, option
from panelist.app.cli.output import Answer, note, show_progress
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from indexing.jobs.manifest import Manifest


@dataclass(frozen=True)
class JobEncoding(Encoding):
    """How papers are encoded, and by whom."""

    executor: ExecutorOption = None
    shard_size: int | None = option("Papers per shard: repeated at most after an interruption [default: 2000].", min=1)


def _run(job: Callable[[Any, Any], Manifest], workspace: Path | None, encoding: JobEncoding | None = None) -> Answer:
    """Run a job that changes the index of the workspace, with a progress display."""
    from indexing.jobs.build import SHARD_SIZE, IndexJobs
    from indexing.jobs.executors import open_workers

    opened, chosen = Workspace.at(workspace), encoding or JobEncoding()
    try:
        with (
            opened.open_corpus() as corpus,
            show_progress() as progress,
            open_workers(chosen.executor) as workers,
        ):
            load, shard_size = chosen.loader(cached=True), chosen.shard_size or SHARD_SIZE
            manifest = job(IndexJobs(opened.index_path, load, workers, shard_size, progress), corpus)
    except KeyboardInterrupt:
        note("interrupted: what is finished is kept, the same command resumes; the previous index still serves")
        raise typer.Exit(130) from None
    size = f"{manifest.counts.papers:,} papers of {manifest.counts.authors:,} people are indexed"
    following = "now 'panelist serve' opens the pages of editors and chairs, 'panelist find --title …' finds reviewers"
    return Answer(_described(manifest), [f"{size}; 'panelist index stats' says more", following])


def build(
    engine: str = option(
        "Lexical engine: lucene, bm25s (no Java, faster on long queries), or milvus://HOST:PORT, which keeps "
        "the vectors as well.",
        default="lucene",
    ),
    encoder: str | None = option("Model that makes the vectors: a name or a folder [default: all-MiniLM-L6-v2]."),
    dense: str = option(
        "Vector index of FAISS: flat (exact), ivf, hnsw, or a string of its factory; milvus://HOST:PORT; auto by size.",
        default="auto",
    ),
    vectors: str = option("Precision of the exact vectors: float32, or float16 for half the space.", default="float32"),
    k1: float | None = option("BM25's k1 [default: 0.9]."),
    b: float | None = option("BM25's b [default: 0.4]."),
    lexical_terms: int = option(
        "Only the N rarest words of a query find papers, all words score them [default: 40 from 5 million papers on, "
        "else all].",
        default=0,
        min=0,
        show_default=False,
    ),
    *,
    encoding: JobEncoding,
    workspace: WorkspaceOption = None,
) -> Answer:
    """Rebuild the index from all papers of the corpus.

    The previous index serves until the new one is complete. The same command resumes an interrupted build; a text that
    was encoded before is not encoded again.

    Examples:
        panelist index build
        panelist index build --engine bm25s --workspace biology.workspace
        panelist index build --encoder allenai/specter2_base --dense ivf
        panelist index build --dense OPQ16,IVF256,PQ16
        panelist index build --engine milvus://db:19530 --executor dask://scheduler:8786 --shard-size 50000
    """
    from indexing.lexical import K1, B
    from indexing.lexical.class_archive import make_class_archive
    from indexing.lexical.jvm import check_lucene
    from retriever.kernels import compile_kernels

    if engine == "lucene":
        check_lucene()
    with show_progress("kernels") as progress:
        compile_kernels(progress)
        if engine == "lucene":
            make_class_archive(progress)
    bm25 = {"k1": K1 if k1 is None else k1, "b": B if b is None else b, "terms": lexical_terms}
    settings = {"encoder": encoder_name(encoder), "engine": engine, "dense": dense, "precision": vectors, **bm25}
    return _run(lambda jobs, corpus: jobs.build(corpus, **settings), workspace, encoding)


def add(encoding: JobEncoding, workspace: WorkspaceOption = None) -> Answer:
    """Update the index to the corpus: new, changed and deleted papers, without rebuilding it.

    Examples:
        panelist index add
        panelist index add --workspace biology.workspace --json
    """
    return _run(lambda jobs, corpus: jobs.add(corpus), workspace, encoding)


def remove(papers: list[str] = argument("Ids of papers."), workspace: WorkspaceOption = None) -> Answer:
    """Take papers out of the index. The next `add` brings back those that are still in the corpus.

    Examples:
        panelist index remove https://openalex.org/W2741809807
        panelist index remove elife:00003 elife:00007 --workspace biology.workspace
    """
    return _run(lambda jobs, corpus: jobs.remove(corpus, papers), workspace)


def compact(workspace: WorkspaceOption = None) -> Answer:
    """Rewrite the index without removed and changed papers; nothing is encoded again.

    Examples:
        panelist index compact
        panelist index compact --workspace biology.workspace
    """
    return _run(lambda jobs, corpus: jobs.compact(corpus), workspace)


_OTHERWISE = "answers otherwise than"


def check(
    deep: bool = option("Compare 100 searches with BM25 over all texts, and 100 with the cosines of all vectors."),
    workspace: WorkspaceOption = None,
) -> Answer:
    """Verify the index: checksums, consistency, and whether a sample of its papers find themselves.

    Exits with 1 where something is wrong, and says what.

    Examples:
        panelist index check
        panelist index check --workspace biology.workspace --json
        panelist index check --deep
    """
    from indexing.index import open_index
    from indexing.jobs.check import check_index, measure_recall
    from indexing.jobs.deep import LEAST, lexical_agreement, vector_agreement
    from indexing.jobs.manifest import build_command

    opened = Workspace.at(workspace)
    with open_index(opened.index_path) as index, opened.open_corpus() as corpus:
        problems = check_index(index, corpus)
        up_to_date = index.manifest.corpus == corpus.fingerprint()
        self_recall = None if problems else measure_recall(index)
        compared = {}
        if deep and not problems:
            words, vectors = lexical_agreement(index, corpus), vector_agreement(index)
            compared = {"words": asdict(words), "vectors": asdict(vectors)}
            if min(words.found, words.best) < LEAST:
                problems.append(f"the lexical engine {_OTHERWISE} BM25 over the texts: look at its rows and shards")
            if vectors.found < LEAST * (index.dense().recall or 1.0):
                problems.append(f"the vector engine {_OTHERWISE} the vectors of the index: look at its rows")
    lines = [f"problem: {problem}" for problem in problems]
    lines.append(f"rebuild it with '{build_command(opened.index_path)}'" if problems else "the index is sound")
    if self_recall is not None:
        lines.append(f"the vector index finds {self_recall:.1%} of the exact nearest papers")
    if compared:
        lines.append(
            f"{words.queries:,} titles against BM25 over {words.texts:,} texts: {words.found:.1%} of the papers with a "
            f"word of the title, {words.best:.1%} of the ten best, scores differ by {words.difference:.2%}"
        )
        lines.append(
            f"{vectors.queries:,} papers against {vectors.vectors:,} vectors: the engine itself finds "
            f"{vectors.found:.1%} of the hundred nearest, {vectors.best:.1%} of the ten nearest"
        )
    if not up_to_date:
        lines.append("the corpus has changed since: run 'panelist index add' to update the index")
    result = {"problems": problems, "up_to_date": up_to_date, "recall": self_recall, **compared}
    return Answer(result, lines, code=bool(problems))


def stats(workspace: WorkspaceOption = None) -> Answer:
    """Show what the index contains and how many bytes per paper each of its parts takes.

    Examples:
        panelist index stats
        panelist index stats --workspace biology.workspace --json
    """
    from indexing.index import open_index

    with open_index(Workspace.at(workspace).index_path) as index:
        return Answer(_described(index.manifest), _lines(index.manifest))


def plan(
    papers: int = option("How many papers.", min=1),
    memory: float = option("Gigabytes of memory per machine.", default=64.0, min=1),
    cores: int = option("Processors per machine.", default=16, min=1),
    hourly: float = option("What a machine costs per hour.", default=1.0, min=0),
    dimension: int = option("Length of a vector.", default=384, min=1),
) -> Answer:
    """Estimate what an index of many papers takes: bytes, machines, hours, seconds per query, money.

    The constants were measured; docs/guides/scale.md says on what.

    Examples:
        panelist index plan --papers 250000000
        panelist index plan --papers 5000000 --memory 32 --cores 8 --hourly 0.4 --json
    """
    from indexing.jobs.costs import describe_costs, estimate_costs

    estimate = estimate_costs(papers, memory, cores, hourly, dimension)
    return Answer(estimate, describe_costs(estimate, memory, cores, hourly))


def _described(manifest: Manifest) -> dict[str, Any]:
    papers = max(manifest.counts.papers, 1)
    sizes = manifest.parts().items()
    parts = {name: {"bytes": size, "bytes_per_paper": round(size / papers, 1)} for name, size in sizes}
    described = asdict(manifest)
    del described["files"]
    return {**described, "parts": parts}


def _lines(manifest: Manifest) -> Iterator[str]:
    encoder, lexical, dense = manifest.encoder, manifest.lexical, manifest.dense
    for name, count in asdict(manifest.counts).items():
        yield f"{count:>12,}  {name}"
    if not manifest.counts.references:
        yield "no paper has references: a submission's references find cited works and people only"
    for part, entry in _described(manifest)["parts"].items():
        yield f"{entry['bytes']:>12,}  bytes of {part} ({entry['bytes_per_paper']:,} per paper)"
    yield f"encoder {encoder.name}, revision {encoder.revision}, {encoder.dimension} dimensions"
    yield f"encoded in {encoder.precision} on {encoder.device}"
    recall = "" if dense.recall is None else f", recall {100 * dense.recall:.1f} % of exact"
    yield f"lexical {lexical.engine}, k1 {lexical.k1}, b {lexical.b}; vectors {dense.kind}, {dense.precision}{recall}"
    yield f"created {manifest.created} by panelist {manifest.panelist}"


app = group("Build, update and check the index of a workspace.", build, add, remove, compact, check, stats, plan)
