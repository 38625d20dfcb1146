"""`panelist index`: build, update, check and measure the index of a workspace."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from panelist.app.cli.options import (
    DeviceOption,
    ExecutorOption,
    JsonOption,
    PrecisionOption,
    WorkspaceOption,
    encoder_name,
)
from panelist.app.cli.output import print_json, say, show_progress
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from indexing.jobs.manifest import Manifest

ShardSizeOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Papers per shard: what is repeated at most after an interruption [default: 2000].",
        show_default=False,
    ),
]

app = typer.Typer(help="Build, update and check the index of a workspace.", no_args_is_help=True)


@app.command()
def build(
    engine: Annotated[
        str,
        typer.Option(
            help="Lexical engine: lucene, bm25s (no Java, faster on long queries), or milvus://HOST:PORT, which keeps "
            "the vectors as well."
        ),
    ] = "lucene",
    encoder: Annotated[
        str | None,
        typer.Option(help="Model that makes the vectors: a name or a folder [default: all-MiniLM-L6-v2]."),
    ] = None,
    dense: Annotated[
        str,
        typer.Option(help="Vector index: flat (exact), ivf, milvus://HOST:PORT, or auto by the corpus's size."),
    ] = "auto",
    vectors: Annotated[
        str, typer.Option(help="Precision of the exact vectors: float32, or float16 for half the space.")
    ] = "float32",
    k1: Annotated[float | None, typer.Option(help="BM25's k1 [default: 0.9].")] = None,
    b: Annotated[float | None, typer.Option(help="BM25's b [default: 0.4].")] = None,
    lexical_terms: Annotated[
        int,
        typer.Option(
            min=0,
            help="Only the N rarest words of a query find papers, all words score them [default: 40 from 5 million "
            "papers on, else all].",
            show_default=False,
        ),
    ] = 0,
    device: DeviceOption = "cpu",
    precision: PrecisionOption = "auto",
    executor: ExecutorOption = None,
    shard_size: ShardSizeOption = None,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Rebuild the index from all papers of the corpus.

    The previous index serves until the new one is complete. The same command resumes an interrupted build; a text that
    was encoded before is not encoded again.

    **Examples**

        panelist index build

        panelist index build --engine bm25s --workspace biology.workspace

        panelist index build --encoder allenai/specter2_base --dense ivf

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
    _run(
        workspace,
        json,
        lambda jobs, corpus: jobs.build(
            corpus,
            encoder=encoder_name(encoder),
            engine=engine,
            dense=dense,
            k1=K1 if k1 is None else k1,
            b=B if b is None else b,
            terms=lexical_terms,
            precision=vectors,
        ),
        executor,
        shard_size,
        device,
        precision,
    )


@app.command()
def add(
    device: DeviceOption = "cpu",
    precision: PrecisionOption = "auto",
    executor: ExecutorOption = None,
    shard_size: ShardSizeOption = None,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Update the index to the corpus: new, changed and deleted papers, without rebuilding it.

    **Examples**

        panelist index add

        panelist index add --workspace biology.workspace --json
    """
    _run(workspace, json, lambda jobs, corpus: jobs.add(corpus), executor, shard_size, device, precision)


