"""Names that may mean the same person or institution: a *possible* conflict, for people to judge."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from anyascii import anyascii

from indexing.tables.affiliations import normalised
from panelist.corpus.names import normalise_name

_WORD = re.compile(r"[^\W\d_]+")
_TITLES = frozenset("dr prof professor phd md sr jr ii iii iv".split())  # noqa: SIM905
_INVISIBLE = ("Cf", "No", "Lm")  # formats, and the superscripts of affiliations
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa"})
_DIGRAPHS = re.compile("ae|oe|ue|aa")

_SYLLABLES = re.compile(r"[\u3400-\u9fff\uac00-\ud7a3]")  # characters of Chinese and Korean names: 王小明
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1dff\u2c00-\ufaff]+")

_PART = re.compile(r"[,;()/|]|\s[-–—]\s")
_DEPARTMENT = re.compile(
    r"(?:the )?(?:department|dept|departement|faculty|school|division|section|unit|chair|institute of|lab|laboratory"
    r"|college of|graduate school|centre for|center for)\b"
)
_SMALL = frozenset("of the and for at in de la le les des du der die das und et di e y on".split())  # noqa: SIM905
_ACRONYM = re.compile(r"[A-Z]{3,8}")
_IN_PARENTHESES = re.compile(r"\(([A-Z]{3,8})\)")
_LEAST_TYPO = 10  # letters: shorter names are too often one letter apart
_LEAST_ACRONYM = 3
_REMEMBERED = 10_000  # names of institutions that were looked for


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
            for family, givens in _arrangements(words).items():
                for given in givens:
                    for letter in _first_letters(given):
                        self._by_family[family, letter].append((number, given))

    def like(self, name: str) -> list[int]:
        """The numbers of those whose names may be this one, in ascending order."""
        words = name_words(name)
        if len(words) < 3 and max(map(len, words), default=0) < 2:  # initials alone
            return []
        same = {*self._by_words.get(tuple(sorted(words)), ())}
        for family, givens in _arrangements(words).items():
            for given in givens if len(family) > 1 else ():
                for letter in _first_letters(given):
                    near = self._by_family.get((family, letter), ())
                    same.update(number for number, other in near if number not in same and _given_fit(given, other))
        return sorted(same)


def openreview_name(name: str) -> str:
    """The name in an id of OpenReview, `~First_Last1`, for possible conflicts only; any other name as it is."""
    return name[1:].rstrip("0123456789").replace("_", " ") if name.startswith("~") else name


@lru_cache(maxsize=1 << 14)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a name, given names first, so that "Müller-Lüdenscheidt, J.-P." is as "JP Muller Ludenscheidt"."""
    visible = name.replace("-", " ")
    if not name.isascii():
        kinds = [(unicodedata.category(character), character) for character in visible]
        visible = "".join(" " if kind == "Pd" else character for kind, character in kinds if kind not in _INVISIBLE)
    family, comma, given = visible.partition(",")
    if " " in family.strip() and (_ACRONYM.fullmatch(given.strip()) or {*_WORD.findall(given.lower())} <= _TITLES):
        comma, visible = "", family  # Jane Doe, MIT; Jane Doe, PhD
    visible = f"{given} {family}" if comma else visible
    words: list[str] = []
    titles: list[str] = []
    for word in _WORD.findall(_in_latin(unicodedata.normalize("NFC", visible))):
        plain = normalise_name(word.lower().translate(_UMLAUTS))
        # Capitals in a row are initials, unless the whole name is in capitals: "Doe JA".
        if word.isupper() and len(word) == len(plain) in (2, 3) and not visible.isupper():
            words += [*plain]
        elif plain == "md" and not words:
            words.append("m")  # Mohammad
        elif plain in _TITLES:
            titles.append(plain)
        else:
            words.append(_DIGRAPHS.sub(lambda two: two[0][0], plain))
    return tuple(words or titles)


def _in_latin(name: str) -> str:
    """A name in Latin letters: 王小明 is Wang Xiao Ming, Иван Петров is Ivan Petrov."""
    if name.isascii():
        return name
    spaced = _SYLLABLES.sub(lambda character: f" {character[0]} ", name)
    return _OTHER_SCRIPT.sub(lambda letters: anyascii(letters[0]), spaced)


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


