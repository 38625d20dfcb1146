"""The invented people of the demo: names, labs, and careers that move between institutions."""

from dataclasses import dataclass
from itertools import repeat
from random import Random

from panelist.app.demo.material import Culture, Topic
from panelist.records import Author, Institution

FIRST_YEAR, LAST_YEAR = 2008, 2024
LABS_PER_TOPIC = 4
MEMBERS_PER_LAB = 3  # beside its head; odd labs have one less
_NAMESAKES = 5
_WITHOUT_ROR = 5


@dataclass(frozen=True, slots=True)
class Lab:
    """A group with a home, working mainly on two neighbouring themes of its topic."""

    topic: int
    number: int
    home: Institution
    themes: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Stint:
    """From `since` on, somebody works at an institution with a lab."""

    since: int
    institution: Institution
    lab: Lab


@dataclass(slots=True)
class DemoPerson:
    """A career: stints in order, an end where research was left, a topic beside the own one where there is one."""

    author: Author
    stints: list[Stint]
    leads: bool
    leaves: int = LAST_YEAR + 1
    second_topic: int | None = None
    papers: int = 0

    def stint(self, year: int) -> Stint | None:
        """What the person does in `year`; None before the career and after it."""
        if year >= self.leaves:
            return None
        return next((stint for stint in reversed(self.stints) if stint.since <= year), None)


def institutions(cultures: tuple[Culture, ...]) -> list[tuple[Institution, Culture]]:
    """The institutions with their countries; the addresses are in a domain reserved for examples, a few have none."""
    employers = [(name, culture) for culture in cultures for name in culture.institutions]
    placed = []
    for number, (name, culture) in enumerate(employers):
        bare = number % (len(employers) // _WITHOUT_ROR) == 6
        ror = None if bare else f"https://ror.example/{number + 1:04}"
        placed.append((Institution(name, ror, culture.country), culture))
    return placed


def populate(topics: tuple[Topic, ...], cultures: tuple[Culture, ...], random: Random) -> list[DemoPerson]:
    """Everybody, lab by lab; ids are numbered in that order."""
    employers = institutions(cultures)
    homes = (home for _ in repeat(None) for home in random.sample(employers, len(employers)))
    names = _Names(cultures, random)
    people: list[DemoPerson] = []
    for topic, material in enumerate(topics):
        labs = []
        for number in range(LABS_PER_TOPIC):
            home, culture = next(homes)
            themes = number % len(material.themes), (number + 1) % len(material.themes)
            labs.append((Lab(topic, number, home, themes), culture))
        for lab, culture in labs:
            people.append(_head(lab, names.author(culture), employers, random))
            others = [other for other, _ in labs if other is not lab]
            people += [
                _member(lab, others, names.author(culture), employers, random)
                for _ in range(MEMBERS_PER_LAB - lab.number % 2)
            ]
    for person in random.sample(people, len(people) // 5):
        person.second_topic = random.randrange(len(topics))
    _make_namesakes(people, random)
    return people


def _head(lab: Lab, author: Author, employers: list[tuple[Institution, Culture]], random: Random) -> DemoPerson:
    stints = [Stint(random.randint(1990, FIRST_YEAR - 2), lab.home, lab)]
    if random.random() < 0.25:
        stints.append(Stint(random.randint(2012, 2019), random.choice(employers)[0], lab))
    return DemoPerson(author, stints, leads=True)


def _member(
    lab: Lab, others: list[Lab], author: Author, employers: list[tuple[Institution, Culture]], random: Random
) -> DemoPerson:
    """Somebody who starts in `lab` and after some years stays, joins another lab, moves away, or leaves research."""
    start = random.randint(FIRST_YEAR - 1, 2019)
    person = DemoPerson(author, [Stint(start, lab.home, lab)], leads=False)
    turn = start + random.randint(4, 6)
    fate = random.random()
    if fate < 0.35:
        other = random.choice(others)
        person.stints.append(Stint(turn, other.home, other))
    elif fate < 0.6:
        person.stints.append(Stint(turn, random.choice(employers)[0], lab))
    elif fate < 0.72:
        person.leaves = turn
    return person


class _Names:
    """New authors with names that nobody has yet, mostly of the culture at hand: science is international."""

    def __init__(self, cultures: tuple[Culture, ...], random: Random) -> None:
        self._cultures, self._random = cultures, random
        self._taken: set[str] = set()

    def author(self, culture: Culture) -> Author:
        while True:
            origin = culture if self._random.random() < 0.5 else self._random.choice(self._cultures)
            name = f"{self._random.choice(origin.given)} {self._random.choice(origin.family)}"
            if name not in self._taken:
                self._taken.add(name)
                return Author(f"synthetic:A{len(self._taken):04}", name)


def _make_namesakes(people: list[DemoPerson], random: Random) -> None:
    """Give a few people the name of somebody else, one of them the name of a colleague in the same topic."""
    drawn = random.sample(people, 2 * (_NAMESAKES - 1))
    pairs = list(zip(drawn[::2], drawn[1::2], strict=True))
    same_topic = [person for person in people if person.stints[0].lab.topic == 0 and person not in drawn]
    pairs.append((same_topic[0], same_topic[-1]))
    for person, namesake in pairs:
        namesake.author = Author(namesake.author.id, person.author.name)
