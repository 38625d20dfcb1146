"""Names of people, made comparable: the same up to case, accents and spacing."""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = re.compile("[\u0300-\u036f]")  # only these: marks of other scripts tell letters apart
# Letters with a stroke or a ligature, which Unicode does not decompose and keyboards lack.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})


def normalise_name(name: str) -> str:
    """`name` in lower case, without Latin, Greek and Cyrillic accents, with single spaces.

    >>> normalise_name("  Łukasz   KAISER ")
    'lukasz kaiser'
    """
    if not name.isascii():
        name = _ACCENTS.sub("", unicodedata.normalize("NFKD", name.casefold()))
        # Folding may create new compositions, and these letters of the table: compose, then compare.
        name = unicodedata.normalize("NFC", name.casefold()).translate(_PLAIN)
    return " ".join(name.lower().split())


def first_name_first(name: str) -> str:
    """A name that may have the last name first, as catalogues write it, in the usual order.

    >>> first_name_first("Lovelace, Ada, Jr.")
    'Ada Lovelace Jr.'
    """
    last, _, rest = name.partition(",")
    first, _, suffix = rest.partition(",")
    return " ".join(f"{first} {last} {suffix}".split())
