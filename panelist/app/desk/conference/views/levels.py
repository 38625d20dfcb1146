"""The levels of a committee in the chosen solution: everybody of one, who is above and below them, and conflicts.

What is shown is made of the pairs that whoever asks may see, so that an area chair has their own area only.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

from msgspec import Struct

from panelist.app.desk.conference.conflicts import ConflictRow
from panelist.app.desk.conference.contents import load_committee, load_people, scored_ids
from panelist.app.desk.conference.outcomes import Pairs, chosen, load_pairs, quotas_of
from panelist.app.desk.conference.view import ConferenceView, Look, ShownConflict
from panelist.app.desk.conference.views.paper import NamedAlternate, who_could_step_in
from retriever.assignment.options import CHAIRS, REVIEWER


class Level(Struct, frozen=True):
    """A role with its people: how many papers they have in all, and at most; the lowest level may have several."""

    role: str
    people: int
    assigned: int
    room: int | None  # None: there is no solution whose loads are known


class Related(Struct, frozen=True):
    """Somebody above or below, and with how many of the same papers."""

    id: str
    label: str
    papers: int


class LevelPaper(Struct, frozen=True):
    """A paper of somebody, and who of their level could have it instead."""

    id: str
    label: str
    conflict: ShownConflict | None
    hand: int | None  # 1 for locked, -1 for forbidden, 0 for free; None: nothing was changed
    instead: list[NamedAlternate]


class LevelPerson(Struct, frozen=True, kw_only=True):
    """Somebody of a level with their area; `below` are open conflicts on its papers of people of the levels below."""

    id: str
    name: str
    institution: str
    room: int | None
    papers: list[LevelPaper]
    above: list[Related]
    under: list[Related]
    conflicts: int  # of their own, with any paper
    below: list[ConflictRow]


class LevelPage(Struct, frozen=True):
    """All levels, the highest first, and some people of one of them."""

    levels: list[Level]
    role: str
    solution: int | None
    total: int
    rows: list[LevelPerson]


def level_page(view: ConferenceView, role: str, look: Look) -> LevelPage:
    """The people of a role, or of the highest level where nobody has it."""
    conference, number = view.stored, chosen(view.stored)
    people = load_people(conference) or {}
    everybody = load_committee(conference) or (*people, *scored_ids(conference)[1])
    made = Pairs([], []) if number is None else load_pairs(conference, number)
    role_of = {who: people[who].role if who in people else REVIEWER for who in everybody}
    role_of |= {pair.reviewer: pair.role for pair in made.pairs}
    roles = sorted({*role_of.values()}, key=lambda name: (_rank(name), name != REVIEWER, name))
    role = role if role in roles else next(iter(roles), REVIEWER)
    quotas = {} if number is None else quotas_of(conference, number)
    levels = [
        Level(
            name,
            people=sum(other == name for other in role_of.values()),
            assigned=sum(pair.role == name for pair in made.pairs),
            room=sum(quotas.get(who, 0) for who, other in role_of.items() if other == name) if quotas else None,
        )
        for name in roles
    ]
    members, labels = [who for who, other in role_of.items() if other == role], view.labels
    shown = look.at(members, lambda who: (who, labels.person(who)))
    areas, table = _Areas(view, role, made), view.conflicts
    conflicts = Counter(table.person(pair.reviewer) for pair in table if pair.certain or pair.possible)
    rows = [
        LevelPerson(
            id=who,
            name=labels.person(who),
            institution=people[who].institution if who in people else "",
            room=quotas.get(who),
            papers=areas.papers(who),
            above=areas.related(who, areas.above),
            under=areas.related(who, areas.under),
            conflicts=conflicts[table.person(who)],
            below=list(areas.conflicts(who)),
        )
        for who in shown.rows
    ]
    return LevelPage(levels, role, number, shown.total, rows)


class _Areas:
    """Whose papers are whose on the level of a role, and on the levels above and below."""

    def __init__(self, view: ConferenceView, role: str, made: Pairs) -> None:
        self._view, rank = view, _rank(role)
        self._own: _People = defaultdict(list)  # papers of everybody with the role
        stages: dict[int, _People] = defaultdict(lambda: defaultdict(list))  # rank of a level -> paper -> people
        for pair in made.pairs:
            stages[_rank(pair.role)][pair.paper].append(pair.reviewer)
            if pair.role == role:
                self._own[pair.reviewer].append(pair.paper)
        nobody: _People = {}
        self._lower = [stages[level] for level in sorted(stages) if level > rank]
        self.above = next((stages[level] for level in sorted(stages, reverse=True) if level < rank), nobody)
        self.under = next(iter(self._lower), nobody)
        self._instead: dict[str, list[NamedAlternate]] = defaultdict(list)
        for one in who_could_step_in(view, [one for one in made.alternates if one.role == role]):
            self._instead[one.paper].append(one)

    def papers(self, person: str) -> list[LevelPaper]:
        """The papers of somebody."""
        view = self._view
        return [
            LevelPaper(
                paper,
                view.labels.paper(paper),
                view.conflict(paper, person),
                view.manual.pairs.get((paper, person)),
                self._instead[paper],
            )
            for paper in self._own[person]
        ]

    def related(self, person: str, others: "_People") -> list[Related]:
        """Who has papers of somebody on another level, whoever has most of them first."""
        shared = Counter(other for paper in self._own[person] for other in others.get(paper, ()))
        named = (Related(other, self._view.labels.person(other), count) for other, count in shared.items())
        return sorted(named, key=lambda one: (-one.papers, one.label, one.id))

    def conflicts(self, person: str) -> Iterator[ConflictRow]:
        """The open conflicts of people of all lower levels with somebody's papers."""
        labels = self._view.labels
        for paper in self._own[person]:
            for other in (other for level in self._lower for other in level.get(paper, ())):
                conflict = self._view.conflict(paper, other)
                if conflict is not None and (conflict.certain or conflict.possible):
                    yield ConflictRow(conflict, labels.paper(paper), labels.person(other))


_People = dict[str, list[str]]


def _rank(role: str) -> int:
    return CHAIRS.index(role) if role in CHAIRS else len(CHAIRS)
