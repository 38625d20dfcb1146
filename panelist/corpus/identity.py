"""Identity keys: whether two ids of people or institutions mean the same one.

Ids stay opaque and as they are given. Only conflicts of interest compare them by their keys: an ORCID, a ROR or an
OpenAlex id is the same with http or https, as an address or bare, in capitals or not, with or without a final slash.
"""

import re
import unicodedata
from collections.abc import Set as AbstractSet
from functools import lru_cache
from urllib.parse import unquote

_SITE = r"(?:https?:)?(?:/{2})?(?:www\.)?"
_ORCID = re.compile(rf"(?:{_SITE}orcid\.org/|orcid:\s*)?(\d{{4}}-\d{{4}}-\d{{4}}-\d{{3}}[\dx]|\d{{15}}[\dx])/?", re.I)
_ROR = re.compile(rf"(?:{_SITE}ror\.org/|ror:)?(0[a-z0-9]{{6}}\d{{2}})/?", re.I)
_EMAIL = re.compile(r"(?:[^<>@]*<)?(?:mailto:)?([^\s@<>,;:|/]+@[^\s@<>,;:|/]+\.[^\s@<>,;:|/]+)>?", re.I)
_OPENREVIEW = re.compile(rf"(?:{_SITE}openreview\.net/profile\?id=)?(~[^\s&#]+)(?:[&#]\S*)?", re.I)
_OPENALEX = re.compile(
    r"(?:(?:https?:)?(?:/{2})?(?:(?:www|api|explore)\.)?openalex\.org/(?:(?:authors|people|institutions)/)?|openalex:)?"
    r"([ai]\d+)/?",
    re.I,
)
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"))
_BETWEEN = re.compile(r"[\s,;|/]+")


@lru_cache(maxsize=1 << 16)  # the same ids are compared for every submission
def identity_key(entry: str) -> str | None:
    """The key of an ORCID, ROR, OpenAlex or OpenReview id, or e-mail address, in any of its forms; None for others.

    >>> identity_key("http://ORCID.org/0000-0002-1825-0097/"), identity_key("Ada Lovelace <Ada@turin.it>")
    ('orcid:0000-0002-1825-0097', 'ada@turin.it')
    """
    text = _plain(entry)
    if match := _ORCID.fullmatch(text):
        digits = match[1].replace("-", "").upper()
        if _is_valid(digits):
            return f"orcid:{digits[:4]}-{digits[4:8]}-{digits[8:12]}-{digits[12:]}"
    if match := _OPENALEX.fullmatch(text):
        return f"openalex:{match[1].upper()}"
    if match := _ROR.fullmatch(text):
        return f"ror:{match[1].lower()}"
    if match := _EMAIL.fullmatch(text) or _OPENREVIEW.fullmatch(text):
        return match[1].casefold()
    return None


def identity_keys(entry: str) -> tuple[str, ...]:
    """What an entry is compared by: each of the e-mail addresses in it, or where it has none one key.

    >>> identity_keys("ada@turin.it; lovelace@home.uk;")
    ('ada@turin.it', 'lovelace@home.uk')
    """
    keys = [key for piece in _BETWEEN.split(entry) if "@" in piece and (key := identity_key(piece))]
    return tuple(dict.fromkeys(keys)) or (comparable(entry),)


def is_named(entry: str, keys: AbstractSet[str]) -> bool:
    """Whether an id, an ORCID or an address in any form is one of these keys, which are as they are compared."""
    return not keys.isdisjoint(identity_keys(entry))


def is_wrong_orcid(entry: str) -> bool:
    """Whether this is written as an ORCID, but its check digit is wrong: it identifies nobody."""
    match = _ORCID.fullmatch(_plain(entry))
    return match is not None and "-" in match[1] and not _is_valid(match[1].replace("-", "").upper())


def comparable(entry: str) -> str:
    """What an id is compared by: its identity key, or where it has none the id without regard to case and coding."""
    return identity_key(entry) or _plain(entry).casefold() or entry


@lru_cache(maxsize=1 << 12)  # asked for three times in a look-up
def spellings(entry: str) -> tuple[str, ...]:
    """An id in all the forms in which others may have written it, the given one first."""
    key = identity_key(entry)
    if key is None:
        plain = _plain(entry)
        composed = [unicodedata.normalize(form, plain) for form in ("NFC", "NFD")]
        return tuple(dict.fromkeys([entry, *composed, plain.casefold(), plain.upper()]))
    kind, colon, number = key.partition(":")
    if not colon:  # an e-mail address or an id of OpenReview is its own key
        return tuple(dict.fromkeys([entry, key]))
    hosts = [f"https://{kind}.org/", "", f"http://{kind}.org/", f"https://www.{kind}.org/", f"{kind}:"]
    bares = dict.fromkeys([number, number.lower(), number.upper(), number.replace("-", "")])
    forms = [f"{host}{bare}" for bare in bares for host in hosts]
    slashed = [f"{form}/" for form in forms]
    return tuple(dict.fromkeys([entry, *(form for form in forms + slashed if identity_key(form) == key)]))


def _plain(entry: str) -> str:
    """An id as it was meant: without invisible characters and escapes of addresses, with one kind of hyphen."""
    text = entry.strip()
    if "%" in text and "://" in text:
        text = unquote(text)
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text)
    return "".join(letter for letter in text if unicodedata.category(letter) != "Cf").translate(_DASHES).strip()


def _is_valid(digits: str) -> bool:
    """Whether the last of the 16 characters of an ORCID is the check digit of the others (ISO 7064, 11-2)."""
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return digits[-1] == ("X" if check == 10 else str(check))
