"""The levels of a committee in the chosen solution: everybody of one, who is above and below them, and conflicts.

What is shown is made of the pairs that whoever asks may see, so that an area chair has their own area only.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from panelist.app.desk.conference.conflicts import ConflictRow
from panelist.app.desk.conference.contents import load_committee
from panelist.app.desk.conference.manual import FORBIDDEN
from panelist.app.desk.conference.outcomes import Pairs, load_pairs
from panelist.app.desk.conference.view import ConferenceView, Look
from panelist.app.desk.conference.views.overview import EVERYBODY, Overview, PersonLine
from panelist.app.desk.conference.views.paper import NamedAlternate, open_alternates
from retriever.assignment.options import CHAIRS, REVIEWER

_People = Mapping[str, list[str]]  # by paper


class Level(Struct, frozen=True):
    """A role with its people: how many papers they have in all, and room for how many (None: not known)."""

    role: str
    people: int
    assigned: int
    room: int | None


class Related(Struct, frozen=True):
    """Somebody above or below, and with how many of the same papers."""

    id: str
    label: str
    papers: int


class LevelPerson(Struct, frozen=True):
    """Somebody of a level with their area; `below` are open conflicts on its papers of people of the levels below."""

    row: PersonLine
    above: list[Related]
    under: list[Related]
    below: list[ConflictRow]
    instead: dict[str, list[NamedAlternate]]  # by paper: who of the level could have it
    off: list[str]  # papers that they are to be taken off, by hand


class LevelPage(Struct, frozen=True):
    """All levels, the highest first, and some people of one of them; the lowest level may have several roles."""

    levels: list[Level]
    role: str
    solution: int | None
    total: int
    rows: list[LevelPerson]


def level_page(view: ConferenceView, role: str, look: Look) -> LevelPage:
    """The people of a role, or of the highest level where nobody has it."""
    overview, committee = Overview(view, None), load_committee(view.stored)
    people: dict[str, list[PersonLine]] = defaultdict(list)
    for line in overview.people(Look(limit=EVERYBODY)).rows:
        if line.assigned or not committee or line.id in committee:  # others left, and have scores still
            people[line.role or REVIEWER].append(line)
    roles = sorted(people, key=lambda name: (_rank(name), name != REVIEWER, name))
    levels = []
    for name in roles:
        loads, rooms = [len(line.assigned) for line in people[name]], [line.quota for line in people[name]]
        levels.append(Level(name, len(loads), sum(loads), None if None in rooms else sum(filter(None, rooms))))
    role = role if role in roles else next(iter(roles), REVIEWER)
    pairs = Pairs([], []) if overview.chosen is None else load_pairs(view.stored, overview.chosen)
    shown = look.select(people[role], lambda line: (line.id, line.name, line.institution))
    area = _Area(view, role, pairs)
    return LevelPage(levels, role, overview.chosen, shown.total, [area.of(line) for line in shown.rows])


class _Area:
    """Who has which paper on the levels above a role and below it, and who of the role could have it instead."""

    def __init__(self, view: ConferenceView, role: str, pairs: Pairs) -> None:
        self._view, rank = view, _rank(role)
        stages: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))  # by rank, the highest 0
        for pair in pairs.pairs:
            stages[_rank(pair.role)][pair.paper].append(pair.reviewer)
        self._higher = [stages[level] for level in sorted(stages, reverse=True) if level < rank][:1]
        self._lower = [stages[level] for level in sorted(stages) if level > rank]
        self._instead: dict[str, list[NamedAlternate]] = defaultdict(list)
        for alternate in open_alternates(view, [alternate for alternate in pairs.alternates if alternate.role == role]):
            self._instead[alternate.paper].append(alternate)

    def of(self, line: PersonLine) -> LevelPerson:
        """Somebody of the role."""
        papers, hand = [paper.id for paper in line.assigned], self._view.manual.pairs
        return LevelPerson(
            line,
            above=self._related(papers, self._higher),
            under=self._related(papers, self._lower[:1]),
            below=[row for paper in papers for row in self._conflicts(paper)],
            instead={paper: self._instead[paper] for paper in papers if paper in self._instead},
            off=[paper for paper in papers if hand.get((paper, line.id)) == FORBIDDEN],
        )

    def _related(self, papers: list[str], levels: Sequence[_People]) -> list[Related]:
        """Who has these papers on another level, whoever has most of them first."""
        shared = Counter(person for level in levels for paper in papers for person in level.get(paper, ()))
        named = (Related(person, self._view.labels.person(person), count) for person, count in shared.items())
        return sorted(named, key=lambda related: (-related.papers, related.label, related.id))

    def _conflicts(self, paper: str) -> Iterator[ConflictRow]:
        """The open conflicts of people of all lower levels with a paper."""
        for person in (person for level in self._lower for person in level.get(paper, ())):
            pair = self._view.conflicts.of(paper, person)
            if pair is not None and (pair.certain or pair.possible):
                yield ConflictRow.of(pair, self._view.labels)


def _rank(role: str) -> int:
    return CHAIRS.index(role) if role in CHAIRS else len(CHAIRS)
