"""Names that may mean the same person: a *possible* conflict, for people to judge."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from panelist.corpus.names import in_latin, normalise_name, without_titles
from retriever.conference.given_names import DIGRAPHS, may_be_one, short_forms, spelling
from retriever.conference.institution_names import ACRONYM

_WORD = re.compile(r"[^\W\d_]+")
_TITLES = frozenset("dr prof professor phd md sr jr ii iii iv".split())  # noqa: SIM905
_INVISIBLE = ("Cf", "No", "Lm")  # formats, and the superscripts of affiliations


class People:
    """Names of people, found by other forms of them: initials, another order, middle names, transliterations."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self.names = names
        self._by_words: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)  # in ascending order
        # by family name and the first letter of what may be the first name
        self._by_family: defaultdict[tuple[str, str], list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
        for number, name in names.items():
            words = name_words(name)
            self._by_words[tuple(sorted(words))].append(number)
            for family, letter, given in _entries(words):
                self._by_family[family, letter].append((number, given))

    def like(self, name: str) -> list[int]:
        """The numbers of those whose names may be this one, in ascending order."""
        words = name_words(name)
        if len(words) < 3 and all(len(word) == 1 for word in words):  # initials alone
            return []
        same = {*self._by_words.get(tuple(sorted(words)), ())}
        for family, letter, given in _entries(words):
            near = self._by_family.get((family, letter), ()) if len(family) > 1 else ()
            same.update(number for number, other in near if number not in same and _given_fit(given, other))
        return sorted(same)


@lru_cache(maxsize=1 << 14)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a name, given names first, so that "Müller-Lüdenscheidt, J.-P." is as "JP Muller Ludenscheidt"."""
    visible = without_titles(name)
    if not name.isascii():
        visible = "".join(letter for letter in visible if unicodedata.category(letter) not in _INVISIBLE)
    family, comma, given = visible.partition(",")
    if " " in family.strip() and (ACRONYM.fullmatch(given.strip()) or {*_WORD.findall(given.lower())} <= _TITLES):
        comma, visible = "", family  # Jane Doe, MIT; Jane Doe, PhD
    visible = f"{given} {family}" if comma else visible
    words: list[str] = []
    titles: list[str] = []
    for word in _WORD.findall(in_latin(unicodedata.normalize("NFC", visible))):
        plain = normalise_name(word)
        # Capitals in a row are initials, unless the whole name is in capitals: "Doe JA".
        if word.isupper() and len(word) == len(plain) in (2, 3) and not visible.isupper():
            words += [*plain]
        elif plain == "md" and not words:
            words.append("m")  # Mohammad
        elif plain in _TITLES:
            titles.append(plain)
        else:
            words.append(DIGRAPHS.sub(lambda two: two[0][0], plain))
    return tuple(words or titles)


def _arrangements(words: tuple[str, ...]) -> dict[str, list[tuple[str, ...]]]:
    """Given names by family name: a name with the family name last or first, and with its last two words as one.

    A hyphen may be there or not: Xiao-Ming, Xiaoming; al-Khatib, Alkhatib.
    """
    orders = [words, (*words[1:], words[0])] if words else []
    if len(words) > 2:
        first = (words[0] + words[1], *words[2:])
        orders += [(*words[:-2], words[-2] + words[-1]), (*first[1:], first[0])]
    givens: dict[str, list[tuple[str, ...]]] = {}
    for *given, family in orders:
        givens.setdefault(family, []).append(tuple(given))
    return givens


@lru_cache(maxsize=1 << 14)
def _entries(words: tuple[str, ...]) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Under which family name and first letter a name is listed and looked up, with the given names."""
    return tuple(
        (family, letter, given)
        for family, givens in _arrangements(words).items()
        for given in givens
        for letter in sorted(first_letters(given))
    )


def first_letters(given: Sequence[str]) -> set[str]:
    """The letters that given names may begin with, of which those that fit share one; another name may stand first."""
    forms = (spelling(given[0]), *short_forms(given[0])) if given else ()
    return {name[0] for name in (*given[:2], *forms) if name}


def _given_fit(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether given names fit: the first ones do, and those of the shorter list are in the other in their order.

    They also fit where they are the same without gaps, or where one has a further name or initial in front: F. Middle
    Last, First Middle Last, Middle Last.
    """
    if not one or not other:
        return False
    if "".join(one) == "".join(other):
        return True
    for names, others in ((one, other), (other, one)):
        if len(names) > 1 and len(others[0]) > 1 and (names[1] == others[0] or "".join(names[1:]) == "".join(others)):
            return True
    if not may_be_one(one[0], other[0]):
        return False
    shorter, longer = sorted((one[1:], other[1:]), key=len)
    rest = iter(longer)
    return all(any(_fit(name, word) for word in rest) for name in shorter)


def _fit(one: str, other: str) -> bool:
    return one == other or (len(one) == 1 and other.startswith(one)) or (len(other) == 1 and one.startswith(other))


def same_full_name(one: str, other: str) -> bool:
    """Whether two names have the same family name and the same first given name, written out.

    >>> same_full_name("Lovelace, Ada K.", "Ada Lovelace"), same_full_name("A. Lovelace", "Ada Lovelace")
    (True, False)
    """
    mine, theirs = name_words(one), name_words(other)
    if sorted(mine) == sorted(theirs):
        return min(map(len, mine), default=0) > 1
    others = _arrangements(theirs)
    return any(
        given and given[0] == their[0] and len(given[0]) > 1
        for family, givens in _arrangements(mine).items()
        for given in givens
        for their in others.get(family, ())
        if their and len(family) > 1
    )
