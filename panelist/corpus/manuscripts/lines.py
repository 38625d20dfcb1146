"""The lines of a manuscript with their places on the page, in reading order."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

MARK = "†"
"""Stands for raised letters and digits in `Line.marked`: the marks of footnotes and affiliations."""

Sure = Literal["high", "fair", "low", "none"]
"""How sure a part is: read by its heading or letters, by its place alone, a guess, or not found."""

_SPACING_ACCENTS = dict(
    zip("´`¨ˆ˜ˇ˚¯˘˙˝", "\u0301\u0300\u0308\u0302\u0303\u030c\u030a\u0304\u0306\u0307\u030b", strict=True)
)
_ACCENTED = re.compile(rf"[ ]?([{''.join(_SPACING_ACCENTS)}])[ ]?([A-Za-zı])")
_STRAY = re.compile(rf" [{''.join(_SPACING_ACCENTS)}](?=[ †,]|$)")  # the accent of a letter elsewhere in the line
_CEDILLA = re.compile(r"([A-Za-z])[ ]?¸")
_DIVIDED = re.compile(r"(?<=[a-z])-\s*\n\s*(?=[a-z])")


class Line(Struct, frozen=True, gc=False):
    """One printed line. A word that the end of a line divides belongs to the first: it ends lower than it begins.

    `marked` is the text with marks, and with a tab where the space is as wide as between columns; it and `font`, name
    and size of the first letter, are of the first pages alone. Places are in points from the lower left corner; `top`
    and `end_top` are those of the first and the last letter.
    """

    text: str
    page: int = 0
    left: float = 0.0
    right: float = 0.0
    top: float = 0.0
    end_top: float = 0.0
    size: float = 10.0
    marked: str = ""
    font: str = ""


def join_fragments(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines, those joined that raised letters divided."""
    previous: Line | None = None
    for line in lines:
        adjacent = previous and previous.page == line.page and -2 < line.left - previous.right < 0.8 * previous.size
        if previous is not None and adjacent and abs(line.top - previous.end_top) < 0.6 * previous.size:
            narrow = line.left - previous.right < 0.15 * previous.size  # capitals and small capitals of one word
            space = "" if narrow or line.text.startswith((",", ".", ";")) else " "
            previous = replace(
                previous,
                text=f"{previous.text}{space}{line.text}",
                marked=f"{previous.marked}{space}{line.marked}",
                right=line.right,
                end_top=line.end_top,
                size=max(previous, line, key=lambda fragment: len(fragment.text)).size,
            )
            continue
        if previous is not None:
            yield previous
        previous = line
    if previous is not None:
        yield previous


def clean_text(text: str) -> str:
    """A text with its accents above their letters, words joined that a line's end divided, and single spaces."""
    text = _STRAY.sub("", text)
    text = _ACCENTED.sub(_accented, _DIVIDED.sub("", text.replace("\x02", "").replace("\x00", " ")))
    text = _CEDILLA.sub(lambda match: unicodedata.normalize("NFC", match[1] + "\u0327"), text)
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _accented(match: re.Match[str]) -> str:
    """The letter with its accent; the space before an accent that stands alone is none of the text: 'At ´omica'."""
    letter = "i" if match[2] == "ı" else match[2]
    joined = unicodedata.normalize("NFC", letter + _SPACING_ACCENTS[match[1]])
    return joined if len(joined) == 1 else match[0]
