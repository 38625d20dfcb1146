"""What a solution is made from: the conference's files with the changes by hand in them, kept beside the solution."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil

from msgspec import Struct, structs

from panelist.app.desk.conference.contents import load_bids, load_constraints, load_demands, load_people, load_quotas
from panelist.app.desk.conference.manual import LOCKED, ManualChanges
from panelist.app.desk.conference.outcomes import forbidden_pairs, make_checked
from panelist.app.desk.conference.scores import load_scores, scored_ids
from panelist.app.desk.conference.settings import ConferenceSettings
from panelist.app.desk.conference.state import Conference
from panelist.app.desk.conference.view import ConferenceView
from panelist.errors import InputError
from retriever.assignment.assignment import AssignedPair
from retriever.assignment.building.records import AFFINITY, BIDS, Pair, Quota, Records, Reviewer
from retriever.assignment.feasibility import workable_load
from retriever.assignment.options import CHAIRS, MOST, REVIEWER, by_role
from retriever.conference.conflicts.table import ConflictTable


def gather(
    conference: Conference,
    settings: ConferenceSettings,
    manual: ManualChanges,
    conflicts: ConflictTable,
    existing: Iterable[Pair] = (),
) -> Records:
    """The records of a conference as it is now; of `existing` pairs as many as possible are kept."""
    if not conference.part("scores").blob:
        raise InputError("this conference has no scores yet: compute or upload them first")
    bids, constraints = load_bids(conference), load_constraints(conference)
    locked = [pair for pair, value in constraints.items() if value == LOCKED and pair not in manual.pairs]
    return Records(
        scores={AFFINITY: load_scores(conference).table} | ({} if bids is None else {BIDS: bids}),
        people=load_people(conference),
        conflicts=conflicts,
        forbidden=[*forbidden_pairs(conference, manual)],
        locked=[*locked, *(pair for pair, value in manual.pairs.items() if value == LOCKED)],
        quotas=_quotas(load_quotas(conference), manual, settings.quota_floor, conflicts),
        demands=_demands(load_demands(conference), manual, settings.demand_ceiling),
        existing=tuple(existing),
    )


def records_of_paper(records: Records, existing: Sequence[AssignedPair], paper: str, manual: ManualChanges) -> Records:
    """Records by which one paper is assigned, and those that changes by hand are about: all pairs of others stay."""
    pairs = {(pair.paper, pair.reviewer) for pair in existing}
    touched = {paper, *manual.demands}
    touched |= {pair[0] for pair, value in manual.pairs.items() if (value == LOCKED) != (pair in pairs)}
    touched |= {paper_of_pair for paper_of_pair, reviewer in pairs if manual.quotas.get(reviewer) == 0}
    stay = [pair for pair in existing if pair.paper not in touched]
    counts = Counter((pair.paper, pair.role) for pair in stay)
    papers, roles = records.scores[AFFINITY].papers, {REVIEWER, *(pair.role for pair in existing)}
    own_demands = {pair: number for pair, number in records.demands.items() if pair[0] in touched}
    own_demands |= {(other, role): counts[other, role] for other in papers if other not in touched for role in roles}
    locked = records.locked
    held = [pair for pair in ((pair.paper, pair.reviewer) for pair in stay) if pair not in locked]
    return replace(records, locked=[*locked, *held], held=len(held), demands=own_demands)


_MOST_CANDIDATES = 2_000_000  # of a problem of which loads are tried


class Room(Struct, frozen=True):
    """What people of a role can give, and what papers need of it: those without a number of their own, and the sums."""

    people: int = 0
    limited: int = 0
    quotas: int = 0
    papers: int = 0
    demands: int = 0


class KnownInputs(Struct, frozen=True):
    """Which files there are, the roles of the committee, and which columns say something `about` somebody.

    `levels` are roles that may be assigned in stages, the highest first; none where nobody is above reviewers.
    """

    scores: bool
    roles: list[str]
    levels: list[str]
    about: list[str]
    bids: bool
    room: dict[str, Room]


def known_inputs(view: ConferenceView) -> KnownInputs:
    """What a conference's files allow to ask for."""
    conference = view.stored
    table = load_people(conference)
    people = (table or {"": Reviewer()}).values()
    roles = dict.fromkeys(person.role for person in people)
    kinds = {"seniority": "senior", "institution": "institution", "country": "country", "authored": "authored"}
    about = [name for name, field in kinds.items() if any(getattr(person, field) for person in people)]
    return KnownInputs(
        scores=bool(conference.part("scores").blob),
        roles=sorted(roles, key=lambda role: (role != REVIEWER, role)),
        levels=_levels(roles),
        about=about,
        bids=bool(conference.part("bids").blob),
        room=_room(view, table or {}),
    )


