"""Who the reviewers are, as arrays, and which pairs must not be, locked or not: conflicts, forbidden ones, authors."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from panelist.words import Message, PaperId, PersonId, counted, joined
from retriever.assignment.building.records import Ids, RecordError, Records, Reviewer
from retriever.assignment.options import REVIEWER, AssignOptions, role_name
from retriever.assignment.problem import EXCLUDED, Ints, Problem, ReviewerTraits

SHOWN = 5  # ids of a note
_REGIONS = tomllib.loads(Path(__file__).with_name("regions.toml").read_text())
REGION_OF: Mapping[str, str] = {code: region for region, codes in _REGIONS.items() for code in codes.split()}
"""The region of each country."""


def named_people(records: Records, scored: Ids) -> dict[str, Reviewer]:
    """Who the reviewers are, by id as the scores have it, where they have it in any spelling."""
    if records.people is None:
        return {}
    people: dict[str, Reviewer] = {}
    names = tuple(scored.reviewers)
    for who, person in records.people.items():
        spellings = [who] if who in scored.reviewers else [names[at] for at in scored.everywhere(who)] or [who]
        for name in spellings:
            if name in people:
                raise RecordError("people", (who,), f"reviewer {name} is there twice, under two forms of an id")
            people[name] = person
        for paper in person.authored:
            if paper not in scored.papers:
                raise RecordError("people", (who,), f"authored: no paper '{paper}' in the scores")
    for who in scored.reviewers:
        if who not in people:
            raise RecordError("people", (), f"reviewer '{who}' has scores but is not there: add a line")
    return people


def committee(ids: Ids, people: Mapping[str, Reviewer], roles: Sequence[str]) -> ReviewerTraits:
    """What is known of these reviewers, as arrays."""
    persons = [people.get(who, Reviewer()) for who in ids.reviewers]
    there = {role_name(person.role) or REVIEWER for person in people.values()} if people else {REVIEWER}
    for role in roles:
        if role not in there:
            source = "there is no such role" if people else "where nothing is known of people, everybody is a reviewer"
            raise RecordError("people", (), f"reviews by '{role}' are asked for, but nobody has that role: {source}")
    number = {role: at for at, role in enumerate(roles)}
    authored = {  # under every id of the author
        (ids.papers[paper], at)
        for who, person in people.items()
        for paper in person.authored
        for at in ids.everywhere(who)
    }
    return ReviewerTraits(
        np.array([number.get(role_name(person.role) or REVIEWER, -1) for person in persons], dtype=np.int64),
        np.array([person.senior for person in persons], dtype=np.bool_),
        _codes([person.institution.casefold() for person in persons]),
        _codes([REGION_OF.get(person.country, "") for person in persons]),
        np.array(sorted(authored), dtype=np.int64).reshape(-1, 2),
    )


def _codes(names: list[str]) -> Ints:
    """A number for each name, -1 for none."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) if name else -1 for name in names], dtype=np.int64)


def blocked_pairs(records: Records, ids: Ids, people: ReviewerTraits, options: AssignOptions) -> tuple[Ints, Ints]:
    """Sorted `paper * reviewers + reviewer` of pairs that must not be, under all ids; and of possible conflicts."""
    blocked = {int(paper) * len(ids.reviewers) + int(who) for paper, who in people.authored}
    blocked |= {key for pair in records.forbidden for key in ids.keys("forbidden", pair)}
    possible: set[int] = set()
    for conflict in () if records.conflicts is None else records.conflicts.blocked(options.possible):
        if conflict.submission in ids.papers:
            start = ids.papers[conflict.submission] * len(ids.reviewers)
            pairs = blocked if conflict.certain else possible
            pairs.update(start + who for who in ids.everywhere(conflict.reviewer))
    forbidden, avoided = (np.array(sorted(keys), dtype=np.int64) for keys in (blocked | possible, possible - blocked))
    return forbidden, avoided


def check_locks(problem: Problem, records: Records, ids: Ids) -> None:
    """Refuse to lock a pair that must not be, under any id of the reviewer."""
    for pair in records.locked:
        for key in ids.keys("locked", pair):
            if (why := problem.why_not(*divmod(key, len(problem.reviewers)))) is not None:
                paper, who = PaperId(pair[0]), PersonId(pair[1])
                what = "both locked and excluded" if why == EXCLUDED else Message("locked, but ", who, f" {why}")
                raise RecordError("locked", pair, Message("the pair ", paper, ", ", who, " is ", what))


def conflict_notes(problem: Problem, records: Records) -> Iterator[str]:
    """What the chair should know: whether anybody looked for conflicts, what was not checked, what cannot stay."""
    table, m = records.conflicts, len(problem.reviewers)
    if table is None:
        if excluded := len(problem.forbidden):
            yield f"nobody looked for conflicts of interest: only given pairs are excluded ({excluded:,})"
        else:
            yield "nothing is known of conflicts of interest: authors may be among the reviewers of their own papers"
    else:
        header = table.header
        yield from (*header.nothing_checked(), *header.unchecked)
        people = {table.person(who) for who in header.reviewers}
        submissions = set(header.submissions)
        papers = [PaperId(paper) for paper in problem.papers if paper not in submissions]
        strangers = [PersonId(who) for who in problem.reviewers if table.person(who) not in people]
        for what, there, missing in (
            ("paper", header.submissions, papers),
            ("reviewer", header.reviewers, strangers),
        ):
            if there and missing:
                some = Message(f"{counted(len(missing), what)} (", joined(missing, most=SHOWN), ")")
                yield Message("the conflict table was made without ", some, ": nobody looked for their conflicts")
    keys = problem.row_paper[problem.existing[:, 0]] * m + problem.existing[:, 1]
    dropped = [divmod(int(key), m) for key in keys[np.isin(keys, problem.forbidden)]]
    if dropped:
        words = [
            Message(PaperId(problem.papers[at]), " ", PersonId(problem.reviewers[who]), f" {problem.why_not(at, who)}")
            for at, who in dropped
        ]
        were = counted(len(words), "old pair is excluded", "old pairs are excluded")
        yield Message(f"{were} and cannot stay: ", joined(words, "; ", SHOWN))
