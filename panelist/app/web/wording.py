"""What is wrong with a field, in the words of whoever filled it in, instead of those of the checking library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from panelist.words import counted

_Context = Mapping[str, Any]

_WORDS: dict[str, Callable[[_Context], str]] = {
    "missing": lambda _: "is missing",
    "extra_forbidden": lambda _: "is not known here: look for a misspelling",
    "string_too_short": lambda of: "is empty" if of["min_length"] == 1 else f"needs {of['min_length']:,} characters",
    "string_too_long": lambda of: f"is too long: at most {of['max_length']:,} characters fit",
    "too_short": lambda of: f"needs at least {counted(of['min_length'], 'entry', 'entries')}",
    "too_long": lambda of: f"is too long: at most {counted(of['max_length'], 'entry', 'entries')} fit",
    "greater_than_equal": lambda of: f"give {of['ge']:,} or more",
    "greater_than": lambda of: f"give more than {of['gt']:,}",
    "less_than_equal": lambda of: f"give {of['le']:,} or less",
    "less_than": lambda of: f"give less than {of['lt']:,}",
    "finite_number": lambda _: "give a number that is not infinite",
    "literal_error": lambda of: f"use one of {of['expected']}",
    "enum": lambda of: f"use one of {of['expected']}",
}
_KINDS = {
    "int": "give a whole number",
    "float": "give a number",
    "bool": "say true or false",
    "string": "give text",
    "list": "give a list",
    "dict": "give an object with fields",
    "model_attributes": "give an object with fields",
    "date": "give a day as 2026-11-17",
    "date_from_datetime": "give a day as 2026-11-17",
}
_PATTERNS = {
    r"^\S+$": "must have no blanks in it",
    r"^[A-Za-z]{2}$": "use codes of two letters for countries, such as DE or JP",
}


def in_words(error: Mapping[str, Any]) -> str:
    """What one error of a check says to somebody who does not know the library that made it."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "json_invalid":
        return f"not JSON: {context.get('error', error['msg'])}"
    if kind in _WORDS:
        return _WORDS[kind](context)
    if kind == "string_pattern_mismatch":
        return _PATTERNS.get(context["pattern"], "is not written as expected")
    what = kind.removesuffix("_parsing").removesuffix("_type").removesuffix("_inexact").removesuffix("_from_float")
    if what in _KINDS:
        return _KINDS[what]
    message = str(error["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:]
