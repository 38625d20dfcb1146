"""Forgetting a person in conferences: what was done by hand about them goes, and who asks is told what stays.

Committee, scores, assignments and reviews are the record of a conference: a person cannot be cut out of them without
making another assignment of it. So they stay, and are named. What keeps the person from a paper (a pair that was
forbidden, a conflict that was confirmed, that they declined altogether) moves from the history into the files of
conflicts and of loads: without it, the next solution could assign the pair.
"""

import mmap
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from panelist.app.access.users import Users
from panelist.app.desk.conference.audit import content_digest
from panelist.app.desk.conference.changes import Change, Conferences
from panelist.app.desk.conference.conflicts import TABLE
from panelist.app.desk.conference.contents import (
    FILE_NAMES,
    FileRecord,
    load_constraints,
    load_members,
    load_quotas,
)
from panelist.app.desk.conference.manual import BY_HAND, FORBIDDEN, SETTLED, ManualChanges, sum_changes
from panelist.app.desk.conference.state import Conference, Part
from panelist.app.desk.database import Desk
from panelist.corpus.history import forms_of
from panelist.corpus.identity import comparable, identity_key, is_named
from panelist.corpus.removals import known_keys
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.spreadsheet import csv_text
from panelist.words import counted
from retriever.assignment.building.records import Quota
from retriever.conference.committee import Committee
from retriever.conference.conflicts.table import read_table
from retriever.conference.people import keys_of


@dataclass(frozen=True, slots=True)
class StillNamed:
    """A conference whose files name a person."""

    conference: str
    name: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForgottenChanges:
    """How many changes by hand about a person were erased, which conferences name them, and entries they signed."""

    changes: int
    still: tuple[StillNamed, ...]
    signed: int


def keys_of_person(conferences: Conferences, corpus: CorpusStore | None, person: str) -> set[str]:
    """Every key of a person who is given in any form, by the corpus, by events, and by conferences."""
    keys = forms_of([person]) if corpus is None else known_keys(corpus, [person])
    known = [key for conference in conferences.list() for key in _known_as(conference, keys)]
    keys |= {*filter(identity_key, known)}  # a number is another person elsewhere
    return keys if corpus is None else known_keys(corpus, [*keys])


def forget_in_conferences(
    desk: Desk, conferences: Conferences, keys: AbstractSet[str], users: Users
) -> ForgottenChanges:
    """Erase the changes by hand that name a person, by these keys or others that a conference knows of the same person.

    The events stay in the history, without them.
    """
    changes, still, signed = 0, [], 0  # entries that they signed keep the name: these say who is responsible
    names = {user.name for user in users.list() if any(is_named(key, keys) for key in user.people)}
    for conference in conferences.list():
        signed += sum(event.who in names for event in conference.events)
        known = _known_as(conference, keys)
        changes += _forget_changes(conferences, conference, known)
        if files := _naming(conferences.get(conference.id), known):
            still.append(StillNamed(conference.id, conference.name, files))
    conferences.collect(new=True)
    desk.file.erase_log()
    return ForgottenChanges(changes, tuple(still), signed)


def _known_as(conference: Conference, keys: AbstractSet[str]) -> set[str]:
    """The keys of a person, and those that the tables of a conference and its conflicts have of the same one."""
    members = Committee((), ()).with_members(load_members(conference))
    groups = [{key for author in members.namings(one) for key in keys_of(author)} for one in members.members]
    with suppress(InputError):  # damaged: it is made again
        table = conference.content(TABLE, read_table)
        aliases = {} if table is None else table.header.aliases
        groups += [{key, comparable(reviewer)} for key, reviewer in aliases.items()]
    known, before = {*keys}, 0
    while len(known) > before:
        before = len(known)
        known.update(*(group for group in groups if not known.isdisjoint(group)))
    return known


def _forget_changes(conferences: Conferences, conference: Conference, keys: AbstractSet[str]) -> int:
    if not any(_erased(event.kind, event.detail, keys) for event in conference.events):
        return 0
    words = (
        "changes by hand about somebody who was forgotten hold no longer; what kept them from papers is in the files"
    )
    erased: dict[str, str] = {}  # so that the seals of the history hold
    with conferences.change(conference.id, "forgot", {"words": words, "erased": erased}) as change:
        _keep_off(conferences, change, sum_changes(change.before.events), keys)
        for event in change.before.events:
            left = _erased(event.kind, event.detail, keys)
            if left is not None:
                text = orjson.dumps(left).decode()
                erased[str(event.key)] = content_digest(text)
                change.connection.execute("UPDATE conference_event SET detail = ? WHERE number = ?", (text, event.key))
    return len(erased)


