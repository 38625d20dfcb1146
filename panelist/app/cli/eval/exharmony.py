"""`panelist eval exharmony`: a benchmark from any corpus, and what finds its reviewers."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from panelist.app.cli.eval.results import Figures, PageOptions
from panelist.app.cli.options import BenchmarkWorkspaceOption, WorkspaceOption, argument, group, option
from panelist.app.cli.output import origin, show_progress
from panelist.config import mongo_uri
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.extras import require
from panelist.workspace import Workspace


def build(
    directory: Path = argument("Where to write the benchmark; one that is there is replaced."),
    since: int = option("First year of the queries; the collection is before it."),
    works: list[Path] | None = option("OpenAlex works (files or directories) instead of a workspace's corpus."),
    mongo: str | None = option("Works of this collection of the server at $PANELIST_MONGO_URI: DATABASE.COLLECTION."),
    workspace: WorkspaceOption = None,
    established: int = option("Papers in the collection that make an author established.", default=15, min=1),
    similarity: str = option("What chooses the most similar cited papers: bm25, or an encoder.", default="bm25"),
    similar: int = option("How many cited papers it chooses.", default=10, min=1),
) -> Figures:
    """Make a benchmark: papers before a year are the collection, later ones the queries.

    Six gold standards say who is right: a query's authors, the authors of what it cites, and of the most similar of
    that, each for all and for established authors. What the corpus does not support is left out, with the reason.

    Examples:
        panelist eval exharmony build elife.exharmony --since 2019 --established 3 --works elife/works
        panelist eval exharmony build mine.exharmony --since 2023 --workspace mine.workspace --json
        panelist eval exharmony build all.exharmony --since 2023 --mongo openalex.works
    """
    from eval.benchmarks.exharmony.build import GoldRules, build_benchmark
    from eval.benchmarks.exharmony.report import statistics_tables

    if sum(map(bool, (works, mongo, workspace))) > 1:
        raise InputError("a benchmark is made of one corpus: give one of --works, --mongo and --workspace")
    recipe = GoldRules(since, established, similarity, similar)
    with show_progress() as progress, _corpus(works, mongo, workspace) as corpus:
        manifest = build_benchmark(corpus, directory.absolute(), recipe, progress)
    return Figures(manifest, statistics_tables(manifest))


def run(
    directory: Path = argument("A benchmark that `build` made."),
    method: list[str] | None = option("bm25, bm25+rm3, doc2vec, wmd, dense, hybrid, panelist [default: all]."),
    runs: list[Path] | None = option("Also this TREC run (queries: paper ids, documents: author ids).", "--run"),
    queries: int | None = option("Ask a random sample of this many queries only.", min=1),
    seed: int = option("Seed of the sample.", default=0, min=0),
    encoder: str = option("Model of the dense methods.", default="all-MiniLM-L6-v2"),
    engine: str = option("Lexical engine: lucene or bm25s.", default="lucene"),
    workspace: BenchmarkWorkspaceOption = None,
    keep: Path | None = option("Write each method's TREC run to this directory.", "--runs"),
    *,
    page: PageOptions,
) -> Figures:
    """Ask all methods, and measure relevance by six gold standards and the diversity of who they find.

    The first time, the collection is indexed, with vectors only if a method needs them. Where runs are given and no
    method, only these are measured. A query's own authors are removed from the rankings, except where they are the
    answer; unanswered queries score zero.

    Examples:
        panelist eval exharmony run elife.exharmony
        panelist eval exharmony run elife.exharmony --method bm25 --method panelist --runs runs --json
        panelist eval exharmony run elife.exharmony --run mine.run --markdown
        panelist eval exharmony run elife.exharmony --method bm25 --method panelist --report report/
    """
    from eval.benchmarks.exharmony.benchmark import ExHarmony
    from eval.benchmarks.exharmony.report import exharmony_report, result_tables
    from eval.benchmarks.exharmony.run import MethodsPlan, compare_methods

    methods = method or ([] if runs else None)
    plan = MethodsPlan(methods, tuple(runs or ()), encoder, engine, workspace, keep, queries, seed)
    benchmark = ExHarmony.read(directory.absolute())
    with show_progress() as progress:
        results = compare_methods(benchmark, plan, progress)
    if page.report is not None:
        page.write(exharmony_report(results, origin([directory, *(runs or ())])))
    return Figures(results.figures(), result_tables(results))


@contextmanager
def _corpus(works: list[Path] | None, mongo: str | None, workspace: Path | None) -> Iterator[CorpusStore]:
    """Open the corpus of a workspace, or works of files or of a collection as a corpus."""
    from panelist.corpus.readers import openalex
    from panelist.corpus.sqlite import SqliteStore

    if not works and mongo is None:
        with Workspace.at(workspace).open_corpus() as corpus:
            yield corpus
        return
    report, uri = ReadReport(), mongo_uri()
    if mongo is None:
        papers = openalex.read(works or [], report)
    else:
        require("a collection in MongoDB", "pymongo")
        from panelist.corpus.mongo import read_works

        if uri is None:
            raise InputError("--mongo reads from the server at PANELIST_MONGO_URI: set it, mongodb://HOST:PORT")
        papers = read_works(uri, mongo, report)
    with TemporaryDirectory() as folder, SqliteStore(Path(folder, "corpus.sqlite")) as corpus:
        corpus.upsert(papers)
        if report.rejected:
            words = f"{report.rejections[0]} ({report.rejected:,} such lines)"
            raise InputError(f"{words}: correct the works and try again")
        yield corpus


_ABOUT = "exHarmony: authorship and citations as judgements; built from any corpus, run with many methods."
app = group(_ABOUT, build, run)
