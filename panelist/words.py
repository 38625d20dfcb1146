"""Words for people: numbers of things, and texts of strangers that are safe to show on a terminal."""

import re
from collections.abc import Sequence

_DIRECTORIES = re.compile(r"(?<=')/(?:[^'/]+/)+(?=[^'/]+')|(?<![\w'/:.>])/(?:[^\s'/]+/)+(?=[^\s'/])")
"""Those of a path in quotation marks, and of one without blanks."""
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but for line breaks and tabs, and marks that reorder a line."""


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 paper`, `2,000 papers`; `many` is the plural where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def first_of(entries: Sequence[str], separator: str = ", ", most: int = 5) -> str:
    """The first entries, and a sign that there are more."""
    return separator.join(entries[:most]) + (" …" if len(entries) > most else "")


def without_directories(text: str) -> str:
    """A text that names files, for those who are not to know where these lie."""
    return _DIRECTORIES.sub("", text)


def printable(text: str) -> str:
    """A text without control characters, which a terminal would obey, and without marks that reorder a line."""
    return _UNPRINTABLE.sub("", text)
