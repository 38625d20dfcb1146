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
    """Who the reviewers are, by id as the scores have it, where they have any id of the person."""
    if records.people is None:
        return {}
    lines: dict[str, tuple[str, Reviewer]] = {}  # by person, with the id that says so
    ids = Ids(scored.papers, [*scored.reviewers, *records.people], records.conflicts)
    names = tuple(ids.reviewers)
    for key, person in records.people.items():
        name = names[ids.number(key)]
        lines[name] = (key, person) if name not in lines else (key, _merged(lines[name], (key, person)))
        for paper in person.authored:
            if paper not in scored.papers:
                raise RecordError("people", (key,), f"authored: no paper '{paper}' in the scores")
    for key in scored.reviewers:
        if key not in lines:
            raise RecordError("people", (), f"reviewer '{key}' has scores but is not there: add a line")
    return {name: person for name, (_, person) in lines.items()}


def _merged(line: tuple[str, Reviewer], other: tuple[str, Reviewer]) -> Reviewer:
    """What two lines say of one person."""
    (one, first), (another, second) = line, other
    roles = [role_name(person.role) or REVIEWER for person in (first, second)]
    if roles[0] != roles[1]:
        same = Message(PersonId(one), " and ", PersonId(another), " are one person")
        raise RecordError("people", (another,), Message(same, f" with two roles, {roles[0]} and {roles[1]}: give one"))
    return Reviewer(
        first.senior or second.senior,
        first.institution or second.institution,
        first.country or second.country,
        roles[0],
        tuple(dict.fromkeys([*first.authored, *second.authored])),
    )


def reviewer_traits(ids: Ids, people: Mapping[str, Reviewer], roles: Sequence[str]) -> ReviewerTraits:
    """What is known of these reviewers, as arrays."""
    persons = [people.get(author, Reviewer()) for author in ids.reviewers]
    present = {role_name(person.role) or REVIEWER for person in people.values()} if people else {REVIEWER}
    for role in roles:
        if role not in present:
            source = "there is no such role" if people else "where nothing is known of people, everybody is a reviewer"
            raise RecordError("people", (), f"reviews by '{role}' are asked for, but nobody has that role: {source}")
    number = {role: ordinal for ordinal, role in enumerate(roles)}
    authored = {
        (ids.papers[paper], ids.number(author)) for author, person in people.items() for paper in person.authored
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
    """Sorted `paper * reviewers + reviewer` of pairs that must not be, by any id; and of possible conflicts."""
    blocked = {int(paper) * len(ids.reviewers) + int(reviewer) for paper, reviewer in people.authored}
    blocked |= {ids.key("forbidden", pair) for pair in records.forbidden}
    possible: set[int] = set()
    for conflict in () if records.conflicts is None else records.conflicts.blocked(options.possible):
        reviewer = ids.number(conflict.reviewer)
        if conflict.submission in ids.papers and reviewer >= 0:
            pairs = blocked if conflict.certain else possible
            pairs.add(ids.papers[conflict.submission] * len(ids.reviewers) + reviewer)
    forbidden, avoided = (np.array(sorted(keys), dtype=np.int64) for keys in (blocked | possible, possible - blocked))
    return forbidden, avoided


def check_locks(problem: Problem, records: Records, ids: Ids) -> None:
    """Refuse to lock a pair that must not be, by any id of the reviewer."""
    for pair in records.locked:
        if (why := problem.why_not(*ids.pair("locked", pair))) is not None:
            paper, person = PaperId(pair[0]), PersonId(pair[1])
            state = "both locked and excluded" if why == EXCLUDED else Message("locked, but ", person, f" {why}")
            raise RecordError("locked", pair, Message("the pair ", paper, ", ", person, " is ", state))


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
        people = {table.person(person) for person in header.reviewers}
        submissions = set(header.submissions)
        papers = [PaperId(paper) for paper in problem.papers if paper not in submissions]
        strangers = [PersonId(person) for person in problem.reviewers if table.person(person) not in people]
        for noun, checked, missing in (
            ("paper", header.submissions, papers),
            ("reviewer", header.reviewers, strangers),
        ):
            if checked and missing:
                names = Message(f"{counted(len(missing), noun)} (", joined(missing, most=SHOWN), ")")
                yield Message("the conflict table was made without ", names, ": nobody looked for their conflicts")
    paper_ids, reviewers = problem.papers, problem.reviewers
    keys = problem.row_paper[problem.existing[:, 0]] * m + problem.existing[:, 1]
    dropped = [divmod(int(key), m) for key in keys[np.isin(keys, problem.forbidden)]]
    if dropped:
        words = [
            Message(PaperId(paper_ids[row]), " ", PersonId(reviewers[column]), f" {problem.why_not(row, column)}")
            for row, column in dropped
        ]
        were = counted(len(words), "old pair is excluded", "old pairs are excluded")
        yield Message(f"{were} and cannot stay: ", joined(words, "; ", SHOWN))
