"""`panelist eval qrels`: judgements from journals that name their reviewers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panelist.app.cli.options import WorkspaceOption
from panelist.app.cli.output import say, warn
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.files import write_whole
from panelist.words import counted
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from panelist.corpus.readers.catalogues.jats import Article
    from panelist.corpus.store import CorpusStore


def qrels(
    paths: Annotated[list[Path], typer.Argument(help="Articles in JATS XML: files or directories.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of judgements to write.", show_default=False)],
    role: Annotated[str, typer.Option("--role", help="Whom to take: reviewer or editor.")] = "reviewer",
    workspace: WorkspaceOption = None,
) -> None:
    """Write who really reviewed which paper, as TREC judgements (`paper 0 person 1`).

    People count who have a paper in the workspace's corpus, by ORCID, else by a name that only one of its authors has.
    Import there what was published before the articles, so that nobody is found by what came later.

    **Examples**

        panelist eval qrels elife-2020 --out qrels.txt --workspace elife-2019.workspace

        panelist eval qrels frontiers --role editor --out qrels.editors.txt
    """
    from panelist.corpus.readers.catalogues.jats import ARTICLES

    if role not in ("reviewer", "editor"):
        raise InputError(f"unknown role '{role}': use reviewer or editor")
    report = ReadReport()
    with Workspace.at(workspace).open_corpus() as corpus:
        pairs = sorted(set(_judgements(ARTICLES.read(paths, report), role, corpus)))
    if not pairs:
        reason = report.first() if report.rejected else f"no {role} who is named in the articles is in the corpus"
        raise InputError(f"there are no judgements to write: {reason}")
    write_whole(out, "".join(f"{paper} 0 {person} 1\n" for paper, person in pairs).encode())
    if report.rejected:
        warn(f"{counted(report.rejected, 'article')} could not be read: {report.first()}")
    papers, people = (len({pair[side] for pair in pairs}) for side in (0, 1))
    say(f"{counted(len(pairs), 'judgement')} in {out}: {counted(papers, 'paper')}, {counted(people, role)}")


def _judgements(articles: Iterable[Article], role: str, corpus: CorpusStore) -> Iterator[tuple[str, str]]:
    """Pairs of a paper and a person of this role who has another paper in the corpus."""
    for article in articles:
        for person in (author for author, own in article.roles.items() if own == role):
            namesakes = [] if corpus.authors([person.id]) else corpus.find_authors(person.name)
            author = namesakes[0].id if len(namesakes) == 1 else person.id  # an id that is not there has no papers
            if set(corpus.papers_of([author]).get(author, ())) - {article.paper.id}:
                yield article.paper.id, author
