"""`panelist import`: fill the corpus of a workspace."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path

from panelist.app.cli.options import ExecutorOption, WorkspaceOption, argument, group, option
from panelist.app.cli.output import Answer, Aside, note, show_progress
from panelist.corpus.importing import ImportSummary, add_abstracts, import_papers
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.removals import Removals
from panelist.errors import InputError
from panelist.records import Paper
from panelist.words import counted
from panelist.workspace import Workspace

_SHOWN_REJECTIONS = 5


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """What all imports have in common."""

    workspace: WorkspaceOption = None
    dry_run: bool = option("Read and check everything, write nothing.")
    strict: bool = option("Exit with 1 if anything was rejected.")

    def answer(self, summary: ImportSummary, *asides: Aside, **figures: int) -> Answer:
        """Answer with the summary, and with 1 where something was rejected and `strict` says so."""
        lines = (
            (summary.papers, "papers read, nothing written" if self.dry_run else "papers"),
            (summary.authors, "authors"),
            (summary.without_abstract, "without abstract"),
            (summary.rejected, "rejected"),
            (summary.duplicates or None, "duplicates (the last one counts)"),
            (summary.unidentified_authors or None, "authorships left out: the author has no id"),
        )
        parts = [f"{count:>12,}  {words}" for count, words in lines if count is not None]
        parts += (Aside(f"rejected {rejection}") for rejection in summary.rejections[:_SHOWN_REJECTIONS])
        if (hidden := summary.rejected - _SHOWN_REJECTIONS) > 0:
            parts.append(Aside(f"… and {hidden:,} more (the first 100 with --json)"))
        return Answer(asdict(summary) | figures, [*parts, *asides], code=self.strict and summary.rejected > 0)


def openalex(
    paths: list[Path] = argument("Files (.jsonl, .gz) or directories of parts."),
    executor: ExecutorOption = None,
    *,
    options: ImportOptions,
) -> Answer:
    """Import OpenAlex works: JSON lines, plain or gzipped.

    A paper that is there already is replaced. Lines that cannot be used are reported and skipped. With an executor the
    parts of a snapshot are read in parallel, works that it says were merged are removed, and an interrupted import
    resumes with the first part that was not stored.

    Examples:
        panelist import openalex works.jsonl.gz
        panelist import openalex snapshot/data/works --workspace biology.workspace
        panelist import openalex works --dry-run --strict --json
        panelist import openalex snapshot/data/works --executor processes:8
    """
    from panelist.corpus.readers import openalex as reader

    files = reader.find(paths)
    if executor is not None and not options.dry_run:
        return _import_parts(files, executor, options)
    return _import(lambda report: reader.read(files, report), files, options)


def openreview(
    directory: Path = argument("Directory that contains archives/~ID.jsonl."), *, options: ImportOptions
) -> Answer:
    """Import the reviewers' archives of OpenReview's layout; the owner of an archive is the author of its papers.

    Examples:
        panelist import openreview dataset
        panelist import openreview dataset --workspace venue.workspace --strict
    """
    from panelist.corpus.readers import openreview as reader

    return _import(lambda report: reader.read(directory, report), reader.find(directory) * 2, options)


def semanticscholar(
    paths: list[Path] = argument("Files of papers, or a directory with papers.jsonl.gz and participants.jsonl.gz."),
    people: Path | None = option("Bibliographies: authorId, name, papers."),
    abstracts: list[Path] | None = option("Files of abstracts of the bulk data set (repeatable)."),
    *,
    options: ImportOptions,
) -> Answer:
    """Import papers in Semantic Scholar's shape, also that of the reviewer gold standard.

    Examples:
        panelist import semanticscholar goldstandard --workspace gold.workspace
        panelist import semanticscholar papers.jsonl.gz --people participants.jsonl.gz
        panelist import semanticscholar papers --abstracts abstracts
    """
    from panelist.corpus.readers import semanticscholar as reader

    files, people = reader.find(paths, people)
    files_read = files if people is None else [*files, people]
    answer = _import(lambda report: reader.read(files, report, people), files_read, options)
    if abstracts and not options.dry_run:
        report = ReadReport()
        with Workspace.at(options.workspace).open_corpus() as corpus:
            papers = add_abstracts(reader.read_abstracts(abstracts, report), corpus)
        rejected = f", {report.rejected:,} rejected: {report.example()}" if report.rejected else ""
        note(f"abstracts given to {counted(papers, 'paper')}{rejected}")
    return answer


def _format(name: str, about: str, example: str, module: str = "") -> Callable[..., Answer]:
    """Make the command of a format whose reader is that module, or that of its name among the catalogues."""

    def command(
        paths: list[Path] = argument("Files, plain or gzipped, or directories of them."),
        only_identified: bool = option("Leave out authors of whom the source gives only a name."),
        *,
        options: ImportOptions,
    ) -> Answer:
        imported = import_module(f"panelist.corpus.readers.{module or f'catalogues.{name}'}")
        reader = getattr(imported, "READER", imported)
        files = reader.find(paths)

        def read(report: ReadReport) -> Iterator[Paper]:
            from panelist.corpus.readers.people import identified

            papers = reader.read(files, report)
            return identified(papers, report) if only_identified else papers

        return _import(read, files * 2 if module else files, options)

    command.__name__, command.__doc__ = name, f"{about}\n\nExamples:\n    panelist import {name} {example}"
    return command


def _import(read: Callable[[ReadReport], Iterator[Paper]], files: Sequence[Path], options: ImportOptions) -> Answer:
    """Import papers with a progress bar over the bytes of `files` (named twice where they are read twice)."""
    report, opened = ReadReport(), Workspace.at(options.workspace)
    size = sum(file.stat().st_size for file in files)
    with show_progress("bytes") as progress:
        papers = read(report)
        first_paper = next(papers, None)  # a workspace is not created for a file that holds no paper at all
        if first_paper is None:
            reason = report.example() if report.rejections else f"there is none in '{files[0]}'"
            raise InputError(f"no paper could be read: {reason}")
        papers, removals = chain([first_paper], papers), Removals(opened.path)
        with nullcontext() if options.dry_run else opened.open_corpus(create=True) as corpus:
            try:
                summary = import_papers(
                    papers, report, corpus, removals, lambda done: progress("importing", done, size)
                )
            except KeyboardInterrupt:
                if corpus is not None:
                    note("interrupted: what was committed is kept, run the same command again to complete it")
                raise
    return options.answer(summary)


def _import_parts(files: Sequence[Path], executor: str, options: ImportOptions) -> Answer:
    from indexing.jobs.executors import explaining_lost_workers, in_order, open_workers
    from panelist.corpus.parts import import_parts

    opened = Workspace.at(options.workspace)
    size = sum(file.stat().st_size for file in files)
    with (
        open_workers(executor) as workers,
        opened.open_corpus(create=True) as corpus,
        show_progress("bytes") as progress,
        explaining_lost_workers(),
    ):
        if workers is None:
            raise InputError(f"'{executor}' names nobody who works")
        paths, run = [file.absolute() for file in files], partial(in_order, workers)
        summary, stored = import_parts(paths, corpus, opened.path, run, lambda done: progress("importing", done, size))
    asides = [Aside(f"{stored:,} of {len(files):,} parts had been stored before")] if stored else []
    return options.answer(summary, *asides, parts_before=stored)


_BY_NAME = "Authors are known by ORCID where one is given, else by name: then namesakes are one person."
_CSV = "Import OpenReview's expertise CSV: reviewer, paper, title, abstract; with or without a header."
_JATS = (
    "Import articles in JATS XML, as eLife, PLOS, Frontiers and Europe PMC give them: with e-mail addresses, "
    "institutions and what they cite."
)
_FORMATS = (
    _format("csv", _CSV, "csv_expertise.csv", "tables"),
    _format("jats", f"{_JATS} {_BY_NAME}", "articles --workspace biology.workspace"),
    _format("pubmed", f"Import PubMed's XML, or that of Europe PMC's search. {_BY_NAME}", "baseline"),
    _format(
        "crossref", f"Import Crossref's works: pages of its API, or its public data file. {_BY_NAME}", "works.json"
    ),
    _format("dblp", "Import DBLP's XML, which has no abstracts, and tells namesakes apart.", "dblp.xml.gz"),
    _format("arxiv", f"Import answers of arXiv's API (Atom). {_BY_NAME}", "feeds"),
)
app = group("Import papers into the corpus of a workspace.", openalex, openreview, semanticscholar, *_FORMATS)
