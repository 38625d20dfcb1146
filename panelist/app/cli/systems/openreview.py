"""`panelist openreview`: a venue out of a live OpenReview, and scores, conflicts and assignments into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panelist.app.cli.options import JsonOption, WorkspaceOption
from panelist.app.cli.output import listed, print_json, say, show_progress
from panelist.config import openreview_access, openreview_old_url, openreview_url
from panelist.corpus.importing import import_papers
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.records import Conflict, ConflictKind
from panelist.words import counted
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from panelist.corpus.openreview.api import OpenReview
    from panelist.corpus.openreview.push import Kind

app = typer.Typer(help="Exchange a venue with a live OpenReview.", no_args_is_help=True)

VenueArgument = Annotated[str, typer.Argument(help="Id of the venue, such as ICML.cc/2026/Conference.")]
TokenOption = Annotated[
    Path | None,
    typer.Option(
        "--token-file",
        help="A file with the token [default: $PANELIST_OPENREVIEW_TOKEN, or …_USER and …_PASSWORD].",
        show_default=False,
    ),
]


@app.command()
def pull(
    venue: VenueArgument,
    token_file: TokenOption = None,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Download submissions, committee, publications, bids, conflicts and reviews into WORKSPACE/openreview.

    The committee's papers are imported into the corpus, too. Run the same command again to resume after an
    interruption, and to get what changed; publications that are there are not asked for again. Withdrawn and
    desk-rejected submissions are left out.

    **Examples**

        panelist openreview pull ICML.cc/2026/Conference --workspace icml.workspace
    """
    from panelist.corpus.openreview.pull import pull as pull_venue
    from panelist.corpus.readers import openreview as reader

    opened = Workspace.at(workspace)
    folder = opened.path / "openreview"
    with (
        _api(openreview_url(), token_file) as api,
        _api(openreview_old_url(), token_file) as old,
        show_progress("people") as progress,
    ):
        counts = pull_venue(api, [old], venue, folder, progress)
    report = ReadReport()
    if counts["publications"]:
        with opened.open_corpus(create=True) as corpus:
            import_papers(reader.read(folder, report), report, corpus, lambda read: None)
    if json:
        print_json({"venue": venue, "folder": str(folder), **counts, "rejected": report.rejected})
        return
    for name, number in counts.items():
        say(f"{number:>12,}  {name}")
    say(f"next: panelist affinity -s {folder} -r {folder} --declared {folder / 'constraints.csv'} -o scores.csv")


@app.command()
def push(
    venue: VenueArgument,
    scores: Annotated[Path | None, typer.Option("--scores", help="paper,reviewer,score: affinity edges.")] = None,
    conflicts: Annotated[
        Path | None,
        typer.Option("--conflicts", help="paper,reviewer,-1, or a conflict table (.jsonl): conflict edges."),
    ] = None,
    assignment: Annotated[
        Path | None, typer.Option("--assignment", help="paper,reviewer,score: proposed-assignment edges.")
    ] = None,
    title: Annotated[str, typer.Option("--title", help="Title of the proposed assignment.")] = "panelist",
    send: Annotated[bool, typer.Option("--send", help="Send the edges; without it they are only shown.")] = False,
    token_file: TokenOption = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Show what would be sent as edges, or send it. Nothing is deleted, and edges of others stay as they are.

    Pairs that are in conflict, by --conflicts or in the venue itself, are refused in an assignment and left out of the
    scores. Run the same command again to complete what was interrupted.

    **Examples**

        panelist openreview push ICML.cc/2026/Conference --scores scores.csv --conflicts scores.conflicts.jsonl

        panelist openreview push ICML.cc/2026/Conference --assignment assignment.csv --title first --send
    """
    from panelist.app.cli.systems.export import conflict_table
    from panelist.corpus.openreview.pull import venue_names
    from panelist.corpus.openreview.push import plan
    from panelist.corpus.openreview.push import send as send_edges
    from retriever.assignment.reading.tables import read_assignment
    from retriever.conference.conflicts.table import ConflictTable, conflicts_beside

    folder = Workspace.at(workspace).path / "openreview"
    if not (scores or conflicts or assignment):
        raise InputError("nothing to send: give --scores, --conflicts or --assignment")
    beside = next((found for one in (assignment, scores) if one and (found := conflicts_beside(one)).exists()), None)
    known = conflicts or beside
    table = ConflictTable() if known is None else conflict_table(known)
    with _api(openreview_url(), token_file) as api:
        group = venue_names(api, venue)["reviewers"]
        edges = api.pages("edges", invitation=f"{group}/-/Conflict")
        theirs = [
            Conflict(str(one["head"]), str(one["tail"]), ConflictKind.DECLARED, "conflict in OpenReview")
            for one in edges
            if not one.get("ddate")
        ]
        tables = (table, ConflictTable.grouped(theirs))

        def blocked(pair: tuple[str, str]) -> bool:
            return any(one.check([pair]) for one in tables)

        jobs: list[tuple[Kind, list[tuple[str, str, float]]]] = []
        if conflicts:
            jobs.append(("conflicts", [(one.submission, one.reviewer, -1.0) for one in table.blocked("allow")]))
        if scores:
            pairs = read_assignment(scores)
            jobs.append(("scores", [(*pair, score) for pair, score in pairs.items() if not blocked(pair)]))
        if assignment:
            pairs = read_assignment(assignment)
            if bad := [f"{paper} {who}" for paper, who in pairs if blocked((paper, who))]:
                raise InputError(f"{counted(len(bad), 'pair')} of the assignment in conflict: {listed(bad)}")
            jobs.append(("assignment", [(*pair, score) for pair, score in pairs.items()]))
        for kind, triples in jobs:
            made = plan(api, group, kind, triples, folder, title if kind == "assignment" else "")
            say(f"{kind}: {counted(len(made.new), 'edge')} to send to {made.invitation}, {made.same:,} there already")
            for edge in made.new[:3]:
                say(f"  {edge['head']} {edge['tail']} {edge['weight']:g}")
            if made.foreign:
                pairs_there = listed([" ".join(pair) for pair in made.foreign])
                say(f"  left as others wrote them: {counted(len(made.foreign), 'pair')}: {pairs_there}")
            if send and made.new:
                with show_progress("edges") as progress:
                    sent = send_edges(api, made, folder, lambda done, total: progress("sending", done, total))
                say(f"  sent {counted(sent, 'edge')}")
    if not send:
        say("nothing was sent: give --send to send it")


@contextmanager
def _api(url: str, token_file: Path | None) -> Iterator[OpenReview]:
    """OpenReview in the name of whoever the environment or a file names."""
    from panelist.corpus.openreview.api import OpenReview
    from panelist.http.client import Client

    access = openreview_access()
    if token_file is not None:
        try:
            access = (token_file.read_text(encoding="utf-8").strip(), *access[1:])
        except OSError as error:
            raise InputError(f"cannot read the token from '{token_file}': {error.strerror}") from error
    with Client() as client:
        yield OpenReview(client, url, access)
