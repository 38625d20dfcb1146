"""The steps before and after a look-up, each as one function: import papers, build the index, measure a run."""

from collections.abc import Iterable
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path

from eval.measures.ranking import measure, parse_measures
from eval.trec import read_judged_run, read_qrels
from indexing.encoders import DEFAULT_ENCODER, Encoder, EncoderFactory
from indexing.encoders.cache import CachedEncoder, EncoderLoader
from indexing.jobs.build import IndexJobs
from indexing.jobs.manifest import Manifest
from indexing.lexical import ENGINES
from panelist.corpus import importing
from panelist.corpus.importing import ImportSummary
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.removals import Removals
from panelist.errors import InputError
from panelist.progress import Progress, silent
from panelist.records import Paper
from panelist.workspace import Workspace
from retriever.kernels import compile_kernels

SOURCES = {"openalex": "openalex", "csv": "tables", "semanticscholar": "semanticscholar"}
"""The formats of files, and the readers of them."""


def import_papers(workspace: Workspace, papers: Iterable[Path | Paper], source: str = "openalex") -> ImportSummary:
    """Put papers into the corpus of a workspace, which is created; a paper that is there already is replaced.

    What was removed for good (`panelist corpus remove`) stays out.

    Args:
        workspace: where to.
        papers: files of one format, or records.
        source: the format of the files, one of `SOURCES`.

    Raises:
        InputError: there is no such format, a file cannot be read, or there is no paper at all.

    >>> import tempfile, panelist
    >>> workspace = panelist.Workspace.at(Path(tempfile.mkdtemp()))
    >>> panelist.import_papers(workspace, [panelist.Paper("p1", "Tides of lakes", "Lakes have tides.")]).papers
    1
    """
    if source not in SOURCES:
        raise InputError(f"unknown format '{source}': use one of {', '.join(SOURCES)}")
    inputs, report = list(papers), ReadReport()
    files = [path for path in inputs if isinstance(path, Path)]
    reader = import_module(f"panelist.corpus.readers.{SOURCES[source]}")
    read = reader.read(files, report) if files else iter(())
    records = chain((paper for paper in inputs if isinstance(paper, Paper)), read)
    first_paper = next(records, None)
    if first_paper is None:
        raise InputError("there is no paper to import" + (f": {report.example()}" if report.rejections else ""))
    with workspace.open_corpus(create=True) as corpus:
        return importing.import_papers(chain([first_paper], records), report, corpus, Removals(workspace.path))


def build_index(
    workspace: Workspace,
    *,
    encoder: str | Encoder = DEFAULT_ENCODER,
    engine: str = ENGINES[0],
    device: str = "cpu",
    precision: str = "auto",
    progress: Progress = silent,
) -> Manifest:
    """Index the corpus of a workspace.

    Args:
        workspace: with a corpus.
        encoder: see `panelist model list`; also `module:object`, or an encoder, such as `encoder_of` makes of a
            `SentenceTransformer`: then a finder of the index needs it too (`load=lambda name: encoder`).
        engine: `lucene` or `bm25s`, or the address of a Milvus server.
        device: where texts are encoded: `cpu`, `cuda`, `mps` or `auto`.
        precision: of encoding: `float32`, `bfloat16`, `float16` or `auto`, the fastest that is as good.
        progress: called during long steps.

    Raises:
        PanelistError: there is no corpus, or the encoder or the engine cannot be used.
    """
    compile_kernels(progress)
    with workspace.open_corpus() as corpus:
        load: EncoderFactory = EncoderLoader(device, precision, cached=True)
        if not isinstance(encoder, str):
            load, encoder = partial(_ready_encoder, CachedEncoder(encoder)), encoder.name
        return IndexJobs(workspace.index_path, load, progress=progress).build(corpus, encoder=encoder, engine=engine)


def _ready_encoder(encoder: Encoder, name: str) -> Encoder:
    return encoder


def measure_run(qrels: Path, run: Path, measures: str = "ndcg@10,map,recall@100") -> dict[str, float]:
    r"""Measure a TREC run against judgements: the mean of each measure over all judged queries (extra `eval`).

    As in trec_eval, queries that nobody judged are ignored; a warning counts them.

    Raises:
        PanelistError: a file or a measure cannot be used, or ranx is not installed.

    >>> import tempfile, panelist
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "qrels").write_text("q1 0 anna 1\n")
    >>> _ = (folder / "run").write_text("q1 Q0 ben 1 .9 mine\nq1 Q0 anna 2 .8 mine\n")
    >>> panelist.measure_run(folder / "qrels", folder / "run", "mrr,recall@10")
    {'mrr': 0.5, 'recall@10': 1.0}
    """
    requested, judged = parse_measures(measures), read_qrels(qrels)
    values = measure(judged, read_judged_run(run, judged), requested)
    return {str(name): float(value.mean()) for name, value in values.items()}
