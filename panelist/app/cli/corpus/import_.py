"""`panelist import`: fill the corpus of a workspace."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from panelist.app.cli.options import ExecutorOption, JsonOption, WorkspaceOption, spread
from panelist.app.cli.output import print_json, say, show_progress
from panelist.corpus.importing import ImportSummary, add_abstracts, import_papers
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.removals import Removals
from panelist.errors import InputError
from panelist.records import Paper
from panelist.words import counted, printable
from panelist.workspace import Workspace

app = typer.Typer(help="Import papers into the corpus of a workspace.", no_args_is_help=True)

_SHOWN_REJECTIONS = 5


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """What all imports have in common."""

    workspace: WorkspaceOption = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and check everything, write nothing.")] = False
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if anything was rejected.")] = False
    json: JsonOption = False

    def show(self, summary: ImportSummary, **more: int) -> None:
        """Print the summary, and exit with 1 where `strict` says so."""
        if self.json:
            print_json(dataclasses.asdict(summary) | more)
        else:
            _show(summary, self.dry_run)
        if self.strict and summary.rejected:
            raise typer.Exit(1)


@app.command()
@spread
def openalex(
    paths: Annotated[list[Path], typer.Argument(help="Files (.jsonl, .gz) or directories of parts.")],
    executor: ExecutorOption = None,
    *,
    options: ImportOptions,
) -> None:
    """Import OpenAlex works: JSON lines, plain or gzipped.

    A paper that is there already is replaced. Lines that cannot be used are reported and skipped. With an executor the
    parts of a snapshot are read in parallel, works that it says were merged are removed, and an interrupted import
    resumes with the first part that was not stored.

    **Examples**

        panelist import openalex works.jsonl.gz

        panelist import openalex snapshot/data/works --workspace biology.workspace

        panelist import openalex works --dry-run --strict --json

        panelist import openalex snapshot/data/works --executor processes:8
    """
    from panelist.corpus.readers import openalex as reader

    files = reader.find(paths)
    if executor is not None and not options.dry_run:
        _import_parts(files, executor, options)
        return
    _import(lambda report: reader.read(files, report), files, options)


@app.command()
@spread
def openreview(
    directory: Annotated[Path, typer.Argument(help="Directory that contains archives/~ID.jsonl.")],
    *,
    options: ImportOptions,
) -> None:
    """Import the reviewers' archives of OpenReview's layout; the owner of an archive is the author of its papers.

    **Examples**

        panelist import openreview dataset

        panelist import openreview dataset --workspace venue.workspace --strict
    """
    from panelist.corpus.readers import openreview as reader

    files = reader.find(directory)
    _import(lambda report: reader.read(directory, report), files * 2, options)


@app.command()
@spread
def semanticscholar(
    paths: Annotated[
        list[Path],
        typer.Argument(help="Files of papers, or a directory with papers.jsonl.gz and participants.jsonl.gz."),
    ],
    people: Annotated[
        Path | None, typer.Option("--people", help="Bibliographies: authorId, name, papers.", show_default=False)
    ] = None,
    abstracts: Annotated[
        list[Path] | None,
        typer.Option("--abstracts", help="Files of abstracts of the bulk data set (repeatable).", show_default=False),
    ] = None,
    *,
    options: ImportOptions,
) -> None:
    """Import papers in Semantic Scholar's shape, also that of the reviewer gold standard.

    **Examples**

        panelist import semanticscholar goldstandard --workspace gold.workspace

        panelist import semanticscholar papers.jsonl.gz --people participants.jsonl.gz

        panelist import semanticscholar papers --abstracts abstracts
    """
    from panelist.corpus.readers import semanticscholar as reader

    files, people = reader.find(paths, people)
    sources = files if people is None else [*files, people]
    _import(lambda report: reader.read(files, report, people), sources, options)
    if abstracts and not options.dry_run:
        report = ReadReport()
        with Workspace.at(options.workspace).open_corpus() as corpus:
            given = add_abstracts(reader.read_abstracts(abstracts, report), corpus)
        rejected = f", {report.rejected:,} rejected: {report.first()}" if report.rejected else ""
        typer.echo(f"abstracts given to {counted(given, 'paper')}{rejected}", err=True)


def _add_format(name: str, about: str, example: str, module: str = "") -> None:
    """Add the command of a format whose reader is that module, or that of its name among the catalogues."""

    @app.command(name, help=f"{about}\n\n**Examples**\n\n    panelist import {name} {example}")
    @spread
    def command(
        paths: Annotated[list[Path], typer.Argument(help="Files, plain or gzipped, or directories of them.")],
        only_identified: Annotated[
            bool, typer.Option("--only-identified", help="Leave out authors of whom the source gives only a name.")
        ] = False,
        *,
        options: ImportOptions,
    ) -> None:
        imported = import_module(f"panelist.corpus.readers.{module or f'catalogues.{name}'}")
        reader = getattr(imported, "READER", imported)
        found = reader.find(paths)

        def read(report: ReadReport) -> Iterator[Paper]:
            from panelist.corpus.readers.catalogues.people import identified

            papers = reader.read(found, report)
            return identified(papers, report) if only_identified else papers

        _import(read, found * 2 if module else found, options)


_BY_NAME = "Authors are known by ORCID where one is given, else by name: then namesakes are one person."
for _format in (
    (
        "csv",
        "Import OpenReview's expertise CSV: reviewer, paper, title, abstract; with or without a header.",
        "csv_expertise.csv",
        "tables",
    ),
    (
        "jats",
        "Import articles in JATS XML, as eLife, PLOS, Frontiers and Europe PMC give them: with e-mail addresses, "
        f"institutions and what they cite. {_BY_NAME}",
        "articles --workspace biology.workspace",
    ),
    ("pubmed", f"Import PubMed's XML, or that of Europe PMC's search. {_BY_NAME}", "baseline"),
    ("crossref", f"Import Crossref's works: pages of its API, or its public data file. {_BY_NAME}", "works.json"),
    ("dblp", "Import DBLP's XML, which has no abstracts, and tells namesakes apart.", "dblp.xml.gz"),
    ("arxiv", f"Import answers of arXiv's API (Atom). {_BY_NAME}", "feeds"),
):
    _add_format(*_format)


def _import(read: Callable[[ReadReport], Iterator[Paper]], files: Sequence[Path], options: ImportOptions) -> None:
    """Run one import with a progress bar over the bytes of `files` (named twice where they are read twice)."""
    report = ReadReport()
    size = sum(file.stat().st_size for file in files)
    with show_progress("bytes") as progress:

        def show(bytes_read: int) -> None:
            progress("importing", bytes_read, size)

        papers = read(report)
        first = next(papers, None)  # a workspace is not created for a file that holds no paper at all
        if first is None:
            raise _nothing_read(files, report)
        opened = Workspace.at(options.workspace)
        papers = Removals(opened.path).apply(chain([first], papers))
        if options.dry_run:
            summary = import_papers(papers, report, None, show)
        else:
            with opened.open_corpus(create=True) as corpus:
                try:
                    summary = import_papers(papers, report, corpus, show)
                except KeyboardInterrupt:
                    typer.echo(
                        "interrupted: what was committed is kept, run the same command again to complete it", err=True
                    )
                    raise
    options.show(summary)


def _import_parts(files: Sequence[Path], executor: str, options: ImportOptions) -> None:
    """Import OpenAlex parts by workers."""
    from indexing.jobs.executors import explaining_lost_workers, open_workers
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
            return
        summary, before = import_parts(
            [file.absolute() for file in files],
            corpus,
            opened.path,
            workers.executor,
            2 * workers.count,
            lambda bytes_read: progress("importing", bytes_read, size),
        )
    if before and not options.json:
        typer.echo(f"{before:,} of {len(files):,} parts had been stored before", err=True)
    options.show(summary, parts_before=before)


def _show(summary: ImportSummary, dry_run: bool) -> None:
    lines = [
        (summary.papers, "papers read, nothing written" if dry_run else "papers"),
        (summary.authors, "authors"),
        (summary.without_abstract, "without abstract"),
        (summary.rejected, "rejected"),
    ]
    if summary.duplicates:
        lines.append((summary.duplicates, "duplicates (the last one counts)"))
    if summary.unidentified_authors:
        lines.append((summary.unidentified_authors, "authorships left out: the author has no id"))
    for value, name in lines:
        say(f"{value:>12,}  {name}")
    for rejection in summary.rejections[:_SHOWN_REJECTIONS]:
        typer.echo(printable(f"rejected {rejection}"), err=True)
    if summary.rejected > _SHOWN_REJECTIONS:
        typer.echo(f"… and {summary.rejected - _SHOWN_REJECTIONS:,} more (the first 100 with --json)", err=True)


def _nothing_read(files: Sequence[Path], report: ReadReport) -> Exception:
    if report.rejections:
        return InputError(f"no paper could be read: {report.first()}")
    return InputError(f"no paper could be read: there is none in '{files[0]}'")
