"""A conference as somebody sees it: rows of the database, blobs that never change, and a sight that is a filter.

`load_conference` is the only reader of the rows. Whatever is shown, counted, solved or exported is made of what a
`Conference` gives, and that leaves out what may not be seen: nothing is copied, and nothing else has to think of it.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, wraps
from hashlib import blake2b
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, Self, TypeVar

import msgspec
import orjson

from panelist.app.access.sight import EVERYTHING, Sight
from panelist.app.desk.blobs import Blobs, MadeOnce
from panelist.app.desk.conference.audit import Event, numbered, read_events
from panelist.app.desk.conference.manual import BY_HAND, SETTLED, ids_named
from panelist.app.desk.errors import no_such_conference
from panelist.corpus.readers.submissions import read_submissions
from panelist.words import decoded

Content = TypeVar("Content")
Arguments = ParamSpec("Arguments")

_HIDDEN = "by a paper that you may not see"
_QUOTED = re.compile("“(.*)”", re.DOTALL)
_PLAIN = ("created", "renamed", "rules", "chose", "discarded", "forgot", "appointed", SETTLED)
"""Events whose words count no papers."""


class Part(NamedTuple):
    """A row of a conference: the name of a blob and a record as JSON, either of which may be empty."""

    blob: str = ""
    record: str = ""


NO_PART = Part()


@dataclass(frozen=True, slots=True, eq=False)
class Conference:
    """One conference as it was at a moment, and as one user sees it."""

    id: str
    name: str
    created: datetime
    parts: Mapping[str, Part]
    events: tuple[Event, ...]  # the newest first
    blobs: Blobs
    sight: Sight = EVERYTHING
    complete: Self | None = field(default=None, repr=False)  # with everything, where some of it is hidden

    @property
    def revision(self) -> int:
        """How many changes there were."""
        return len(self.events)

    def seen(self, sight: Sight) -> Self:
        """The conference as somebody sees it who may not see everything."""
        if not sight.hidden:
            return self
        seen = replace(self, sight=sight, complete=self)
        return replace(seen, events=_hide_events(self.events, sight.hidden, seen.told()))

    def told(self) -> Callable[[str], str]:
        """What makes evidence of a conflict name no paper that may not be seen: who wrote one is not to be known."""
        submissions = (self.complete or self).content("submissions", read_submissions) or []
        titles = {paper.title for paper in submissions if not self.sight.shows(paper.id)}

        def told(evidence: str) -> str:
            quoted = _QUOTED.search(evidence)
            return _HIDDEN if quoted and quoted[1] in titles else evidence

        return told

    def part(self, name: str) -> Part:
        """A row; an empty one where there is none."""
        return self.parts.get(name, NO_PART)

    def record(self, name: str, kind: type[Content]) -> Content | None:
        """The record of a row; None where there is none."""
        text = self.part(name).record
        return decoded(text, kind) if text else None

    def row_by_sight(self, name: str) -> str:
        """The name of a row that is made of what may be seen: everybody who sees the same papers has the same one."""
        hidden = orjson.dumps(sorted(self.sight.hidden))
        return f"{name}/{blake2b(hidden, digest_size=12).hexdigest()}" if self.sight.hidden else name

    def content(self, name: str, read: Callable[[Path], Content]) -> Content | None:
        """The whole blob of a row as a reader gives it, whatever may be seen of it; None where there is none."""
        blob = self.part(name).blob
        return self.blobs.decoded(blob, read) if blob else None

    def json(self, name: str, kind: type[Content]) -> Content | None:
        """The same of a blob of JSON."""
        return self.content(name, _reader(kind))  # type: ignore[arg-type]  # types are hashable


@cache
def _reader(kind: Any) -> Callable[[Path], Any]:
    """One reader for each type: what was read is remembered by its reader."""
    return lambda path: msgspec.json.decode(path.read_bytes(), type=kind)


def load_conference(connection: sqlite3.Connection, blobs: Blobs, conference: str) -> Conference:
    """Read a conference, in one transaction."""
    row = connection.execute("SELECT name, created FROM conference WHERE id = ?", (conference,)).fetchone()
    if row is None:
        raise no_such_conference(conference)
    rows = connection.execute("SELECT name, blob, record FROM conference_part WHERE conference = ?", (conference,))
    parts = {name: Part(blob, record) for name, blob, record in rows}
    events = read_events(connection, conference)
    return Conference(conference, row[0], datetime.fromisoformat(row[1]), parts, events, blobs)


def remembered(
    *names: str, most: int = 16
) -> Callable[
    [Callable[Concatenate[Conference, Arguments], Content]], Callable[Concatenate[Conference, Arguments], Content]
]:
    """Remember what a function makes of these rows of a conference (`solution/{}`: with its arguments) and of a sight.

    Rows name blobs by their digests, so what is remembered is never old. It must not be changed by who gets it.
    """

    def decorate(
        make: Callable[Concatenate[Conference, Arguments], Content],
    ) -> Callable[Concatenate[Conference, Arguments], Content]:
        memory = MadeOnce(most)

        @wraps(make)
        def made_once(conference: Conference, /, *arguments: Arguments.args, **options: Arguments.kwargs) -> Content:
            rows = (conference.part(name.format(*arguments)) for name in names)
            key = (conference.blobs, conference.sight, *rows, *arguments, *options.items())
            return memory.get(key, lambda: make(conference, *arguments, **options))

        return made_once

    return decorate


def _hide_events(events: Iterable[Event], hidden: frozenset[str], told: Callable[[str], str]) -> tuple[Event, ...]:
    """The events that name none of these papers; what they count is left out."""
    events = tuple(events)
    shown = []
    for event in events:
        if event.kind not in BY_HAND:
            shown.append(event if event.kind in _PLAIN else replace(event, detail={}))
        elif hidden.isdisjoint(ids_named(event.detail, events)):
            # Words were kept by earlier versions, also of papers that nothing else names any more.
            detail = {name: value for name, value in event.detail.items() if name != "words"}
            if decisions := detail.get("decisions"):
                detail["decisions"] = [
                    decision | {"reasons": [one | {"evidence": told(one["evidence"])} for one in decision["reasons"]]}
                    for decision in decisions
                ]
            shown.append(replace(event, detail=detail))
    return numbered(shown)
