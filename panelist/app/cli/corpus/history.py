"""`panelist history`: who reviewed and edited what, to import, to list and to erase."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path

from panelist.app.cli.options import WorkspaceOption, argument, group, option
from panelist.app.cli.output import Answer, note, say, show_progress
from panelist.corpus.removals import Removals
from panelist.errors import InputError
from panelist.records import HistoryEvent
from panelist.words import counted, printable
from panelist.workspace import Workspace


def import_(
    paths: list[Path] = argument("Files or folders: reports of journals, JATS XML, JSON lines, tables, OpenReview."),
    source: str = option("Journal or conference: its papers are numbered by its system, as others' are.", default=""),
    dry_run: bool = option("Read and check everything, write nothing."),
    workspace: WorkspaceOption = None,
) -> Answer:
    """Import who reviewed and edited which papers, so that searches know it.

    Read are the review reports of OJS, Editorial Manager and ScholarOne, the reviews and assignments of EasyChair, CMT
    and HotCRP, a folder that 'panelist openreview pull' made, JATS XML with named editors and reviewers, the
    metadata.yaml of ReScience and JOSS, JSON lines and tables of your own (docs/reference/formats.md). People are found
    by id, ORCID or address, else as possible by a name that one person has; the index has to be built before. What is
    there already is replaced: import every month's whole report.

    It is confidential: only editors see it, no export has it, and 'panelist desk forget' erases it.

    Examples:
        panelist history import reviews-20260131.csv --source journal
        panelist history import easychair --source conf-2025 --workspace conf.workspace
        panelist history import conf.workspace/openreview --workspace conf.workspace
    """
    from indexing.index import open_index
    from panelist.corpus.importing import import_history
    from panelist.corpus.readers.history import read_history
    from panelist.corpus.readers.report import ReadReport
    from retriever.conference.matching import PeopleMatcher, identified

    opened, report = Workspace.at(workspace), ReadReport()
    with opened.open_corpus() as corpus, open_index(opened.index_path) as index, show_progress("events") as progress:
        progress("importing", 0, 0)
        events = identified(read_history(paths, report, source), PeopleMatcher(index, corpus))
        summary = import_history(events, report, corpus, Removals(opened.path), write=not dry_run)
    if not summary.events and not summary.erased:
        reason = report.example() if report.rejections else "the files name nobody"
        raise InputError(f"no event could be read: {reason}")
    for rejection in summary.rejections[:5]:
        note(printable(f"rejected {rejection}"))
    lines = (
        (summary.events, f"events{', nothing written' if dry_run else ''}"),
        (summary.changed, "new or changed"),
        (summary.found - summary.possible, "of people of the corpus"),
        (summary.possible, "of people found by name, so only possible"),
        (summary.events - summary.found, "of people who are not in the corpus"),
        (summary.erased, "left out: the person or the paper was erased here"),
        (summary.left_out, "left out: the invitation was taken back, or nobody is named"),
        (summary.rejected, "rejected"),
    )
    return Answer(asdict(summary), (f"{number:>12,}  {words}" for number, words in lines if number))


def list_(
    person: str | None = option("Id, ORCID or e-mail address: what this person did, paper by paper."),
    workspace: WorkspaceOption = None,
) -> Answer:
    """Count what is known, or list what one person did.

    The output is confidential.

    Examples:
        panelist history list
        panelist history list --person 0000-0002-1825-0097
    """
    from panelist.corpus.history import concerns, forms_of

    with Workspace.at(workspace).open_corpus() as corpus:
        events = [event for event in corpus.history() if person is None or concerns(event, forms_of([person]))]
    if person is not None:
        return Answer(events, map(_line_of, events))
    kinds = Counter((_words(event.role), _words(event.outcome)) for event in events)
    total = f"{counted(len(events), 'event')}, {counted(len({event.paper for event in events}), 'paper')}"
    return Answer(events, [total, *(f"{count:>12,}  {': '.join(kind)}" for kind, count in sorted(kinds.items()))])


def _line_of(event: HistoryEvent) -> str:
    day = event.submitted or event.answered or event.invited or event.published or " " * 10
    return f"{day}  {_words(event.role)}, {_words(event.outcome)}  {event.paper}  {event.title}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def forget(
    keys: list[str] = argument("Ids, ORCIDs or addresses of people, or ids of papers."),
    workspace: WorkspaceOption = None,
) -> None:
    """Erase what people reviewed and edited, or who did so for papers; no later import brings it back.

    Examples:
        panelist history forget 0000-0002-1825-0097
    """
    opened = Workspace.at(workspace)
    with opened.open_corpus() as corpus:
        erased = Removals(opened.path).forget_history(corpus, keys)
    say(f"forgotten: {counted(erased, 'event')}")


app = group(
    "Who reviewed and edited which papers: import, list or erase it. It is confidential.", import_, list_, forget
)