def _levels(roles: Iterable[str]) -> list[str]:
    levels = [role for role in (*CHAIRS, REVIEWER) if role in roles]
    return levels if len(levels) > 1 and REVIEWER in levels else []


def _room(view: ConferenceView, table: Mapping[str, Reviewer]) -> dict[str, Room]:
    conference, person_of = view.stored, view.conflicts.person
    papers, reviewers = scored_ids(conference)
    loads = _quotas(load_quotas(conference), view.manual, 0, view.conflicts)
    quotas = {person_of(reviewer): quota for reviewer, quota in loads.items()}
    demands = _demands(load_demands(conference), view.manual, MOST)
    rooms: dict[str, Room] = {}
    for person, reviewer in {person_of(reviewer): reviewer for reviewer in reviewers}.items():
        role = table[reviewer].role if reviewer in table else REVIEWER
        room = rooms.get(role, Room())
        quota = quotas.get(person)
        rooms[role] = (
            structs.replace(room, people=room.people + 1)
            if quota is None
            else structs.replace(room, limited=room.limited + 1, quotas=room.quotas + quota.most)
        )
    for role, room in rooms.items():
        own_demands = [count for (_, named_role), count in demands.items() if (named_role or REVIEWER) == role]
        rooms[role] = structs.replace(room, papers=len(papers) - len(own_demands), demands=sum(own_demands))
    return rooms


def proposed_settings(view: ConferenceView) -> ConferenceSettings:
    """Settings to begin with: the defaults, with the smallest load that works where the default one is too small.

    Every paper has one person of each level above reviewers, whose loads leave a quarter of room.
    """
    settings = ConferenceSettings()
    problem = make_checked(gather(view.stored, settings, view.manual, view.conflicts), settings)
    if len(problem.candidates) > _MOST_CANDIDATES:
        return settings
    load = max(workable_load(problem) or 0, problem.most.max())
    inputs = known_inputs(view)
    if not inputs.levels:
        return ConferenceSettings(most=load)
    above, papers = inputs.levels[:-1], len(problem.papers)
    demand = by_role(settings.demand, REVIEWER) | dict.fromkeys(above, 1)
    most = {role: ceil(1.25 * papers / max(inputs.room[role].people, 1)) for role in above} | {REVIEWER: load}
    return ConferenceSettings(demand=demand, most=most, levels=tuple(inputs.levels))


def _quotas(
    file_quotas: Mapping[str, Quota], manual: ManualChanges, floor: int, conflicts: ConflictTable
) -> dict[str, Quota]:
    """The quotas of the file, but for people whose quota was changed by hand: under any of their ids."""
    by_hand = {conflicts.person(reviewer) for reviewer in manual.quotas}
    quotas = {
        reviewer: replace(quota, most=max(quota.most, floor)) if quota.most else quota
        for reviewer, quota in file_quotas.items()
        if conflicts.person(reviewer) not in by_hand
    }
    leasts = {conflicts.person(reviewer): quota.least for reviewer, quota in file_quotas.items()}
    for reviewer, most in manual.quotas.items():
        least = leasts.get(conflicts.person(reviewer))
        quotas[reviewer] = Quota(most, None if least is None else min(least, most))
    return quotas


def _demands(file_demands: Mapping[Pair, int], manual: ManualChanges, ceiling: int) -> dict[Pair, int]:
    demands = {pair: min(number, ceiling) for pair, number in file_demands.items()}
    return demands | {(paper, ""): number for paper, number in manual.demands.items()}
