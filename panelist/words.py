"""Words for people: numbers of things, and texts of strangers that are safe to show on a terminal."""

import re
import unicodedata
from collections.abc import Sequence

_DIRECTORIES = re.compile(r"(?<=')/(?:[^'/]+/)+(?=[^'/]+')|(?<![\w'/:.>])/(?:[^\s'/]+/)+(?=[^\s'/])")
"""Those of a path in quotation marks, and of one without blanks."""
_SPACES = {"\n", "\t"}
_REORDERING = {chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}


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
    if text.isprintable():
        return text
    return "".join(
        one for one in text if one in _SPACES or (unicodedata.category(one) != "Cc" and one not in _REORDERING)
    )
