"""Words for people: numbers of things, messages about papers and people, texts of strangers that are safe to show.

A `Message` is a sentence in which ids stand apart: as a string it has the ids, as the command line prints it. A page
puts titles and names where its parts say that a paper or a person is: nothing searches a text for ids, as `3` may be
a paper, a reviewer or a number.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape, unescape
from typing import Any, Self, TypeAlias, TypeVar

import msgspec

_DIRECTORIES = re.compile(r"(?<=')/(?:[^'/]+/)+(?=[^'/]+')|(?<![\w'/:.>])/(?:[^\s'/]+/)+(?=[^\s'/])")
"""Those of a path in quotation marks, and of one without blanks."""
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but for line breaks and tabs, and marks that reorder a line."""
Content = TypeVar("Content")
_MARKED = re.compile(r'<data class="(paper|person)" value="([^"]*)">[^<]*</data>')

Recorded: TypeAlias = str | list[str | dict[str, str]]
"""A message as JSON: a text, or its parts, of which `{"paper": id}` and `{"person": id}` are to be worded."""


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """`1 paper`, `2,000 papers`; `plural` is the plural where it is not `singular` with an s."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def first_of(entries: Sequence[str], separator: str = ", ", most: int = 5) -> str:
    """The first entries, and a sign that there are more."""
    return separator.join(entries[:most]) + (" …" if len(entries) > most else "")


def without_directories(text: str) -> str:
    """A text that names files, for those who are not to know where these lie."""
    return _DIRECTORIES.sub("", text)


def printable(text: str) -> str:
    """A text without control characters, which a terminal would obey, and without marks that reorder a line."""
    return _UNPRINTABLE.sub("", text)


class PaperId(str):
    """The id of a paper in a message or a table."""

    __slots__ = ()


class PersonId(str):
    """The id of a person in a message or a table."""

    __slots__ = ()


_KINDS: Mapping[str, type[str]] = {"paper": PaperId, "person": PersonId}
_NAMES: Mapping[type[str], str] = {kind: name for name, kind in _KINDS.items()}


class Message(str):
    """A sentence of texts, `PaperId`s, `PersonId`s and other messages; as a string, with ids."""

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Self:
        """Put parts together."""
        message = super().__new__(cls, "".join(parts))
        message.parts = tuple(inner for part in parts for inner in parts_of(part))
        return message


def parts_of(text: str) -> tuple[str, ...]:
    """The parts of a message; a text is its own."""
    return text.parts if isinstance(text, Message) else (text,)


def joined(entries: Iterable[str], separator: str = ", ", most: int | None = None) -> Message:
    """The first entries, and how many more there are."""
    entries = list(entries)
    parts = [part for entry in entries[:most] for part in (separator, entry)][1:]
    omitted = len(entries) - len(entries[:most])
    return Message(*parts, f" and {omitted:,} more" if omitted else "")


def reworded(text: str, change: Callable[[str], str]) -> Message:
    """The message with other words, and the same ids."""
    return Message(*(part if type(part) in _NAMES else change(part) for part in parts_of(text)))


def recorded(text: str) -> Recorded:
    """A message as JSON."""
    parts = parts_of(text)
    if all(type(part) not in _NAMES for part in parts):
        return str(text)
    return [{_NAMES[type(part)]: str(part)} if type(part) in _NAMES else part for part in parts]


def of_record(record: Recorded) -> Message:
    """The message of such JSON."""
    if isinstance(record, str):
        return Message(record)
    entries = (("", part) if isinstance(part, str) else next(iter(part.items())) for part in record)
    return Message(*(_KINDS.get(name, str)(part) for name, part in entries))


def encoded(record: object) -> bytes:
    """A record in which there may be messages, as JSON."""
    return msgspec.json.encode(record, enc_hook=_encoded)


def _encoded(part: object) -> Recorded:
    if isinstance(part, str):
        return recorded(part)
    raise TypeError(f"a {type(part).__name__} cannot be kept")


def decoded(text: str | bytes, kind: type[Content]) -> Content:
    """A record of such JSON."""
    return msgspec.json.decode(text, type=kind, dec_hook=_decoded)


def _decoded(kind: type, record: Any) -> Message:
    return of_record(record)


def marked(text: str) -> str:
    """A message as HTML, in which elements say what is the id of a paper or a person: see `Labels.in_page`."""
    return "".join(
        f'<data class="{name}" value="{escape(part)}">{escape(part)}</data>'
        if (name := _NAMES.get(type(part)))
        else escape(part)
        for part in parts_of(text)
    )


@dataclass(frozen=True)
class Labels:
    """Titles of papers and names of people by id, as far as they are known."""

    titles: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def paper(self, paper: str) -> str:
        """The title of a paper, else its id."""
        return self.titles.get(paper) or paper

    def person(self, reviewer: str) -> str:
        """The name of a person, with the id where several have the name; else the id."""
        name = self.names.get(reviewer) or reviewer
        return f"{name} ({reviewer})" if self._bearers[name] > 1 else name

    @cached_property
    def _bearers(self) -> Counter[str]:
        """How many people have a name."""
        return Counter(self.names.values())

    def worded(self, message: str) -> Message:
        """A message with titles and names."""
        return Message("".join(self._part(part.__class__, part) for part in parts_of(message)))

    def in_page(self, page: str) -> str:
        """A page with titles and names where its elements say that an id is."""
        return _MARKED.sub(lambda match: escape(self._part(_KINDS[match[1]], unescape(match[2])), quote=False), page)

    def _part(self, kind: type[str], part: str) -> str:
        if kind is PaperId:
            return f"“{self.titles[part]}”" if self.titles.get(part) else part
        return self.person(part) if kind is PersonId else part
