"""Submissions as files or archives, and the committee: ids, expertise as CSV, or OpenReview's archives."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import structs

from indexing.text import Text
from panelist.app.bibliographies import LISTS, with_bibliographies
from panelist.app.desk.conference.contents import submission_line
from panelist.app.desk.conference.findings import SHOWN, Finding, Oddity, RefusedError, oddity
from panelist.app.desk.conference.intake import reading
from panelist.app.desk.conference.intake.reading import MOST_REVIEWERS, Reading, limit
from panelist.app.desk.conference.intake.unpack import gunzip, is_zip
from panelist.corpus.readers import openreview, tables
from panelist.corpus.readers.committee import ListedPerson, read_people_list
from panelist.corpus.readers.ids import numbered_ids
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.submissions import find_submissions, numbered_submissions
from panelist.corpus.store import CorpusStore
from panelist.corpus.systems.columns import ROLES
from panelist.errors import InputError
from panelist.records import Paper, Submission
from panelist.words import PaperId, PersonId, counted
from retriever.assignment.options import REVIEWER, role_name
from retriever.conference.matching import PeopleMatcher, decision_key
from retriever.conference.roster import Listed, found_in_words, list_people

_HARMLESS = ("neither title nor abstract", "the file is empty")
"""Why a reader passes over a paper without harm: nobody could score it, and its owner keeps the others."""


class _Report(ReadReport):
    """Keeps what is only odd apart from what refuses the file."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.harmless: list[Finding] = []

    def reject(self, file: Path, line: int, reason: str, *, important: bool = False) -> None:
        """Put harmless reasons apart; see `ReadReport`."""
        if reason in _HARMLESS:
            self.harmless.append(Finding.of(line, reason, file=reading.sent_name(str(file), self.folder)))
        else:
            super().reject(file, line, reason, important=important)


def read_committee_file(path: Path, target: Path, corpus: CorpusStore) -> Reading:
    """The committee: ids of the corpus, expertise as CSV, or OpenReview's archives in a zip file."""
    report = _Report(path.parent)
    if is_zip(path):
        directory = reading.find_member(path, _archives_of)
        archives = openreview.find(directory)
        limit(len(archives), MOST_REVIEWERS, "archives")
        owners = [archive.name.removesuffix(".gz").removesuffix(".jsonl") for archive in archives]
        return _save_profiles(openreview.read(directory, report, coauthors=True), owners, report, target)
    gunzip(path)
    with path.open("rb") as file:
        header = file.readline(1 << 16).decode(errors="replace")
    if path.suffix.lower() in (".csv", ".tsv") and any(mark in header for mark in ",;\t"):
        return _save_profiles(tables.read([path], report), (), report, target)
    return _read_ids(path, target, corpus)


def _archives_of(folder: Path) -> Path | None:
    """The directory that contains `archives`; archives that lie loosely are put into one."""
    directories = sorted(path for path in folder.rglob("archives") if path.is_dir())
    if directories:
        return directories[0].parent
    loose = sorted(path for path in folder.rglob("~*.jsonl") if path.is_file())
    if not loose:
        return None
    (folder / "archives").mkdir()
    for path in loose:
        path.replace(folder / "archives" / path.name)
    return folder


def _save_profiles(papers: Iterable[Paper], owners: Iterable[str], report: _Report, target: Path) -> Reading:
    """Write the committee with its papers: the owners, or all authors where nobody is named as an owner."""
    sizes = dict.fromkeys(owners, 0)
    everybody, total = not sizes, 0

    def counting() -> Iterator[Paper]:
        nonlocal total
        for paper in papers:
            total += 1
            for person in (authorship.author.id for authorship in paper.authorships):
                if everybody or person in sizes:
                    sizes[person] = sizes.get(person, 0) + 1
                    limit(len(sizes), MOST_REVIEWERS, "reviewers")
            yield paper

    reading.write(target / "profiles.jsonl", (msgspec.json.encode(paper) + b"\n" for paper in counting()))
    reading.refuse_rejected(report, report.folder)
    if not total:
        raise InputError("no reviewer has a paper with a title or an abstract: is this the committee?")
    reading.check_ids("the committee", sizes)
    reading.write(target / "committee.txt", (f"{person}\n".encode() for person in sorted(sizes)))
    empty = [Finding.of(0, PersonId(person)) for person, size in sorted(sizes.items()) if size == 0]
    odd = [
        *oddity("papers without title and abstract, which nobody can score", report.harmless),
        *oddity("reviewers without any paper: they get no scores", empty),
    ]
    return Reading(f"{counted(len(sizes), 'reviewer')} with {counted(total, 'paper')}", tuple(odd))


def read_list_file(
    path: Path,
    target: Path,
    matcher: PeopleMatcher,
    before: Sequence[Listed],
    role: str = "",  # of everybody in the file; who has another one stays
    others: Iterable[Listed] = (),  # the committee
) -> Reading:
    """The committee as a list of names, addresses, ORCIDs: each line is looked up, and decisions are remembered."""
    named: Sequence[ListedPerson] = read_people_list(path)
    if role:
        named = [structs.replace(person, role=role) for person in named]
        new = {decision_key(person) for person in named}
        members = (entry.match.person for entry in others)
        named += [person for person in members if decision_key(person) not in new and _role(person.role) != _role(role)]
    limit(len(named), MOST_REVIEWERS, "reviewers")
    roster = list_people(named, matcher, before)
    reading.check_ids(path.name, (entry.id for entry in roster))
    reading.write(target / "committee.txt", (f"{entry.id}\n".encode() for entry in roster))
    new_keys = {decision_key(entry.match.person) for entry in roster}
    gone = [entry for entry in before if entry.decided and decision_key(entry.match.person) not in new_keys]
    (target / "roster.json").write_bytes(msgspec.json.encode([*roster, *gone]))
    return Reading(found_in_words(roster))


