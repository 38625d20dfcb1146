"""Whom to ask next: the best people who keep the panel varied, given those who are on it already."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from panelist.app.desk.editor.people import DeskPeople
from panelist.records import Match, Panel, Submission
from retriever.filters import Filters
from retriever.finder import Finder
from retriever.lookup import Lookup
from retriever.search import SearchFunction, search

DIVERSITY = 0.3  # λ for suggestions where the look-up itself had none: a replacement should not come from the next room


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Somebody to ask, and whether nobody on the panel is from their institution, or from their country."""

    match: Match
    new_institution: bool
    new_country: bool


def suggest(
    finder: Finder,
    submission: Submission,
    lookup: Lookup,
    *,
    panel: Collection[str],
    refused: Collection[str],
    search: SearchFunction = search,
) -> list[Suggestion]:
    """The next `lookup.size` people to ask, who complete those on the panel already; nobody who refused."""
    exclude = (*lookup.filters.exclude, *refused)
    lookup = replace(lookup, members=tuple(panel), filters=replace(lookup.filters, exclude=exclude))
    matches = finder.find(submission, lookup, search=search).matches
    on_panel = panel_of(finder, submission, lookup, panel, search=search)
    places = [institution for match in on_panel.matches for institution in match.institutions[:1]]
    institutions, countries = (
        {institution.ror or institution.name for institution in places},
        {None, *(institution.country for institution in places)},
    )
    return [
        Suggestion(
            match,
            any((institution.ror or institution.name) not in institutions for institution in match.institutions[:1]),
            any(institution.country not in countries for institution in match.institutions[:1]),
        )
        for match in matches
    ]


def exclude_resting(people: DeskPeople, lookup: Lookup, today: date, keep: Collection[str] = ()) -> Lookup:
    """The look-up without those who rest by what the desk knows, if it asks for rest; `keep` stay."""
    resting = people.resting(*lookup.filters.load, today)
    exclude = (
        *lookup.filters.exclude,
        *(person for person in resting if person not in {*keep, *lookup.filters.include}),
    )
    return replace(lookup, filters=replace(lookup.filters, exclude=exclude)) if resting else lookup


def rank_of(
    finder: Finder, submission: Submission, lookup: Lookup, person: str, *, search: SearchFunction = search
) -> int | None:
    """Where somebody stands in the ranking of everybody, before conflicts; None where no paper of theirs was found."""
    (number,) = finder.index.ownership.author_ids.find([person]).tolist()
    ranked = next(finder.shortlists([submission], lookup, search=search)).ranked
    rows = np.flatnonzero((ranked.authors == number) & (ranked.scores > 0))
    return int(rows[0]) + 1 if len(rows) else None


def panel_of(
    finder: Finder, submission: Submission, lookup: Lookup, people: Collection[str], *, search: SearchFunction = search
) -> Panel:
    """These people as the look-up sees them, best first: conflicts are flagged, nobody with a match is hidden."""
    lookup = replace(
        lookup,
        filters=Filters(only=tuple(people)),
        size=max(1, len(people)),
        conflicts="ignore" if lookup.conflicts == "ignore" else "flag",
        per_paper=None,
        diversity=0.0,
        members=(),
    )
    panel = finder.find(submission, lookup, search=search)
    return Panel(submission, panel.matches, panel.diversity)  # its notes are about looking for somebody