def _first_letters(given: Sequence[str]) -> set[str]:
    """The letters that given names may begin with: those that fit share one."""
    return {name[0] for name in given[: 2 if given and len(given[0]) == 1 else 1]}


def _given_fit(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether given names fit: the first ones do, and those of the shorter list are in the other in their order.

    They also fit where they are the same without gaps, or where one has a further initial in front: F. Middle Last.
    """
    if not one or not other:
        return False
    if "".join(one) == "".join(other):
        return True
    for names, others in ((one, other), (other, one)):
        if len(names) > 1 and len(names[0]) == 1 and len(others[0]) > 1 and names[1] == others[0]:
            return True
    if not _fit(one[0], other[0]):
        return False
    shorter, longer = sorted((one[1:], other[1:]), key=len)
    rest = iter(longer)
    return all(any(_fit(name, each) for each in rest) for name in shorter)


def _fit(one: str, other: str) -> bool:
    return one == other or (len(one) == 1 and other.startswith(one)) or (len(other) == 1 and one.startswith(other))


class InstitutionNames:
    """Names of institutions, found by other forms of them: acronyms, departments in front, a wrong letter."""

    def __init__(self, names: Iterable[tuple[int, str]]) -> None:
        """Of (name number, name)."""
        self._heads: defaultdict[str, dict[int, str]] = defaultdict(dict)  # head -> name number -> tail
        self._initials: defaultdict[str, set[int]] = defaultdict(set)
        self._acronyms: defaultdict[str, set[int]] = defaultdict(set)
        for number, name in names:
            head, tail, acronyms = institution_parts(name)
            self._heads[normalised(head)][number] = tail
            self._initials[_initials(head)].add(number)
            for acronym in acronyms:
                self._acronyms[acronym].add(number)
        self._by_length: defaultdict[int, list[str]] = defaultdict(list)
        for head in self._heads:
            self._by_length[len(head)].append(head)
        self.like = lru_cache(maxsize=_REMEMBERED)(self._find)

    def _find(self, name: str) -> frozenset[int]:
        """The numbers of the names that may mean the same institution."""
        head, tail, acronyms = institution_parts(name)
        numbers = {
            number
            for each in self._near(normalised(head))
            for number, other in self._heads.get(each, {}).items()
            if tail == other or not tail or not other
        }
        for acronym in acronyms:
            numbers |= self._initials.get(acronym, set()) | self._acronyms.get(acronym, set())
        return frozenset(numbers | self._acronyms.get(_initials(head), set()))

    def _near(self, head: str) -> list[str]:
        """The heads that are this one, or one letter or two letters in the wrong order away from it."""
        if len(head) < _LEAST_TYPO:
            return [head]
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        others = [name for length in range(len(head) - 1, len(head) + 2) for name in self._by_length.get(length, ())]
        return [name for name, *_ in process.extract(head, others, scorer=OSA.distance, score_cutoff=1, limit=None)]


def institution_parts(name: str) -> tuple[str, str, tuple[str, ...]]:
    """The institution without departments, what follows it (a campus, a town), and the acronyms that it is called by.

    An acronym is what stands in parentheses, or alone. Others name institutes that share a laboratory, such as CNRS.

    >>> institution_parts("Dept. of Physics, University of California, San Diego (UCSD)")
    ('University of California', 'san diego', ('ucsd',))
    """
    acronyms = _IN_PARENTHESES.findall(name)
    parts = [part.strip() for part in _PART.split(_IN_PARENTHESES.sub(" ", name)) if normalised(part)]
    whole = [part for part in parts if not _DEPARTMENT.match(normalised(part))] or [name.strip()]
    if _ACRONYM.fullmatch(whole[0]):
        acronyms.append(whole[0])
    tail = " ".join(normalised(part) for part in whole[1:])
    return whole[0], tail, tuple(acronym.lower() for acronym in acronyms)


def _initials(part: str) -> str:
    """The first letters of the words that matter, if there are three or more; else what no name contains."""
    words = [word for word in _WORD.findall(part) if word.lower() not in _SMALL]
    return "".join(word[0] for word in words).lower() if len(words) >= _LEAST_ACRONYM else "\0"
