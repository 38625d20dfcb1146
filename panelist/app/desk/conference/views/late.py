"""Papers that lack reviews by now, and who could step in: people who have room, know the topic and answered before."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Literal, NamedTuple

from msgspec import Struct

from panelist.app.desk.conference.contents import all_papers, load_demands, load_people
from panelist.app.desk.conference.manual import ACTIONS, FORBIDDEN, LOCKED, undone
from panelist.app.desk.conference.outcomes import (
    chosen,
    forbidden_pairs,
    load_pairs,
    load_solution,
    quotas_of,
    settings_of,
)
from panelist.app.desk.conference.reviews import load_reviews, missing_reviews
from panelist.app.desk.conference.view import ConferenceView, ShownConflict
from panelist.app.desk.conference.views.scores import ScoreView
from panelist.records import Confidence
from retriever.assignment.options import REVIEWER

_OFFERED = 5  # people for each paper


class Absent(Struct, frozen=True):
    """Somebody whose review a paper lacks: it did not come, or they were taken off the paper."""

    reviewer: str
    name: str
    why: Literal["no review", "taken off"]


class StepIn(Struct, frozen=True, kw_only=True):
    """Somebody who is able to review a paper and has `room` for more; of their reviews some were `sent`, some `due`."""

    reviewer: str
    name: str
    score: float
    confidence: Confidence | None
    conflict: ShownConflict | None  # that somebody dismissed
    room: int
    sent: int
    due: int


class LatePaper(Struct, frozen=True, kw_only=True):
    """A paper that lacks reviews of a role since a moment, whose they are, and who could step in, the best first."""

    paper: str
    title: str
    role: str
    missing: int
    since: datetime
    absent: list[Absent]
    people: list[StepIn]


class Gap(NamedTuple):
    """One review that a paper lacks; whose it is, where somebody was assigned."""

    paper: str
    role: str
    since: datetime
    reviewer: str = ""
    why: Literal["no review", "taken off"] = "no review"


def gaps(view: ConferenceView) -> list[Gap]:
    """The reviews that are missing beside the chosen solution, but for those that a change by hand gives to others."""
    conference, hand = view.stored, view.manual
    if (number := chosen(conference)) is None:
        return []
    missing = list(_gaps(view, number))
    assigned = {(pair.paper, pair.reviewer) for pair in load_pairs(conference, number).pairs}
    additions = Counter(pair[0] for pair, value in hand.pairs.items() if value == LOCKED and pair not in assigned)
    missing.sort(key=lambda gap: gap.why == "no review")  # who was taken off is who was replaced
    open_gaps = []
    for gap in missing:
        if additions[gap.paper]:
            additions[gap.paper] -= 1
        else:
            open_gaps.append(gap)
    return open_gaps


def _gaps(view: ConferenceView, number: int) -> Iterator[Gap]:
    conference, hand = view.stored, view.manual
    solution, pairs = load_solution(conference, number), load_pairs(conference, number).pairs
    records = load_reviews(conference).values()
    late = {(pair.paper, pair.reviewer) for pair in missing_reviews(conference, records)}
    sent = {(row.paper, row.reviewer) for record in records for row in record.rows}
    latest_file = max((record.at for record in records), default=solution.begun)
    since: dict[str | tuple[str, str], datetime] = {}  # when a pair was taken off, or somebody altogether
    undone_keys = undone(conference.events)
    for event in sorted(conference.events, key=lambda event: event.key):
        if event.kind in ACTIONS and event.key not in undone_keys:
            since |= {(paper, person): event.at for paper, person, value in event.detail["pairs"] if value == FORBIDDEN}
            since |= {person: event.at for person, most in event.detail["quotas"].items() if most == 0}
    for pair in pairs:
        key = pair.paper, pair.reviewer
        if key not in sent and (hand.pairs.get(key) == FORBIDDEN or hand.quotas.get(pair.reviewer) == 0):
            moment = since.get(key, since.get(pair.reviewer, latest_file))
            yield Gap(pair.paper, pair.role, moment, pair.reviewer, "taken off")
        elif key in late:
            yield Gap(pair.paper, pair.role, latest_file, pair.reviewer)
    short = () if solution.summary is None else solution.summary.short
    for short_paper in short:
        yield from (Gap(short_paper.paper, short_paper.role, solution.begun) for _ in range(short_paper.missing))
    solved_papers = {pair.paper for pair in pairs} | {short_paper.paper for short_paper in short}
    demand, own_demands = settings_of(solution).demand, load_demands(conference)
    for paper in all_papers(conference).keys() - solved_papers:  # that came after the solution was made
        usual = demand if isinstance(demand, int) else dict(demand).get(REVIEWER, 0)
        count = hand.demands.get(paper, own_demands.get((paper, ""), own_demands.get((paper, REVIEWER), usual)))
        yield from (Gap(paper, REVIEWER, solution.begun) for _ in range(count))


def late_papers(view: ConferenceView, scores: ScoreView) -> list[LatePaper]:
    """The papers that lack reviews, those that lack the most and wait the longest first."""
    conference, hand, labels = view.stored, view.manual, view.labels
    grouped: dict[tuple[str, str], list[Gap]] = defaultdict(list)
    for gap in gaps(view):
        grouped[gap.paper, gap.role].append(gap)
    if (number := chosen(conference)) is None or not grouped:
        return []
    person_of = view.conflicts.person  # whoever has several ids is one person
    pairs = {(pair.paper, pair.reviewer): pair for pair in load_pairs(conference, number).pairs}
    assigned = {(paper, person_of(person)) for paper, person in pairs}
    records = load_reviews(conference).values()
    due = Counter(pair.reviewer for pair in missing_reviews(conference, records))
    sent = Counter(person for _, person in {(row.paper, row.reviewer) for record in records for row in record.rows})
    missed = {(gap.paper, gap.reviewer) for paper_gaps in grouped.values() for gap in paper_gaps}
    forbidden = {(paper, person_of(person)) for paper, person in forbidden_pairs(conference, hand)}
    loads = Counter(person_of(pair[1]) for pair in pairs if pair not in missed or hand.pairs.get(pair) != FORBIDDEN)
    locked = {(paper, person_of(person)) for (paper, person), value in hand.pairs.items() if value == LOCKED}
    loads += Counter(person for _, person in locked - assigned)
    quotas, people = quotas_of(conference, number) | hand.quotas, load_people(conference) or {}
    most = {person_of(person): quota for person, quota in quotas.items()}

    def candidates(paper: str, role: str) -> Iterator[StepIn]:
        taken = assigned | forbidden
        for row in scores.fitting_pairs(paper) if paper in scores.papers else ():
            person, key = row.reviewer, (paper, person_of(row.reviewer))
            room = most.get(key[1], 0) - loads[key[1]]
            role_of_person = people[person].role if person in people else REVIEWER
            open_conflict = row.conflict is not None and (row.conflict.certain or row.conflict.possible)
            if role_of_person == role and room > 0 and not open_conflict and key not in taken:
                taken.add(key)
                yield StepIn(
                    reviewer=person,
                    name=labels.person(person),
                    score=row.score,
                    confidence=row.confidence,
                    conflict=row.conflict,
                    room=room,
                    sent=sent[person],
                    due=due[person],
                )

    late = [
        LatePaper(
            paper=paper,
            title=labels.paper(paper),
            role=role,
            missing=len(paper_gaps),
            since=min(gap.since for gap in paper_gaps),
            absent=[Absent(gap.reviewer, labels.person(gap.reviewer), gap.why) for gap in paper_gaps if gap.reviewer],
            people=sorted(candidates(paper, role), key=lambda row: (row.due > 0, row.sent == 0, -row.score))[:_OFFERED],
        )
        for (paper, role), paper_gaps in grouped.items()
    ]
    return sorted(late, key=lambda row: (-row.missing, row.since, row.paper))
