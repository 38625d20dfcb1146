"""Which pairs must not be: conflicts of the table, pairs that the chair forbade, authors. No lock opens one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from panelist.words import counted, first_of
from retriever.assignment.building.records import Ids, RecordError, Records
from retriever.assignment.options import AssignOptions
from retriever.assignment.problem import CONFLICT, Ints, Problem, ReviewerTraits


@dataclass(frozen=True, slots=True, eq=False)
class Blocked:
    """Sorted `paper * reviewers + reviewer` of pairs that must not be; `avoided` are only possible conflicts."""

    forbidden: Ints
    avoided: Ints


def blocked_pairs(records: Records, ids: Ids, people: ReviewerTraits, options: AssignOptions) -> Blocked:
    """The pairs that must not be, under all ids of their reviewers."""
    authored = {int(paper) * len(ids.reviewers) + int(who) for paper, who in people.authored}
    forbidden = {key for pair in records.forbidden for key in ids.keys("forbidden", pair)}
    found: dict[bool, set[int]] = {True: set(), False: set()}
    for one in () if records.conflicts is None else records.conflicts.blocked(options.possible):
        if one.submission in ids.papers:
            start = ids.papers[one.submission] * len(ids.reviewers)
            found[one.certain].update(start + who for who in ids.everywhere(one.reviewer))
    avoided = found[False] - authored - forbidden - found[True]
    return Blocked(_sorted(authored | forbidden | found[True] | avoided), _sorted(avoided))


def check_locks(problem: Problem, records: Records, ids: Ids) -> None:
    """Refuse to lock a pair that must not be, under any id of the reviewer."""
    for pair in records.locked:
        for key in ids.keys("locked", pair):
            if (why := problem.why_not(*divmod(key, len(problem.reviewers)))) is not None:
                said = "both locked and a conflict" if why == CONFLICT else f"locked, but {pair[1]} {why}"
                raise RecordError("locked", pair, f"the pair {pair[0]}, {pair[1]} is {said}")


def conflict_notes(problem: Problem, records: Records) -> Iterator[str]:
    """What the chair should know: whether anybody looked for conflicts, what was not checked, what cannot stay."""
    table, m = records.conflicts, len(problem.reviewers)
    if table is None:
        if given := len(problem.forbidden):
            yield f"nobody looked for conflicts of interest: only given pairs are excluded ({given:,})"
        else:
            yield "nothing is known of conflicts of interest: authors may be among the reviewers of their own papers"
    else:
        yield from table.unchecked
        header = table.header
        known = {table.person(who) for who in header.reviewers}
        for what, there, missing in (
            ("paper", header.submissions, [paper for paper in problem.papers if paper not in set(header.submissions)]),
            ("reviewer", header.reviewers, [one for one in problem.reviewers if table.person(one) not in known]),
        ):
            if there and missing:
                some = f"{counted(len(missing), what)} ({first_of(missing)})"
                yield f"the conflict table was made without {some}: nobody looked for their conflicts"
    keys = problem.row_paper[problem.existing[:, 0]] * m + problem.existing[:, 1]
    dropped = [divmod(int(key), m) for key in keys[np.isin(keys, problem.forbidden)]]
    if dropped:
        told = [f"{problem.papers[one]} {problem.reviewers[who]} {problem.why_not(one, who)}" for one, who in dropped]
        some = counted(len(told), "old pair is a conflict", "old pairs are conflicts")
        yield f"{some} and cannot stay: {first_of(told, '; ')}"


def _sorted(keys: set[int]) -> Ints:
    return np.array(sorted(keys), dtype=np.int64)