def _role(text: str) -> str:
    return role_name(ROLES.get(text.lower(), text)) or REVIEWER


def _read_ids(path: Path, target: Path, corpus: CorpusStore) -> Reading:
    """Reviewers by their ids in the corpus."""
    lines: dict[str, int] = {}
    repeated: list[Finding] = []
    for line, reviewer in numbered_ids(path):
        if line == 1 and reviewer.lower() in tables.EXPERTISE["reviewer"]:
            continue  # a header
        if reviewer in lines:
            repeated.append(Finding.of(line, PersonId(reviewer), f" is there already (line {lines[reviewer]:,})"))
        else:
            lines[reviewer] = line
            limit(len(lines), MOST_REVIEWERS, "reviewers")
    if not lines:
        raise InputError(f"{path.name} names nobody: give names with e-mail addresses, or ids, one on each line")
    papers = corpus.papers_of(list(lines))
    unknown = [Finding.of(line, PersonId(reviewer)) for reviewer, line in lines.items() if not papers.get(reviewer)]
    if len(unknown) == len(lines):
        raise RefusedError(
            f"none of the {counted(len(lines), 'id')} in {path.name} is in the corpus: give ids as the page "
            "'Find reviewers' shows them, or send the reviewers with their papers",
            tuple(unknown[:SHOWN]),
        )
    reading.check_ids(path.name, lines)
    reading.write(target / "committee.txt", (f"{reviewer}\n".encode() for reviewer in lines))
    odd = [
        *oddity("ids that come twice, counted once", repeated),
        *oddity("ids without any paper in the corpus: they get no scores", unknown),
    ]
    return Reading(counted(len(lines), "reviewer") + " of the corpus", tuple(odd))


def read_submission_file(path: Path, target: Path, corpus: CorpusStore) -> Reading:
    """Submissions as CSV, JSON or JSON lines, or in an archive that holds one of these.

    Beside them the archive may hold what each cites, as `ID.bib`, `ID.ris`, `ID.nbib` or `ID.pdf`.
    """
    file = reading.find_member(path, find_submissions)
    report = ReadReport()
    numbered: list[tuple[int, Submission]] = []
    for line_and_submission in numbered_submissions(file, report):
        numbered.append(line_and_submission)
        limit(len(numbered), reading.MOST_SUBMISSIONS, "submissions")
    reading.refuse_rejected(report, path.parent)
    if not numbered:
        raise InputError(f"there are no submissions in {path.name}")
    lines, submissions = [line for line, _ in numbered], [submission for _, submission in numbered]
    reading.check_ids(path.name, (submission.id for submission in submissions))
    suffixes = {other.suffix.lower() for other in file.parent.iterdir()} if file.parent != path.parent else set()
    unread: list[str] = []
    for kinds in (LISTS, (".pdf",)):
        if not suffixes.isdisjoint(kinds):
            submissions, wrong = with_bibliographies(submissions, file.parent, kinds)
            if wrong and kinds == LISTS:
                raise InputError(f"{wrong[0]}; nothing was kept")
            unread += wrong  # of PDFs: a submission without references is scored by its text
    reading.write(target / "submissions.jsonl", map(submission_line, submissions))
    bare = sum(not submission.abstract for submission in submissions)
    cited = sum(bool(submission.references or submission.bibliography) for submission in submissions)
    summary = counted(len(submissions), "submission") + (f", {bare:,} without an abstract" if bare else "")
    summary += f", {cited:,} with references" if cited else ""
    summary += f", {report.left_out:,} left out: marked as deleted" if report.left_out else ""
    silent = (Finding.of(0, why.replace(f"{file.parent}/", "")) for why in unread)
    pdfs = oddity("PDF files without references that can be read: what they cite does not count", silent)
    return Reading(summary, (*_odd_submissions(list(zip(lines, submissions, strict=True))), *pdfs))


def _odd_submissions(numbered: list[tuple[int, Submission]]) -> Iterator[Oddity]:
    first_ids: dict[Text, str] = {}
    copies = []
    for line, paper in numbered:
        if (origin := first_ids.setdefault(Text.of(paper), paper.id)) != paper.id:
            copies.append(Finding.of(line, PaperId(paper.id), " has the same title and abstract as ", PaperId(origin)))
    nameless = (
        Finding.of(line, PaperId(paper.id)) for line, paper in numbered if not (paper.authors or paper.author_names)
    )
    by_name = (
        Finding.of(line, PaperId(paper.id)) for line, paper in numbered if paper.author_names and not paper.authors
    )
    yield from oddity("submissions without authors: their conflicts of interest cannot be found", nameless)
    yield from oddity("submissions whose authors have no ids: names alone make possible conflicts only", by_name)
    yield from oddity("submissions that come twice under different ids", copies)
