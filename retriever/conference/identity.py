"""Identity keys: whether two ids of people or institutions mean the same one.

Ids stay opaque and as they are given. Only conflicts of interest compare them by their keys: an ORCID, a ROR or an
OpenAlex id is the same with http or https, as an address or bare, in capitals or not, with or without a final slash.
"""

import re
import unicodedata
from functools import lru_cache

_ORCID = re.compile(r"(?:https?://(?:www\.)?orcid\.org/|orcid:)?(\d{4}-\d{4}-\d{4}-\d{3}[\dx]|\d{15}[\dx])/?", re.I)
_ROR = re.compile(r"(?:https?://(?:www\.)?ror\.org/|ror:)?(0[a-z0-9]{6}\d{2})/?", re.I)
_EMAIL = re.compile(r"(?:mailto:)?([^\s@<>,;:]+@[^\s@<>,;:]+\.[^\s@<>,;:]+)", re.I)
_OPENREVIEW = re.compile(r"(?:https?://(?:www\.)?openreview\.net/profile\?id=)?(~\S+)")
_OPENALEX = re.compile(
    r"(?:https?://(?:(?:www|api|explore)\.)?openalex\.org/(?:(?:authors|people|institutions)/)?|openalex:)([ai]\d+)/?"
    r"|([ai]\d{8,})/?",  # bare only where it is as long as such ids are
    re.I,
)


@lru_cache(maxsize=1 << 16)  # the same ids are compared for every submission
def identity_key(given: str) -> str | None:
    """The key of an ORCID, ROR, OpenAlex or OpenReview id, or e-mail address, in any of its forms; None for others.

    >>> identity_key("http://ORCID.org/0000-0002-1825-0097/")
    'orcid:0000-0002-1825-0097'
    """
    text = given.strip()
    if match := _ORCID.fullmatch(text):
        digits = match[1].replace("-", "").upper()
        if _is_valid(digits):
            return f"orcid:{digits[:4]}-{digits[4:8]}-{digits[8:12]}-{digits[12:]}"
    if match := _OPENALEX.fullmatch(text):
        return f"openalex:{(match[1] or match[2]).upper()}"
    if match := _ROR.fullmatch(text):
        return f"ror:{match[1].lower()}"
    if match := _EMAIL.fullmatch(text):
        return match[1].casefold()
    if match := _OPENREVIEW.fullmatch(text):
        return unicodedata.normalize("NFC", match[1]).casefold()
    return None


def is_wrong_orcid(given: str) -> bool:
    """Whether this is written as an ORCID, but its check digit is wrong: it identifies nobody."""
    match = _ORCID.fullmatch(given.strip())
    return match is not None and "-" in match[1] and not _is_valid(match[1].replace("-", "").upper())


def comparable(given: str) -> str:
    """What an id is compared by: its identity key, or the id itself where it has none."""
    return identity_key(given) or given


@lru_cache(maxsize=1 << 12)  # asked for three times in a look-up
def spellings(given: str) -> tuple[str, ...]:
    """An id in all the forms in which others may have written it, the given one first."""
    key = identity_key(given)
    if key is None:
        return (given,)
    kind, colon, rest = key.partition(":")
    if not colon:  # an e-mail address or an id of OpenReview is its own key
        return tuple(dict.fromkeys([given, key]))
    hosts = [f"https://{kind}.org/", "", f"http://{kind}.org/", f"https://www.{kind}.org/", f"{kind}:"]
    bares = dict.fromkeys([rest, rest.lower(), rest.upper(), rest.replace("-", "")])
    forms = [f"{host}{bare}" for bare in bares for host in hosts]
    slashed = [f"{form}/" for form in forms]
    return tuple(dict.fromkeys([given, *(form for form in forms + slashed if identity_key(form) == key)]))


def _is_valid(digits: str) -> bool:
    """Whether the last of the 16 characters of an ORCID is the check digit of the others (ISO 7064, 11-2)."""
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return digits[-1] == ("X" if check == 10 else str(check))
