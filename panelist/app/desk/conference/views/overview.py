"""A conference at a glance: a row for every paper, a row for every person, and what to do next."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import inf
from typing import Literal

from msgspec import Struct

from panelist.app.desk.conference.conflicts import ConflictRow
from panelist.app.desk.conference.contents import (
    file_records,
    hidden_titles,
    load_committee,
    load_members,
    load_people,
    load_roster,
    paper_numbers,
)
from panelist.app.desk.conference.manual import BY_HAND, CURATE, LOCKED
from panelist.app.desk.conference.outcomes import (
    chosen,
    file_changes,
    load_pairs,
    load_solution,
    load_solutions,
    pending_changes,
    quotas_of,
)
from panelist.app.desk.conference.reviews import load_calibration, load_reviews
from panelist.app.desk.conference.view import ConferenceView, Look, ShownConflict, Slice
from panelist.app.desk.conference.views.late import gaps
from panelist.app.desk.conference.views.scores import FEW, ScoreView
from panelist.app.desk.conference.views.solutions import grades_of
from panelist.app.desk.errors import NotFoundError
from panelist.records import Confidence
from panelist.words import counted

EVERYBODY = 1_000_000
_BEST = 5  # papers that are shown of a person's best
_NAMED = 3  # thin papers that have a step each


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
    missing: int = 0  # reviews that it lacks beside the chosen solution
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
    missing: int = 0  # reviews that did not come
    profiles: tuple[str, ...] = ()  # other ids of the person, such as those of the corpus


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

    def __init__(self, view: ConferenceView, scores: ScoreView | None) -> None:
        self._view, self._scores, self._events = view, scores, view.stored.events
        stored = view.stored
        self.chosen = chosen(stored)
        self._pairs = [] if self.chosen is None else load_pairs(stored, self.chosen).pairs
        grades = [] if self.chosen is None else grades_of(stored, self.chosen, self._pairs)
        self._grade = {(pair.paper, pair.reviewer): grade for pair, grade in zip(self._pairs, grades, strict=True)}
        self._gaps = gaps(view)
        self._calibration = load_calibration(stored) or {"papers": (), "reviewers": ()}

    def papers(self, look: Look) -> Slice[PaperLine]:
        """The papers whose title, id or reviewers contain a text: as in their file, by able people, or by score."""
        numbers = paper_numbers(self._view.stored)
        assigned = self._by("paper")
        able = {} if self._scores is None else self._scores.able_by_paper()
        sent: Counter[str] = Counter()
        for record in load_reviews(self._view.stored).values():  # the same reviews may have come as texts and as scores
            sent |= Counter(row.paper for row in record.rows)
        worth = {row["paper"]: row["score"] for row in self._calibration["papers"]}
        title, missing = self._view.labels.paper, Counter(gap.paper for gap in self._gaps)
        lines = [
            PaperLine(
                number, key, title(key), able.get(key), assigned.get(key, []), sent[key], worth.get(key), missing[key]
            )
            for key, number in numbers.items()
        ]
        if look.sort == "able":
            lines.sort(key=lambda line: -1 if line.able is None else line.able)
        elif look.sort == "score":
            lines.sort(key=lambda line: (line.calibrated is None, -(line.calibrated or 0)))
        elif look.sort == "missing":
            lines.sort(key=lambda line: -line.missing)
        hidden = (
            PaperLine(number, paper, title, None, [], 0, None, hidden=True)
            for number, (paper, title) in enumerate(
                hidden_titles(self._view.stored).items(), max(numbers.values(), default=0) + 1
            )
        )
        return look.select(
            [*lines, *hidden], lambda line: (line.id, line.title, *(reviewer.label for reviewer in line.assigned))
        )

    def people(self, look: Look) -> Slice[PersonLine]:
        """The committee whose name, id or institution contains a text: as in its file, by load, or by best score."""
        stored = self._view.stored
        people, members = load_people(stored) or {}, load_members(stored)
        scored = self._scores.reviewers if self._scores else ()
        ids = dict.fromkeys([*load_committee(stored), *people, *scored])
        assigned, table = self._by("reviewer"), self._view.conflicts
        standing = {(pair.submission, table.person(pair.reviewer)) for pair in table if pair.certain or pair.possible}
        conflicts = Counter(person for _, person in standing)
        best = {} if self._scores is None else self._scores.best_by_reviewer()
        sizes = {} if self._scores is None or self._scores.record is None else self._scores.record.papers
        offsets = {row["reviewer"]: row["bias"] for row in self._calibration["reviewers"]}
        missing = Counter(gap.reviewer for gap in self._gaps if gap.why == "no review")
        quotas = {} if self.chosen is None else quotas_of(stored, self.chosen)
        lines = [
            PersonLine(
                id=person,
                name=self._view.labels.person(person),
                institution=people[person].institution if person in people else "",
                role=people[person].role if person in people else "",
                papers=sizes.get(person),
                quota=quotas.get(person),
                best=best.get(person),
                assigned=assigned.get(person, []),
                conflicts=conflicts[table.person(person)],
                offset=offsets.get(person),
                missing=missing[person],
                profiles=members[person].aliases if person in members else (),
            )
            for person in ids
        ]
        if look.sort == "load":
            lines.sort(key=lambda line: len(line.assigned))
        elif look.sort == "best":
            lines.sort(key=lambda line: -inf if line.best is None else line.best)
        elif look.sort == "missing":
            lines.sort(key=lambda line: -line.missing)
        return look.select(lines, lambda line: (line.id, line.name, line.institution))

    def person(self, reviewer: str) -> PersonPage:
        """All about one person."""
        line = next((row for row in self.people(Look(limit=EVERYBODY)).rows if row.id == reviewer), None)
        if line is None:
            raise NotFoundError(f"there is no reviewer '{reviewer}' in this conference")
        labels, table = self._view.labels, self._view.conflicts
        of_person = (pair for pair in table if table.person(pair.reviewer) == table.person(reviewer))
        by_paper = {pair.submission: table.of(pair.submission, reviewer) or pair for pair in of_person}
        conflicts = [
            ConflictRow(ShownConflict.of(pair), labels.paper(paper), line.name) for paper, pair in by_paper.items()
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
        files = file_records(self._view.stored)
        if count := sum(person.state == "open" for person in load_roster(self._view.stored)):
            words = counted(count, "person of the committee is", "people of the committee are")
            yield Advice(f"{words} not known for sure.", "Say who they are", "committee")
        if "scores" not in files:
            for kind, words in (("submissions", "No submissions yet"), ("committee", "No committee yet")):
                if kind not in files:
                    yield Advice(f"{words}: add them as a file.", "Add files", "files")
                    return
            yield Advice("Submissions and committee are there.", "Score them", "score")
            return
        if self._scores is not None and self._scores.stale:
            yield Advice("The scores are of older files or profiles.", "Score again", "score")
        yield from self._assignment_steps()
        if self.chosen is None:
            for words in self._view.conflicts.header.nothing_checked():
                yield Advice(f"Conflicts: {words}.", "Look at conflicts", "conflicts")
        if count := len({gap.paper for gap in self._gaps if gap.why == "no review"}):
            yield Advice(f"{counted(count, 'paper lacks', 'papers lack')} reviews.", "Who could step in?", "late")
        able = {} if self._scores is None else self._scores.able_by_paper()
        thin = [paper for paper, count in able.items() if count < FEW]
        for paper in thin if len(thin) <= _NAMED else thin[:1]:
            few = (
                "Lacks able reviewers:" if len(thin) <= _NAMED else f"{len(thin):,} papers lack able reviewers, such as"
            )
            yield Advice(f"{few} “{self._view.labels.paper(paper)}”.", "Who else?", "find", paper)

    def _assignment_steps(self) -> Iterator[Advice]:
        stored = self._view.stored
        done = [solution for solution in load_solutions(stored, figures=False) if solution.state == "done"]
        if self.chosen is None:
            if done:
                number = str(done[0].number)
                yield Advice(f"Solution {number} is made, and none is chosen.", "Choose it", "choose", number)
            else:
                yield Advice("The scores are there.", "Assign reviewers", "assign")
            return
        solution = load_solution(stored, self.chosen, figures=False)
        pairs = [(pair.paper, pair.reviewer) for pair in self._pairs]
        certain = self._view.conflicts.check(pairs, "allow")
        possible = [conflict for conflict in self._view.conflicts.check(pairs) if conflict.possible]
        for conflicts, noun, label, action in (
            (certain, "a conflict of interest by now", "Repair the assignment", "repair"),
            (possible, "a possible conflict", "Avoid all", "avoid"),
        ):
            if conflicts:
                words = counted(len(conflicts), "assigned pair has", "assigned pairs have")
                yield Advice(f"{words} {noun}.", label, action, str(self.chosen))
        pending = pending_changes(self._events, solution)
        files = file_changes(self._events, solution)
        if not (pending or files):
            return  # another solution may be newer: which one is chosen was decided
        by_hand = [counted(pending, "change by hand", "changes by hand")] if pending else []
        of_files = [counted(files, "change of files", "changes of files")] if files else []
        since = f"{' and '.join(by_hand + of_files)} since solution {self.chosen} was made"
        decided = max((event.key for event in self._events if event.kind == "chose"), default=0)
        newest = done[0]
        if newest.event >= decided and not (
            pending_changes(self._events, newest) or file_changes(self._events, newest)
        ):
            words = f"{since}: solution {newest.number} knows {'it' if pending + files == 1 else 'them'}."
            yield Advice(words, "Compare", "compare", str(newest.number))
            return
        hand = (event.number for event in self._events if event.kind in BY_HAND and event.kind != CURATE)
        yield Advice(f"{since}.", "Solve again", "resolve", str(next(hand, "")) if pending else "")

    def _by(self, side: Literal["paper", "reviewer"]) -> Mapping[str, list[Assigned]]:
        """The reviewers of each paper, or the papers of each reviewer."""
        groups: dict[str, list[Assigned]] = defaultdict(list)
        for pair in self._pairs:
            key, other = (pair.paper, pair.reviewer) if side == "paper" else (pair.reviewer, pair.paper)
            label = self._view.labels.person(other) if side == "paper" else self._view.labels.paper(other)
            score, pair_key = pair.score if pair.scored else None, (pair.paper, pair.reviewer)
            by_hand = self._view.manual.pairs.get(pair_key) == LOCKED
            conflict = self._view.conflict(*pair_key)
            groups[key].append(Assigned(other, label, pair.role, score, self._grade.get(pair_key), by_hand, conflict))
        return groups
