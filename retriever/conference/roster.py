"""The people of a chair's list as a committee: who was found in the corpus, what somebody decided, what was added.

A reviewer is called as the other files of the chair call them: by the id or the number that the list gives, else the
e-mail address. Which profiles of the corpus are the person may change later; what the person is called does not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Literal

from msgspec import Struct, structs

from panelist.corpus.identity import comparable
from panelist.corpus.readers.committee import ListedPerson
from panelist.corpus.systems.columns import EASYCHAIR
from panelist.errors import InputError
from panelist.records import Institution, Paper
from panelist.words import counted
from retriever.conference.committee import Member
from retriever.conference.matching import PeopleMatcher, PersonMatch, State, decision_key


class Listed(Struct, frozen=True):
    """A person of a list, under the id that the conference has for them."""

    id: str
    match: PersonMatch
    decided: bool = False  # somebody said who this is, or that the corpus does not have them
    papers: tuple[Paper, ...] = ()  # which somebody added

    @property
    def state(self) -> Literal["settled"] | State:
        """How the person was found, or `settled`."""
        return "settled" if self.decided else self.match.state

    @property
    def member(self) -> Member:
        """What is known of the person; ids of the corpus are other ids of the same person."""
        person = self.match.person
        aliases = tuple(key for key in self.match.chosen if comparable(key) != comparable(self.id))
        aliases += (f"{EASYCHAIR}{person.person}",) if person.person else ()
        name = person.name or next(
            (profile.author.name for profile in self.match.profiles if profile.author.id in self.match.chosen), ""
        )
        institution = Institution(person.institution) if person.institution else None
        return Member(name, person.orcid, person.email, institution, aliases)


def list_people(people: Sequence[ListedPerson], matcher: PeopleMatcher, before: Iterable[Listed] = ()) -> list[Listed]:
    """Look up the people of a list.

    Lines with the same address, or that say `same_as`, are one person, several ids of whom are joined. What was decided
    and added `before` stays, by the address: so do the ids of those who are there again. By a name it stays where
    nobody else of the list has it.
    """
    rows: dict[str, list[ListedPerson]] = defaultdict(list)
    for number, person in enumerate(people):
        identity = person.email or person.orcid or person.same_as or person.id or f"line {number}"
        rows[comparable(identity)].append(person)
    persons = [_joined(lines) for lines in rows.values()]
    occurrences = Counter(map(decision_key, persons))
    remembered = {key: entry for entry in before if occurrences[key := decision_key(entry.match.person)] == 1}
    decided: dict[str, Sequence[str]] = {key: entry.match.chosen for key, entry in remembered.items() if entry.decided}
    for lines in rows.values():
        if len(ids := list(dict.fromkeys(person.id for person in lines if person.id))) > 1:
            decided.setdefault(decision_key(lines[0]), ids)
    entries: dict[str, Listed] = {}
    for match in matcher.match(persons, decided):
        key = decision_key(match.person)
        old = remembered.get(key)
        entry_id = name = old.id if old else name_on_list(match.person)
        for number in count(2):
            if entry_id not in entries:
                break
            entry_id = f"{name}_{number}"
        entries[entry_id] = Listed(entry_id, match, old is not None and old.decided, old.papers if old else ())
    return list(entries.values())


def settle(people: Sequence[Listed], chosen: Mapping[str, Sequence[str]], matcher: PeopleMatcher) -> list[Listed]:
    """The same people after somebody decided of some, by id, which ids of the corpus they are; none for nobody."""
    ids_of_list = {entry.id for entry in people}
    if strangers := [key for key in chosen if key not in ids_of_list]:
        raise InputError(f"nobody of the committee's list is called '{strangers[0]}'")
    if lost := matcher.unknown(key for ids in chosen.values() for key in ids):
        raise InputError(f"there is nobody with the id '{lost[0]}' in the corpus")
    return [_settled(entry, chosen[entry.id], matcher) if entry.id in chosen else entry for entry in people]


def found_in_words(people: Sequence[Listed]) -> str:
    """How many people of a list were found, and how surely."""
    states: Counter[str] = Counter(entry.state for entry in people)
    words = {
        **{"settled": "settled by hand", "certain": "found for certain", "probable": "found probably"},
        **{"open": "open: who they are has to be said", "none": "not in the corpus"},
    }
    counts = (f"{states[state]:,} {wording}" for state, wording in words.items() if states[state])
    return f"{counted(len(people), 'person', 'people')}: {', '.join(counts)}"


def _settled(entry: Listed, ids: Sequence[str], matcher: PeopleMatcher) -> Listed:
    match, before = matcher.decided(entry.match.person, ids), entry.match
    profiles = {profile.author.id: profile for profile in (*before.profiles, *match.profiles)}  # decisions change
    return structs.replace(entry, decided=True, match=structs.replace(match, profiles=tuple(profiles.values())))


def _joined(lines: Sequence[ListedPerson]) -> ListedPerson:
    """One person of several lines: what the first of them says, and what it leaves open."""
    joined, *later = lines
    for other in later:
        joined = structs.replace(
            joined, **{name: value for name, value in structs.asdict(other).items() if not getattr(joined, name)}
        )
    return joined


def name_on_list(person: ListedPerson) -> str:
    """What a person is called: the id or number of the list, an address, an ORCID, else the name in one word."""
    return person.id or person.member or person.email or person.orcid or "_".join(person.name.split())
