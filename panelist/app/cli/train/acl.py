"""`panelist train acl`: train the ACL matching model on the abstracts of a corpus."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from panelist.app.cli.options import JsonOption, WorkspaceOption
from panelist.app.cli.output import print_json, say, show_progress
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.records import Paper
from panelist.words import counted
from panelist.workspace import Workspace


def acl(
    corpus: Annotated[
        list[Path] | None,
        typer.Argument(
            help="OpenAlex works: files (.jsonl, .gz) or directories of parts [default: the workspace's corpus].",
            show_default=False,
        ),
    ] = None,
    workspace: WorkspaceOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder of the model [default: in the user's cache].", show_default=False),
    ] = None,
    vocabulary: Annotated[int, typer.Option(min=10, help="Subwords to learn; small corpora want fewer.")] = 20_000,
    dimension: Annotated[int, typer.Option(min=1, help="Length of a vector.")] = 1_024,
    epochs: Annotated[int, typer.Option(min=1, help="How often every abstract is read.")] = 20,
    batch: Annotated[int, typer.Option(min=2, help="Abstracts that serve as each other's negatives.")] = 64,
    margin: Annotated[float, typer.Option(min=0, help="How much nearer than others the right half is to be.")] = 0.4,
    rate: Annotated[float, typer.Option(min=1e-9, max=1, help="Learning rate.")] = 0.001,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same model.")] = 0,
    json: JsonOption = False,
) -> None:
    """Train the affinity model `acl` on the abstracts of papers: subword vectors, as the ACL matches reviewers.

    The same command resumes a training that was interrupted. The result serves
    `panelist affinity --model acl`; one in another folder is named by `-p folder=FOLDER`.

    **Examples**

        panelist train acl anthology/works

        panelist train acl --workspace biology.workspace --out biology.acl

        panelist train acl works.jsonl.gz --vocabulary 5000 --epochs 10 --json
    """
    from indexing.encoders.acl import default_folder
    from indexing.training.acl import AclSettings, train

    if corpus and workspace:
        raise InputError("give files of papers or --workspace, not both")
    settings = AclSettings(vocabulary, dimension, margin, batch, epochs, rate, seed)
    with show_progress("abstracts") as progress:
        abstracts: list[str] = []
        for paper in _papers(corpus, workspace):
            abstracts.append(paper.abstract)
            if len(abstracts) % 1_000 == 0:
                progress("reading papers", len(abstracts), 0)
        try:
            trained = train(abstracts, out or default_folder(), settings, progress)
        except KeyboardInterrupt:
            typer.echo("interrupted: run the same command again to resume after the last whole epoch", err=True)
            raise
    if json:
        print_json({**asdict(trained), "folder": str(trained.folder)})
        return
    if trained.continued:
        say(f"continued after epoch {trained.continued}")
    say(f"learned from {trained.abstracts:,} abstracts, loss {trained.losses[-1]:.4f}; it is in {trained.folder}")


def _papers(corpus: list[Path] | None, workspace: Path | None) -> Iterator[Paper]:
    from panelist.corpus.readers import openalex

    if corpus:
        report = ReadReport()
        yield from openalex.read(corpus, report)
        if report.rejected:
            typer.echo(f"skipped {counted(report.rejected, 'line')}, the first: {report.rejections[0]}", err=True)
        return
    with Workspace.at(workspace).open_corpus() as store:
        yield from store.iter_papers()
