"""Values of JSON fields: null and absent are the same, the wrong type is an error that names field and value.

Readers turn a `FieldError` into a rejection of that line.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any, TypeVar

from panelist.corpus.readers.report import type_name

T = TypeVar("T", str, list[Any], dict[str, Any])

MAX_COUNT = 2**53  # beyond this JSON numbers are no longer exact in most writers


class FieldError(ValueError):
    """A field that cannot be used; the message is the reason. Every converter of a record raises it."""


def identifier(value: Any, name: str = "id") -> str:
    """An id: a string (or a whole number, as some exports write them) without whitespace, not empty."""
    if type(value) is str and value.split() == [value]:
        return value
    if type(value) is int:
        return str(value)
    if type(value) is not str:
        raise FieldError(f"{name}: {'missing' if value is None else f'expected a string, received {type_name(value)}'}")
    raise FieldError(f"{name}: {value[:80]!r} is {'empty' if not value else 'not allowed: it contains whitespace'}")


def string(value: Any, name: str) -> str:
    """A string, stripped; empty where it is null."""
    return value.strip() if type(value) is str else _typed(value, name, str)  # most are: one call less


def text(record: Mapping[str, Any], name: str) -> str:
    """The string of a field; empty where it is absent."""
    return string(record.get(name), name)


def title_and_abstract(record: Mapping[str, Any]) -> tuple[str, str]:
    """The two texts of a paper, of which one may be empty."""
    title, abstract = text(record, "title"), text(record, "abstract")
    check_text(title, abstract)
    return title, abstract


def check_text(title: str, abstract: str) -> None:
    """Refuse a paper without any text."""
    if not title and not abstract:
        raise FieldError("neither title nor abstract")


def items(record: Mapping[str, Any], name: str) -> list[Any]:
    """A list; empty where it is absent."""
    return _typed(record.get(name), name, list)


def fields(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object; empty where it is absent."""
    return _typed(record.get(name), name, dict)


def objects(record: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """A list of objects; empty where it is absent."""
    for entry in items(record, name):
        if type(entry) is not dict:
            raise FieldError(f"{name}: expected objects, received {type_name(entry)}")
    return items(record, name)


def _typed(value: Any, name: str, kind: type[T]) -> T:
    if type(value) is kind:
        return value
    if value is None:
        return kind()
    raise FieldError(f"{name}: expected {type_name(kind())}, received {type_name(value)}")


def identifiers(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """A list of ids."""
    entry = f"an id of {name}"
    return tuple([identifier(value, entry) for value in items(record, name)])


def year(record: Mapping[str, Any], name: str) -> int | None:
    """A calendar year, as a number or as digits."""
    return None if record.get(name) in (None, "") else _integer(record[name], name, "year", 1000, 9999)


def day(record: Mapping[str, Any], name: str) -> date | None:
    """A day as 2019-06-01, of a time its date."""
    value = string(record.get(name), name)
    try:
        return date.fromisoformat(value[:10]) if value else None
    except ValueError as error:
        raise FieldError(f"{name}: expected a day such as 2019-06-01, received {value[:40]!r}") from error


def count(record: Mapping[str, Any], name: str) -> int:
    """A number of things; zero where it is absent."""
    return 0 if record.get(name) is None else _integer(record[name], name, "count", 0, MAX_COUNT - 1)


def _integer(value: Any, name: str, kind: str, smallest: int, largest: int) -> int:
    digits = type(value) is str and len(value) <= 16 and value.strip().isdecimal()
    if not (type(value) is int or digits or (type(value) is float and value.is_integer())):
        raise FieldError(f"{name}: expected a whole number, received {str(value)[:40]!r}")
    if not smallest <= int(value) <= largest:
        raise FieldError(f"{name}: {value!r} is not a {kind}")
    return int(value)