@app.command()
def remove(
    papers: Annotated[list[str], typer.Argument(help="Ids of papers.", show_default=False)],
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Take papers out of the index. The next `add` brings back those that are still in the corpus.

    **Examples**

        panelist index remove https://openalex.org/W2741809807

        panelist index remove elife:00003 elife:00007 --workspace biology.workspace
    """
    _run(workspace, json, lambda jobs, corpus: jobs.remove(corpus, papers))


@app.command()
def compact(workspace: WorkspaceOption = None, json: JsonOption = False) -> None:
    """Rewrite the index without removed and changed papers; nothing is encoded again.

    **Examples**

        panelist index compact

        panelist index compact --workspace biology.workspace
    """
    _run(workspace, json, lambda jobs, corpus: jobs.compact(corpus))


@app.command()
def check(workspace: WorkspaceOption = None, json: JsonOption = False) -> None:
    """Verify the index: checksums, consistency, and whether a sample of its papers find themselves.

    Exits with 1 where something is wrong, and says what.

    **Examples**

        panelist index check

        panelist index check --workspace biology.workspace --json
    """
    from indexing.index import open_index
    from indexing.jobs.check import check_index
    from indexing.jobs.manifest import build_command

    opened = Workspace.at(workspace)
    with open_index(opened.index_path) as index, opened.open_corpus() as corpus:
        problems = check_index(index, corpus)
        up_to_date = index.manifest.corpus == corpus.fingerprint()
    if json:
        print_json({"problems": problems, "up_to_date": up_to_date})
    else:
        for problem in problems:
            say(f"problem: {problem}")
        if problems:
            say(f"rebuild it with '{build_command(opened.index_path)}'")
        else:
            say("the index is sound")
        if not up_to_date:
            say("the corpus has changed since: run 'panelist index add' to update the index")
    if problems:
        raise typer.Exit(1)


@app.command()
def stats(workspace: WorkspaceOption = None, json: JsonOption = False) -> None:
    """Show what the index contains and how many bytes per paper each of its parts takes.

    **Examples**

        panelist index stats

        panelist index stats --workspace biology.workspace --json
    """
    from indexing.index import open_index

    with open_index(Workspace.at(workspace).index_path) as index:
        _show(index.manifest, json)


@app.command()
def plan(
    papers: Annotated[int, typer.Option(min=1, help="How many papers.")],
    memory: Annotated[float, typer.Option(min=1, help="Gigabytes of memory per machine.")] = 64.0,
    cores: Annotated[int, typer.Option(min=1, help="Processors per machine.")] = 16,
    hourly: Annotated[float, typer.Option(min=0, help="What a machine costs per hour.")] = 1.0,
    dimension: Annotated[int, typer.Option(min=1, help="Length of a vector.")] = 384,
    json: JsonOption = False,
) -> None:
    """Estimate what an index of many papers takes: bytes, machines, hours, seconds per query, money.

    The constants were measured; docs/guides/scale.md says on what.

    **Examples**

        panelist index plan --papers 250000000

        panelist index plan --papers 5000000 --memory 32 --cores 8 --hourly 0.4 --json
    """
    from indexing.jobs.costs import costs, lines

    estimate = costs(papers, memory, cores, hourly, dimension)
    if json:
        print_json(estimate)
        return
    for line in lines(estimate, memory, cores, hourly):
        say(line)


def _run(
    workspace: Any,
    json: bool,
    job: Callable[[Any, Any], Manifest],
    executor: str | None = None,
    shard_size: int | None = None,
    device: str = "cpu",
    precision: str = "auto",
) -> None:
    """Run a job on the workspace with a progress display, then show the result."""
    from indexing.encoders.cache import EncoderLoader
    from indexing.jobs.build import SHARD_SIZE, IndexJobs
    from indexing.jobs.executors import open_workers

    opened = Workspace.at(workspace)
    try:
        with opened.open_corpus() as corpus, show_progress() as progress, open_workers(executor) as workers:
            load = EncoderLoader(device, precision, cached=True)
            jobs = IndexJobs(opened.index_path, load, workers, shard_size or SHARD_SIZE, progress)
            manifest = job(jobs, corpus)
    except KeyboardInterrupt:
        typer.echo(
            "interrupted: what is finished is kept, the same command resumes; the previous index still serves",
            err=True,
        )
        raise typer.Exit(130) from None
    _show(manifest, json)


def _show(manifest: Manifest, json: bool) -> None:
    papers = max(manifest.counts.papers, 1)
    sizes = manifest.parts()
    parts = {part: {"bytes": size, "bytes_per_paper": round(size / papers, 1)} for part, size in sizes.items()}
    if json:
        known = dataclasses.asdict(manifest)
        del known["files"]
        print_json({**known, "parts": parts})
        return
    encoder, lexical, dense = manifest.encoder, manifest.lexical, manifest.dense
    for name, count in dataclasses.asdict(manifest.counts).items():
        say(f"{count:>12,}  {name}")
    if not manifest.counts.references:
        say("no paper has references: a submission's references find cited works and people only")
    for part, entry in parts.items():
        say(f"{entry['bytes']:>12,}  bytes of {part} ({entry['bytes_per_paper']:,} per paper)")
    say(f"encoder {encoder.name}, revision {encoder.revision}, {encoder.dimension} dimensions")
    say(f"encoded in {encoder.precision} on {encoder.device}")
    say(f"lexical {lexical.engine}, k1 {lexical.k1}, b {lexical.b}; vectors {dense.kind}, {dense.precision}")
    say(f"created {manifest.created} by panelist {manifest.panelist}")
