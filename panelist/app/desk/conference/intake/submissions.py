"""Submissions: CSV, JSON, JSON lines, or an archive that holds one of these."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from indexing.text import Text
from panelist.app.bibliographies import LISTS, with_bibliographies
from panelist.app.desk.conference.files import submission_line
from panelist.app.desk.conference.intake.findings import Finding, Oddity, oddity
from panelist.app.desk.conference.intake.reading import (
    MOST_SUBMISSIONS,
    Reading,
    check_ids,
    inside,
    limit,
    refuse_rejected,
    write,
)
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.submissions import find_submissions, numbered_submissions
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.records import Submission
from panelist.words import counted


def read_submission_file(path: Path, kept: Path, corpus: CorpusStore) -> Reading:
    """Submissions as CSV, JSON or JSON lines, or in an archive that holds one of these.

    Beside them the archive may hold what each cites, as `ID.bib`, `ID.ris` or `ID.nbib`.
    """
    file = inside(path, find_submissions)
    report = ReadReport()
    found: list[tuple[int, Submission]] = []
    for one in numbered_submissions(file, report):
        found.append(one)
        limit(len(found), MOST_SUBMISSIONS, "submissions")
    refuse_rejected(report, path.parent)
    if not found:
        raise InputError(f"there are no submissions in {path.name}")
    check_ids(path.name, (one.id for _, one in found))
    if file.parent != path.parent and any(one.suffix.lower() in LISTS for one in file.parent.iterdir()):
        citing, wrong = with_bibliographies([one for _, one in found], file.parent, LISTS)
        if wrong:
            raise InputError(f"{wrong[0]}; nothing was kept")
        found = [(line, one) for (line, _), one in zip(found, citing, strict=True)]
    write(kept / "submissions.jsonl", (submission_line(one) for _, one in found))
    bare = sum(not one.abstract for _, one in found)
    cited = sum(bool(one.references or one.bibliography) for _, one in found)
    summary = counted(len(found), "submission") + (f", {bare:,} without an abstract" if bare else "")
    summary += f", {cited:,} with references" if cited else ""
    summary += f", {report.left_out:,} left out: marked as deleted" if report.left_out else ""
    return Reading(summary, tuple(_odd_submissions(found)))


def _odd_submissions(found: list[tuple[int, Submission]]) -> Iterator[Oddity]:
    first: dict[Text, str] = {}
    same = []
    for line, one in found:
        text = Text.of(one)
        if text in first:
            same.append(Finding(line, f"{one.id} has the same title and abstract as {first[text]}"))
        first.setdefault(text, one.id)
    nameless = (Finding(line, one.id) for line, one in found if not (one.authors or one.author_names))
    by_name = (Finding(line, one.id) for line, one in found if one.author_names and not one.authors)
    yield from oddity("submissions without authors: their conflicts of interest cannot be found", nameless)
    yield from oddity("submissions whose authors have no ids: names alone make possible conflicts only", by_name)
    yield from oddity("submissions that come twice under different ids", same)
