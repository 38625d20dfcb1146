"""The synthetic corpus: invented papers by invented people, the same on every machine.

Years pass topic by topic: a lab publishes on its themes with its members of that year, with partners elsewhere and now
and then with somebody from another field; papers cite earlier ones, mostly of their theme and mostly the well-cited.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from panelist.app.demo.material import Topic, cultures, topics
from panelist.app.demo.people import FIRST_YEAR, LABS_PER_TOPIC, LAST_YEAR, DemoPerson, Lab, Stint, populate
from panelist.app.demo.prose import PaperText, Writer
from panelist.records import Authorship, Paper

SEED = 2024
_SHARED_VENUE = "Synthetic Science"
_LAB_WEIGHTS = (4, 3, 3, 2)
_WITHOUT_ABSTRACT = 0.03

Staff = list[tuple[DemoPerson, Stint]]  # who is active in a year, and where


@dataclass(frozen=True, slots=True)
class _Plan:
    """A paper before it has an id, references and citations."""

    year: int
    topic: int
    theme: int
    lab: Lab
    venue: str
    draft: PaperText
    authorships: tuple[Authorship, ...]


@cache
def corpus(seed: int = SEED) -> tuple[Paper, ...]:
    """All papers in order of id, which is the order of publication; a pure function of the seed."""
    people = populate(topics(), cultures(), Random(f"{seed} people"))
    staff = {
        year: [(person, stint) for person in people if (stint := person.stint(year))]
        for year in range(FIRST_YEAR, LAST_YEAR + 1)
    }
    plans = [
        plan
        for number, topic in enumerate(topics())
        for plan in _publish(number, topic, staff, Random(f"{seed} {topic.name}"))  # editing a topic leaves others be
    ]
    random = Random(f"{seed} references")
    random.shuffle(plans)
    plans.sort(key=lambda plan: plan.year)
    references = _cite(plans, random)
    cited = Counter(number for row in references for number in row)
    return tuple(
        Paper(
            id=_paper_id(number),
            title=plan.draft.title,
            abstract="" if random.random() < _WITHOUT_ABSTRACT else plan.draft.abstract,
            year=plan.year,
            authorships=plan.authorships,
            venue=plan.venue,
            doi=f"https://doi.org/10.5555/synthetic.{number + 1:04}",  # a prefix that is reserved for examples
            references=tuple(_paper_id(reference) for reference in references[number]),
            cited_by_count=cited[number],
            topics=(topics()[plan.topic].name, topics()[plan.topic].themes[plan.theme].name),
        )
        for number, plan in enumerate(plans)
    )


def _paper_id(number: int) -> str:
    return f"synthetic:P{number + 1:04}"


def _publish(number: int, topic: Topic, staff: dict[int, Staff], random: Random) -> Iterator[_Plan]:
    """The papers of one topic, year by year, more of them in later years."""
    labs = {stint.lab.number: stint.lab for _, stint in staff[FIRST_YEAR] if stint.lab.topic == number}
    writers = [Writer(theme, topic.closing, random) for theme in topic.themes]
    themes = range(len(topic.themes))
    weights = [1 + 0.15 * (year - FIRST_YEAR) for year in staff]
    for year in sorted(random.choices(list(staff), weights, k=random.randint(36, 42))):
        lab = labs[random.choices(range(LABS_PER_TOPIC), _LAB_WEIGHTS)[0]]
        theme = random.choices(themes, [6 if theme in lab.themes else 1 for theme in themes])[0]
        venue = _SHARED_VENUE if random.random() < 0.1 else random.choice(topic.venues)
        team = _team(lab, staff[year], random)
        for person, _ in team:
            person.papers += 1
        authorships = tuple(_authorship(person, stint, lab, random) for person, stint in team)
        yield _Plan(year, number, theme, lab, venue, writers[theme].draft(), authorships)


def _team(lab: Lab, staff: Staff, random: Random) -> Staff:
    """Who writes a paper of `lab`: its members, juniors first and the head last, and guests in between."""
    colleagues = [entry for entry in staff if entry[1].lab.topic == lab.topic]
    head = next(entry for entry in colleagues if entry[1].lab is lab and entry[0].leads)
    juniors = [entry for entry in colleagues if entry[1].lab is lab and entry is not head]
    random.shuffle(juniors)
    if random.random() < 0.5:  # whoever has published least needs a paper most
        juniors.sort(key=lambda entry: entry[0].papers)
    team = juniors[: random.randint(1, 4)]
    if random.random() < 0.45:
        partner = lab.number ^ 1 if random.random() < 0.7 else random.choice((lab.number ^ 2, lab.number ^ 3))
        guests = [entry for entry in colleagues if entry[1].lab.number == partner]
        team += random.sample(guests, random.randint(1, min(2, len(guests))))
    visitors = [entry for entry in staff if entry[0].second_topic == lab.topic and entry not in colleagues]
    if visitors and random.random() < 0.2:
        team.append(random.choice(visitors))
    if not team or random.random() < 0.85:
        team.append(head)
    return team


def _authorship(person: DemoPerson, stint: Stint, lab: Lab, random: Random) -> Authorship:
    """The institution that the author gives: the current one, at times with the lab's, rarely none."""
    chance = random.random()
    if chance < 0.02:
        return Authorship(person.author)
    if chance < 0.1 and stint.institution != lab.home:
        return Authorship(person.author, (stint.institution, lab.home))
    return Authorship(person.author, (stint.institution,))


def _cite(plans: list[_Plan], random: Random) -> list[list[int]]:
    """For each paper the numbers of those that it cites: earlier ones, drawn by closeness and fame."""
    cited = [0] * len(plans)
    rows: list[list[int]] = []
    for number, plan in enumerate(plans):
        near = [old for old in range(number) if plans[old].topic == plan.topic]
        weights = [
            (1 + cited[old]) * (4 if plan.theme == plans[old].theme else 1) * (2 if plan.lab is plans[old].lab else 1)
            for old in near
        ]
        row = set(random.choices(near, weights, k=random.randint(2, 12))) if near else set()
        if number and random.random() < 0.2:  # a glance over the fence
            row.add(random.randrange(number))
        for choice in row:
            cited[choice] += 1
        rows.append(sorted(row))
    return rows
