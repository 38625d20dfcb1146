"""`panelist export` and `panelist openreview`: files and servers of conference systems."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panelist.app.cli.committee import ROSTER
from panelist.app.cli.options import WorkspaceOption, argument, group, option
from panelist.app.cli.output import Answer, say, show_progress
from panelist.app.formats.systems import Kind, System, for_system, known_as, known_by, names_in, read_contacts
from panelist.config import openreview_access, openreview_old_url, openreview_url
from panelist.corpus.importing import import_papers
from panelist.corpus.readers.report import ReadReport, note_columns
from panelist.corpus.removals import Removals
from panelist.errors import InputError
from panelist.files import check_files, write_whole
from panelist.records import Conflict, ConflictKind
from panelist.words import counted, first_of
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from panelist.corpus.openreview.api import OpenReview
    from retriever.conference.conflicts.table import ConflictTable

VenueArgument = Annotated[str, typer.Argument(help="Id of the venue, such as ICML.cc/2026/Conference.")]
_TOKEN = "A file with the token [default: $PANELIST_OPENREVIEW_TOKEN, or …_USER and …_PASSWORD]."
TokenOption = Annotated[Path | None, typer.Option("--token-file", help=_TOKEN)]


def export(
    system: System = argument("Whose file it is to be."),
    file: Path = argument("paper,reviewer[,score], or the file of any system."),
    out: Path = option("Where to write it.", "-o"),
    kind: Kind = option("What the file holds.", default="assignment"),
    committee: list[Path] | None = option(
        "The addresses of people: a committee as its system exports it, or reviewer and email (repeatable)."
    ),
    conflicts: Path | None = option(
        "Check an assignment against these: a conflict table (.jsonl), or any file of conflicts "
        "[default: FILE.conflicts.jsonl beside it, where there is one]."
    ),
) -> None:
    """Write an assignment, conflicts or scores as the file that EasyChair, CMT, HotCRP or OpenReview takes.

    An assignment with a pair that is in conflict is refused. HotCRP and CMT know people by their addresses, EasyChair
    by the numbers of its own committee: --committee says which are whose.

    Examples:
        panelist export hotcrp assignment.csv --committee reviewers.csv --conflicts scores.conflicts.jsonl -o hotcrp.csv
        panelist export easychair assignment.csv --committee committee.csv --conflicts bidding.csv -o assignment-ec.csv
        panelist export hotcrp constraints.csv --kind conflicts -o conflicts-hotcrp.csv
    """
    from retriever.assignment.reading.tables import number, read_fields
    from retriever.conference.conflicts.table import conflicts_beside

    committees = committee or []
    check_files((out,), (file, *committees, conflicts))
    last = "constraint" if kind == "conflicts" else "score"
    rows = read_fields(file, ("paper", "reviewer", last), optional=0 if kind == "scores" else 1)
    triples = [
        (paper, reviewer, number(file, line, value[0], last) if value else -1.0)
        for line, (paper, reviewer, *value) in rows
    ]
    if kind == "conflicts":
        triples = [triple for triple in triples if triple[2] < 0]  # a lock is not a conflict
    names = {key: name for path in committees for key, name in names_in(path).items()} if system == "easychair" else {}
    contacts = [contact for path in committees for contact in read_contacts(path)]
    for path in committees:
        note_columns(path, (), ROSTER)  # those of our own committees are for other commands
    emails = {contact.key: contact.email for contact in contacts}
    keys = {reviewer: reviewer for _, reviewer, _ in triples}
    if committees and system != "openreview":
        addresses = {person: person if "@" in person else "" for person in keys}
        known = known_as(system, addresses, contacts)
        if missing := [person for person in keys if person not in known]:
            lack = counted(len(missing), "reviewer has", "reviewers have")
            raise InputError(f"{lack} no {known_by(system)} in --committee: {first_of(missing)}")
        keys = known
    if kind == "assignment":
        source = conflicts or conflicts_beside(file)
        ids = {person: sorted({person, key, emails.get(person) or key}) for person, key in keys.items()}
        pairs = ((paper, one) for paper, reviewer, _ in triples for one in ids[reviewer])
        if conflicts is None and not source.exists():
            say("not checked for conflicts: nothing is known of them here, give --conflicts FILE")
        elif broken := _conflict_table(source).check(pairs):
            listed = first_of([f"{pair.submission} {pair.reviewer} ({pair.evidence})" for pair in broken])
            raise InputError(f"{counted(len(broken), 'pair')} in conflict, so nothing was written: {listed}")
    triples = [(paper, keys[reviewer], value) for paper, reviewer, value in triples]
    write_whole(out, for_system(system, kind, triples, names))
    say(f"{counted(len(triples), 'pair')} for {system} in {out}")


def pull(venue: VenueArgument, token_file: TokenOption = None, workspace: WorkspaceOption = None) -> Answer:
    """Download submissions, committee, publications, bids, conflicts and reviews into WORKSPACE/openreview.

    The committee's papers are imported into the corpus, too. Run the same command again to resume after an
    interruption, and to get what changed; publications that are there are not asked for again. Withdrawn and
    desk-rejected submissions are left out.

    Examples:
        panelist openreview pull ICML.cc/2026/Conference --workspace icml.workspace
    """
    from panelist.corpus.openreview.pull import pull_venue
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
            import_papers(reader.read(folder, report), report, corpus, Removals(opened.path))
    result = {"venue": venue, "folder": str(folder), **counts, "rejected": report.rejected}
    following = f"panelist affinity -s {folder} -r {folder} --declared {folder / 'constraints.csv'} -o scores.csv"
    return Answer(result, [*(f"{count:>12,}  {name}" for name, count in counts.items()), f"next: {following}"])


def push(
    venue: VenueArgument,
    scores: Path | None = option("paper,reviewer,score: affinity edges."),
    conflicts: Path | None = option("paper,reviewer,-1, or a conflict table (.jsonl): conflict edges."),
    assignment: Path | None = option("paper,reviewer,score: proposed-assignment edges."),
    title: str = option("Title of the proposed assignment.", default="panelist"),
    send: bool = option("Send the edges; without it they are only shown."),
    token_file: TokenOption = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Show what would be sent as edges, or send it. Nothing is deleted, and edges of others stay as they are.

    Pairs that are in conflict, by --conflicts or in the venue itself, are refused in an assignment and left out of the
    scores. Run the same command again to complete what was interrupted.

    Examples:
        panelist openreview push ICML.cc/2026/Conference --scores scores.csv --conflicts scores.conflicts.jsonl
        panelist openreview push ICML.cc/2026/Conference --assignment assignment.csv --title first --send
    """
    from panelist.corpus.openreview.pull import venue_names
    from panelist.corpus.openreview.push import plan_edges, send_edges
    from retriever.assignment.reading.tables import read_assignment
    from retriever.conference.conflicts.table import ConflictTable, conflicts_beside

    folder = Workspace.at(workspace).path / "openreview"
    if not (scores or conflicts or assignment):
        raise InputError("nothing to send: give --scores, --conflicts or --assignment")
    conflict_files = [conflicts_beside(file) for file in (assignment, scores) if file]
    tables = [_conflict_table(file) for file in ([conflicts] if conflicts else filter(Path.exists, conflict_files))]
    with _api(openreview_url(), token_file) as api:
        reviewers = venue_names(api, venue)["reviewers"]
        venue_conflicts = (
            Conflict(str(edge["head"]), str(edge["tail"]), ConflictKind.DECLARED, "conflict in OpenReview")
            for edge in api.pages("edges", invitation=f"{reviewers}/-/Conflict")
            if not edge.get("ddate")
        )
        tables.append(ConflictTable.grouped(venue_conflicts, tables[0].header if tables else None))

        def blocked(pair: tuple[str, str]) -> bool:
            return any(table.check([pair]) for table in tables)

        jobs: dict[Kind, list[tuple[str, str, float]]] = {}
        if conflicts:
            jobs["conflicts"] = [(pair.submission, pair.reviewer, -1.0) for pair in tables[0].blocked("allow")]
        if scores:
            pairs = read_assignment(scores)
            jobs["scores"] = [(*pair, score) for pair, score in pairs.items() if not blocked(pair)]
        if assignment:
            pairs = read_assignment(assignment)
            if bad := [" ".join(pair) for pair in pairs if blocked(pair)]:
                raise InputError(f"{counted(len(bad), 'pair')} of the assignment in conflict: {first_of(bad)}")
            jobs["assignment"] = [(*pair, score) for pair, score in pairs.items()]
        for kind, triples in jobs.items():
            planned = plan_edges(api, reviewers, kind, triples, folder, title if kind == "assignment" else "")
            new, remark = counted(len(planned.new), "edge"), f"{planned.unchanged:,} there already"
            say(f"{kind}: {new} to send to {planned.invitation}, {remark}")
            for edge in planned.new[:3]:
                say(f"  {edge['head']} {edge['tail']} {edge['weight']:g}")
            if planned.foreign:
                foreign = first_of([" ".join(pair) for pair in planned.foreign])
                say(f"  left as others wrote them: {counted(len(planned.foreign), 'pair')}: {foreign}")
            if send and planned.new:
                with show_progress("edges") as progress:
                    sent = send_edges(api, planned, folder, partial(progress, "sending"))
                say(f"  sent {counted(sent, 'edge')}")
    if not send:
        say("nothing was sent: give --send to send it")


def _conflict_table(path: Path) -> ConflictTable:
    """Read the conflicts of a conflict table, or of any file of conflicts."""
    from retriever.conference.conflicts.declared import read_conflicts
    from retriever.conference.conflicts.table import ConflictTable, read_table

    if path.name.endswith(".jsonl"):
        return read_table(path)
    return ConflictTable.grouped(
        Conflict(paper, reviewer, ConflictKind.DECLARED, "declared")
        for paper, people in read_conflicts(path).items()
        for reviewer in people
    )


@contextmanager
def _api(url: str, token_file: Path | None) -> Iterator[OpenReview]:
    """Open OpenReview in the name of whoever the environment or a file names."""
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


app = group("Exchange a venue with a live OpenReview.", pull, push)
