"""The written material of the demo: what each topic talks about, and in which words (`data/topic_*.toml`).

A theme lists interchangeable phrases. All phrases of a kind fit the same slots, and all of a theme fit each other:
objects are plural noun phrases, aspects singular ones without article, methods and data noun phrases, questions
indirect questions, findings whole clauses, implications plural verb phrases; backgrounds and titles are complete.
Slots in them are other kinds (`{object}`) or ranges of numbers (`{12..48}`).
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question with the titles that announce it and the findings that answer it."""

    question: str
    title: tuple[str, ...]
    finding: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DemoTheme:
    """A field of work within a topic: phrases by kind, and lines of inquiry."""

    name: str
    phrases: dict[str, tuple[str, ...]]  # the titles and findings among them go with every line
    lines: tuple[Inquiry, ...]


@dataclass(frozen=True, slots=True)
class Topic:
    """A science with its venues and themes; `closing` are sentences that its abstracts may end with."""

    name: str
    venues: tuple[str, ...]
    themes: tuple[DemoTheme, ...]
    closing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Culture:
    """A country with names that are common in it and institutions that do not exist in it."""

    country: str
    given: tuple[str, ...]
    family: tuple[str, ...]
    institutions: tuple[str, ...]


@cache
def load(name: str) -> dict[str, Any]:
    """A file of the material."""
    return tomllib.loads((files("panelist.app.demo") / "data" / name).read_text(encoding="utf-8"))


@cache
def topics() -> tuple[Topic, ...]:
    """All topics, by file name."""
    folder = files("panelist.app.demo") / "data"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.startswith("topic_"))
    return tuple(_topic(load(name)) for name in names)


def _topic(table: dict[str, Any]) -> Topic:
    themes = []
    for theme in table["themes"]:
        phrases = {kind: tuple(words) for kind, words in theme.items() if kind not in ("name", "lines")}
        themes.append(DemoTheme(theme["name"], phrases, msgspec.convert(theme["lines"], tuple[Inquiry, ...])))
    return Topic(table["name"], tuple(table["venues"]), tuple(themes), tuple(table.get("closing", ())))


@cache
def cultures() -> tuple[Culture, ...]:
    """All countries with their names and institutions."""
    return msgspec.convert(load("people.toml")["cultures"], tuple[Culture, ...])
