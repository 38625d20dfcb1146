"""Who the authors of a submission are, in every source: by identity key, by the paper itself, or by name only."""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from panelist.corpus.identity import comparable, is_wrong_orcid
from panelist.corpus.names import openreview_name
from panelist.records import Author, Submission
from retriever.conference.names import People
from retriever.conference.people import Known, Source, is_name, keys_of, resolve

AUTHOR = "author of the submission"
"""The evidence of somebody who is given as an author, by id."""


class AuthorMatch(Struct, frozen=True, gc=False):
    """Somebody in a source who is an author of the submission, for certain or by name only."""

    number: int  # of the person in the source
    name: str  # as the submission has it
    certain: bool  # known by more than the name
    evidence: str  # why, in words
    # whether co-authors and colleagues are in conflict too. Not those of a namesake of an author whose id is known:
    # that is somebody else, most likely
    followed: bool = True
    unit: int = -1  # the paper that is the submission, where that tells it
    given: Author | None = None  # as the submission identifies them
    key: str | None = None  # of those found by name only: their id, or nothing where they are a name, too

    def __str__(self) -> str:
        return self.name if self.certain else f"{self.name} (matched by name)"


class Authors(Struct, frozen=True):
    """The authors of a submission, as far as the sources know them."""

    people: tuple[tuple[AuthorMatch, ...], ...]  # by source, those who are the authors, each once
    names: tuple[str, ...]  # of all authors
    matched: tuple[str, ...]  # those who were found by an identity key
    namesakes: tuple[str, ...]  # those of whom only the name was found, as they were given
    missing: tuple[str, ...]  # those of whom nothing was found, as they were given
    invalid: tuple[str, ...]  # ORCIDs with a wrong check digit
    others: tuple[frozenset[int], ...]  # by source, those of whom somebody said that they are other people


def find_authors(sources: Sequence[Source], submission: Submission) -> Authors:
    """The authors of a submission in every source, by what the submission says of them."""
    keys = [{*keys_of(author)} for author in submission.authors]
    people: list[dict[int, AuthorMatch]] = [{} for _ in sources]
    matched: dict[str, None] = {}
    names: list[tuple[str, str]] = []  # of those known by id: the id as it was given, and a name
    for author, own_keys, numbers in zip(submission.authors, keys, resolve(sources, keys), strict=True):
        found = [(position, *item) for position, same in enumerate(numbers) for item in same.items()]
        names_found = [person.name for _, _, person in found if comparable(person.name) not in own_keys]
        if is_name(author, own_keys):
            names_found.insert(0, author.name)
        name = next(filter(None, names_found), openreview_name(author.id))
        names.append((author.id, name))
        written = (one.name for source, number, one in found if sources[source].known_beyond_submissions(number))
        other_names = dict.fromkeys(other for other in written if other in names_found and other != name)
        # The same name in other forms may be that of strangers, too.
        fitting = People(dict(enumerate(other_names))).like(name) if other_names else []
        names += [(author.id, other) for number, other in enumerate(other_names) if number not in fitting]
        for position, number, holder in found:
            evidence = _identity_evidence(author, holder, name)
            people[position].setdefault(number, AuthorMatch(number, name, True, evidence, given=author))
            if sources[position].known_beyond_submissions(number):
                matched[author.id] = None
    others = tuple(frozenset(chain.from_iterable(source.numbers(submission.not_authors))) for source in sources)
    namesakes = _add_namesakes(people, sources, submission, names, matched, others)
    given = [*dict.fromkeys(key for key, _ in names if key not in matched), *submission.author_names]
    orcids = [key for author in submission.authors for key in (author.orcid, author.id) if key and is_wrong_orcid(key)]
    return Authors(
        tuple(tuple(person.values()) for person in people),
        tuple(dict.fromkeys([*submission.author_names, *(name for _, name in names)])),
        tuple(matched),
        tuple(name for name in given if name in namesakes),
        tuple(name for name in given if name not in namesakes),
        tuple(dict.fromkeys(orcids)),
        others,
    )


def with_writers(
    authors: Authors,
    sources: Sequence[Source],
    submission: Submission,
    candidates: NDArray[np.int64] | None = None,  # units of the last source that may be the submission, best first
    *,
    thorough: bool,  # have sources search for the title where no author is known
) -> Authors:
    """The authors, and those who wrote a paper of a source that is the submission."""
    namesakes = [{person.number: person for person in people if not person.certain} for people in authors.people]
    writers = [{person.number: person for person in people if person.certain} for people in authors.people]
    for position, source in enumerate(sources):
        near = candidates if position == len(sources) - 1 and candidates is not None else np.zeros(0, np.int64)
        units = source.find_units(submission, near, thorough=thorough and not any(writers))
        for unit, evidence in units.items():
            _add_writers(writers, sources, (position, unit), evidence)
    # Writers first; somebody who is both is a writer.
    people = (tuple((wrote | called | wrote).values()) for called, wrote in zip(namesakes, writers, strict=True))
    return structs.replace(authors, people=tuple(people))


def _identity_evidence(author: Author, person: Known, name: str) -> str:
    """Why somebody is this author."""
    if comparable(author.id) in person.keys[:1] or not {*keys_of(author)} & {*person.keys}:
        return AUTHOR
    shared = next(key for key in person.keys if key in keys_of(author))
    noun = "ORCID" if shared.startswith("orcid:") else "e-mail address" if "@" in shared else "id"
    return f"has the {noun} of the author {name}"


def _add_writers(
    people: list[dict[int, AuthorMatch]], sources: Sequence[Source], paper: tuple[int, int], evidence: str
) -> None:
    """Add those who wrote a paper that is the submission, in every source."""
    position, unit = paper
    writers = sources[position].ownership.authors_of(unit).tolist()
    numbers = [number for number in writers if number not in people[position]]
    for number, known in zip(numbers, sources[position].people(numbers), strict=True):
        same = [{number: known}] if len(sources) == 1 else resolve(sources, [{*known.keys}])[0]
        identified = " " not in known.keys[0]  # an author of a profile's paper may be a name alone
        for matches, numbers_there, source in zip(people, same, sources, strict=True):
            here = unit if source is sources[position] else -1
            for namesake in numbers_there:
                matches.setdefault(namesake, AuthorMatch(namesake, known.name, identified, evidence, unit=here))


def _add_namesakes(
    people: list[dict[int, AuthorMatch]],
    sources: Sequence[Source],
    submission: Submission,
    names: Sequence[tuple[str, str]],
    matched: Mapping[str, None],
    others: Sequence[frozenset[int]],
) -> set[str]:
    """Add those who have the name of an author; returns the authors, as they were given, who have namesakes."""
    with_namesakes: set[str] = set()
    names_given = [(name, name, True) for name in submission.author_names]
    names_given += [(given, name, given not in matched) for given, name in names]
    names_given.sort(key=lambda entry: not entry[2])
    for matches, source, excluded in zip(people, sources, others, strict=True):
        namesakes = [
            (number, *entry)
            for entry, same in zip(names_given, source.people_named([name for _, name, _ in names_given]), strict=True)
            for number in same
            if number not in excluded
        ]
        numbers = list(dict.fromkeys(number for number, *_ in namesakes if number not in matches))
        known = dict(zip(numbers, source.people(numbers), strict=True))
        for number, given, name, followed in namesakes:
            if number not in matches:
                key, evidence = known[number].keys[0], f"has the name of the author {name}"
                key = "" if " " in key else key
                matches[number] = AuthorMatch(number, name, False, evidence, followed, key=key)
            if source.known_beyond_submissions(number):
                with_namesakes.add(given)
    return with_namesakes
