"""A conference at a glance: a row for every paper, a row for every person, and what to do next."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Literal

from msgspec import Struct

from panelist.app.desk.conference.assignment import solutions
from panelist.app.desk.conference.assignment.manual import ACTIONS, LOCKED, UNDO
from panelist.app.desk.conference.assignment.viewing import cached_pairs, grades_of
from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.conflicts import ConflictRow
from panelist.app.desk.conference.files import hidden_titles, load_committee, load_submissions, read_records
from panelist.app.desk.conference.inspection import FEW, ScoreView
from panelist.app.desk.conference.reviewing import calibrating
from panelist.app.desk.conference.reviewing.intake import read_all
from panelist.app.desk.conference.view import ConferenceView, Look, ShownConflict, Slice
from panelist.app.desk.errors import NotFoundError
from panelist.records import Confidence
from panelist.words import counted
from retriever.assignment.reading.tables import read_people

_EVERYBODY = 1_000_000
_BEST = 5  # papers that are shown of a person's best


class Assigned(Struct, frozen=True):
    """A reviewer of a paper, or a paper of a reviewer, in the chosen solution, with what a chair should see."""

    id: str
    label: str
    role: str
    score: float | None
    confidence: Confidence | None
    by_hand: bool
    conflict: ShownConflict | None


class PaperLine(Struct, frozen=True):
    """A paper: how many reviewers are able, who reviews it, how many reviews came, its calibrated score."""

    number: int
    id: str
    title: str
    able: int | None
    assigned: list[Assigned]
    reviews: int
    calibrated: float | None
    hidden: bool = False


class PersonLine(Struct, frozen=True, kw_only=True):
    """A reviewer: papers in the profile, load of the quota, best score, conflicts, how mild against the venue."""

    id: str
    name: str
    institution: str
    role: str
    papers: int | None
    quota: int | None
    best: float | None
    assigned: list[Assigned]
    conflicts: int
    offset: float | None


class PersonPage(Struct, frozen=True):
    """All about one person: the row, the best papers by score, and the conflicts."""

    row: PersonLine
    best: list[Assigned]
    conflicts: list[ConflictRow]


class Advice(Struct, frozen=True):
    """What to do next: in words, the label of its button, and what the button does (an action of the page)."""

    words: str
    label: str
    action: str
    value: str = ""  # the solution or paper that it is about, for `resolve` the change that may be undone instead


class Overview:
    """What the rows of a conference are made of; without scores, some of it is not known."""

    def __init__(self, view: ConferenceView, scores: ScoreView | None, events: Sequence[Event]) -> None:
        self._view, self._scores, self._events = view, scores, events
        stored = view.stored
        self.chosen = solutions.chosen(stored)
        self._pairs = [] if self.chosen is None else cached_pairs(stored, self.chosen).pairs
        grades = [] if self.chosen is None else grades_of(stored, self.chosen, self._pairs)
        self._grade = {(pair.paper, pair.reviewer): grade for pair, grade in zip(self._pairs, grades, strict=True)}
        self._calibration = calibrating.read(stored) or {"papers": (), "reviewers": ()}

    def papers(self, look: Look) -> Slice[PaperLine]:
        """The papers whose title, id or reviewers contain a text: as in their file, by able people, or by score."""
        submitted = (submission.id for submission in load_submissions(self._view.stored))
        ids = list(dict.fromkeys([*submitted, *(self._scores.papers if self._scores else ())]))
        assigned = self._by("paper")
        able = {} if self._scores is None else self._scores.able_by_paper()
        reviews: Counter[str] = Counter()
        for record in read_all(self._view.stored).values():  # the same reviews may have come as texts and as scores
            reviews |= Counter(row.paper for row in record.rows)
        worth = {row["paper"]: row["score"] for row in self._calibration["papers"]}
        title = self._view.labels.paper
        lines = [
            PaperLine(at, key, title(key), able.get(key), assigned.get(key, []), reviews[key], worth.get(key))
            for at, key in enumerate(ids, 1)
        ]
        if look.sort == "able":
            lines.sort(key=lambda line: -1 if line.able is None else line.able)
        elif look.sort == "score":
            lines.sort(key=lambda line: (line.calibrated is None, -(line.calibrated or 0)))
        hidden = (
            PaperLine(number, paper, title, None, [], 0, None, hidden=True)
            for number, (paper, title) in enumerate(hidden_titles(self._view.stored).items(), len(ids) + 1)
        )
        return look.at([*lines, *hidden], lambda line: (line.id, line.title, *(who.label for who in line.assigned)))

    def people(self, look: Look) -> Slice[PersonLine]:
        """The committee whose name, id or institution contains a text: as in its file, by load, or by best score."""
        stored = self._view.stored
        members = read_people(path) if (path := stored.path / "reviewers.csv").exists() else {}
        scored = self._scores.reviewers if self._scores else ()
        ids = dict.fromkeys([*load_committee(stored), *members, *scored])
        assigned, table = self._by("reviewer"), self._view.conflicts
        conflicts = Counter(table.person(pair.reviewer) for pair in table if pair.certain or pair.possible)
        best = {} if self._scores is None else self._scores.best_by_reviewer()
        sizes = {} if self._scores is None or self._scores.record is None else self._scores.record.papers
        offsets = {row["reviewer"]: row["bias"] for row in self._calibration["reviewers"]}
        quotas = {} if self.chosen is None else solutions.quotas_of(stored, self.chosen)
        lines = [
            PersonLine(
                id=who,
                name=self._view.labels.person(who),
                institution=members[who].institution if who in members else "",
                role=members[who].role if who in members else "",
                papers=sizes.get(who),
                quota=quotas.get(who),
                best=best.get(who),
                assigned=assigned.get(who, []),
                conflicts=conflicts[table.person(who)],
                offset=offsets.get(who),
            )
            for who in ids
        ]
        if look.sort == "load":
            lines.sort(key=lambda line: len(line.assigned))
        elif look.sort == "best":
            lines.sort(key=lambda line: -inf if line.best is None else line.best)
        return look.at(lines, lambda line: (line.id, line.name, line.institution))

    def person(self, reviewer: str) -> PersonPage:
        """All about one person."""
        line = next((row for row in self.people(Look(limit=_EVERYBODY)).rows if row.id == reviewer), None)
        if line is None:
            raise NotFoundError(f"there is no reviewer '{reviewer}' in this conference")
        labels, table = self._view.labels, self._view.conflicts
        conflicts = [
            ConflictRow(ShownConflict.of(pair), labels.paper(pair.submission), line.name)
            for pair in table
            if table.person(pair.reviewer) == table.person(reviewer)
        ]
        scored = self._scores is not None and reviewer in self._scores.reviewers
        pairs = self._scores.pairs_of_reviewer(reviewer, Look(limit=_BEST)).rows if scored and self._scores else []
        best = [
            Assigned(row.paper, labels.paper(row.paper), "", row.score, row.confidence, False, row.conflict)
            for row in pairs
        ]
        return PersonPage(line, best, conflicts)

    def steps(self) -> Iterator[Advice]:
        """What to do next, the most urgent first."""
        files = read_records(self._view.stored)
        if "scores" not in files:
            for kind, words in (("submissions", "No submissions yet"), ("committee", "No committee yet")):
                if kind not in files:
                    yield Advice(f"{words}: add them as a file.", "Add files", "files")
                    return
            yield Advice("Submissions and committee are there.", "Score them", "score")
            return
        if self._scores is not None and self._scores.stale:
            yield Advice("The scores are of older files.", "Score again", "score")
        yield from self._assignment_steps()
        able = {} if self._scores is None else self._scores.able_by_paper()
        for paper in [paper for paper, count in able.items() if count < FEW][:3]:
            yield Advice(f"“{self._view.labels.paper(paper)}” lacks able reviewers.", "Who else?", "find", paper)

    def _assignment_steps(self) -> Iterator[Advice]:
        stored = self._view.stored
        done = [each.number for each in solutions.read_solutions(stored) if each.state == "done"]
        if self.chosen is None:
            if done:
                yield Advice(f"Solution {done[0]} is made, and none is chosen.", "Choose it", "choose", str(done[0]))
            else:
                yield Advice("The scores are there.", "Assign reviewers", "assign")
            return
        solution = solutions.read_solution(stored, self.chosen)
        pairs = [(pair.paper, pair.reviewer) for pair in self._pairs]
        certain = self._view.conflicts.check(pairs, "allow")
        possible = [conflict for conflict in self._view.conflicts.check(pairs) if conflict.possible]
        for conflicts, what, label, action in (
            (certain, "a conflict of interest by now", "Repair the assignment", "repair"),
            (possible, "a possible conflict", "Avoid all", "avoid"),
        ):
            if conflicts:
                words = counted(len(conflicts), "assigned pair has", "assigned pairs have")
                yield Advice(f"{words} {what}.", label, action, str(self.chosen))
        newer = [number for number in done if number > self.chosen]
        pending = solutions.pending_changes(self._events, solution)
        files = solutions.file_changes(self._events, solution)
        if newer:
            yield Advice(f"Solution {newer[0]} is newer than the chosen one.", "Choose it", "choose", str(newer[0]))
        elif pending or files:
            by_hand = [counted(pending, "change by hand", "changes by hand")] if pending else []
            of_files = [counted(files, "change of files", "changes of files")] if files else []
            last = [each.number for each in self._events if each.kind in (*ACTIONS, UNDO)][:1] if pending else []
            words = f"{' and '.join(by_hand + of_files)} since solution {self.chosen} was made."
            yield Advice(words, "Solve again", "resolve", "".join(map(str, last)))

    def _by(self, side: Literal["paper", "reviewer"]) -> Mapping[str, list[Assigned]]:
        """The reviewers of each paper, or the papers of each reviewer."""
        groups: dict[str, list[Assigned]] = defaultdict(list)
        for pair in self._pairs:
            key, other = (pair.paper, pair.reviewer) if side == "paper" else (pair.reviewer, pair.paper)
            label = self._view.labels.person(other) if side == "paper" else self._view.labels.paper(other)
            score, at = pair.score if pair.scored else None, (pair.paper, pair.reviewer)
            by_hand = self._view.manual.pairs.get(at) == LOCKED
            conflict = self._view.conflict(*at)
            groups[key].append(Assigned(other, label, pair.role, score, self._grade.get(at), by_hand, conflict))
        return groups