def _keep_off(conferences: Conferences, change: Change, manual: ManualChanges, keys: AbstractSet[str]) -> None:
    """Write what keeps a person from papers into the file of conflicts, and that they take none into that of loads."""
    pairs = [pair for pair, value in manual.pairs.items() if value == FORBIDDEN and is_named(pair[1], keys)]
    pairs += [pair for pair, conflict in manual.decisions.items() if conflict.confirmed and is_named(pair[1], keys)]
    constraints, quotas = dict(load_constraints(change.before)), dict(load_quotas(change.before))
    for pair in pairs:  # to the end, in this order
        if constraints.get(pair) != FORBIDDEN:
            constraints.pop(pair, None)
            constraints[pair] = FORBIDDEN
    quotas |= {key: Quota(0) for key, most in manual.quotas.items() if most == 0 and is_named(key, keys)}
    if constraints != load_constraints(change.before):
        _put(conferences, change, "constraints", [(*pair, value) for pair, value in constraints.items()])
    if quotas != load_quotas(change.before):
        rows = ((key, quota.most, quota.least) for key, quota in quotas.items())
        _put(conferences, change, "quotas", [row if row[2] is not None else row[:2] for row in rows])


def _put(conferences: Conferences, change: Change, kind: str, rows: Sequence[Sequence[Any]]) -> None:
    content = csv_text(rows).encode()
    summary = f"{counted(len(rows), 'line')}, some kept here"
    file = FileRecord(FILE_NAMES[kind], datetime.now(UTC), len(content), "", summary)
    change.put(kind, conferences.blobs.put(content, ".csv"), file)


def _erased(kind: str, detail: dict[str, Any], keys: AbstractSet[str]) -> dict[str, Any] | None:
    """The detail of a change by hand with nobody in the place of a person; None where it does not name them."""

    def left_of(reviewer: str) -> str:
        return "" if is_named(reviewer, keys) else reviewer

    if kind == SETTLED:  # its words may name them, too
        others = [*filter(left_of, detail.get("others", ()))]
        words = str(detail["words"]).partition(":")[0]
        return None if others == detail.get("others", []) else {**detail, "words": words, "others": others}
    if kind not in BY_HAND:
        return None
    left = {
        "pairs": [[paper, left_of(reviewer), value] for paper, reviewer, value in detail.get("pairs", ())],
        "quotas": {left_of(reviewer): most for reviewer, most in detail.get("quotas", {}).items()},
        "decisions": [decision for decision in detail.get("decisions", ()) if left_of(decision["reviewer"])],
        "curation": [choice for choice in detail.get("curation", ()) if left_of(choice["reviewer"])],
        "others": [
            other for other in detail.get("others", ()) if all(map(left_of, (other["person"], *other["judge"])))
        ],
    }
    left = {name: value for name, value in left.items() if value != detail.get(name, value)}
    if not left and not any(key in str(detail.get("words", "")) for key in keys):  # desks of 1.0.0rc1 have words
        return None
    return {name: left.get(name, value) for name, value in detail.items() if name != "words"}


def _naming(conference: Conference, keys: AbstractSet[str]) -> tuple[str, ...]:
    """What of a conference names somebody by one of these keys, as a whole."""
    bare = {key.removeprefix("orcid:").removeprefix("openalex:") for key in keys}
    ids = b"|".join(re.escape(key.encode()) for key in sorted(bare))
    pattern = re.compile(rb"(?<![\w~])(?:" + ids + rb")(?!\w)", re.IGNORECASE)
    named = (name for name, part in conference.parts.items() if _names(conference, part, pattern))
    return tuple(sorted(FILE_NAMES.get(name, name) for name in named))


def _names(conference: Conference, part: Part, pattern: re.Pattern[bytes]) -> bool:
    if pattern.search(part.record.encode()):
        return True
    if not part.blob or not conference.blobs.path(part.blob).stat().st_size:
        return False
    path = conference.blobs.path(part.blob)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return pattern.search(content) is not None
