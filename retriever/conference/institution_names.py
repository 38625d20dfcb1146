"""Names that may mean the same institution: a *possible* conflict, for people to judge."""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from indexing.tables.affiliations import normalised

_WORD = re.compile(r"[^\W\d_]+")
_PART = re.compile(r"[,;()/|]|\s[-–—]\s")
_DEPARTMENT = re.compile(
    r"(?:the )?(?:department|dept|departement|faculty|school|division|section|unit|chair|institute of|lab|laboratory"
    r"|college of|graduate school|centre for|center for)\b"
)
_SMALL = frozenset("of the and for at in de la le les des du der die das und et di e y on".split())  # noqa: SIM905
ACRONYM = re.compile(r"[A-Z]{3,8}")
"""What may be the short name of an institution."""
_IN_PARENTHESES = re.compile(r"\(([A-Z]{3,8})\)")
_LEAST_TYPO = 10  # letters: shorter names are too often one letter apart
_LEAST_ACRONYM = 3
_REMEMBERED = 10_000  # names of institutions that were looked for


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
            for alike in self._near(normalised(head))
            for number, other in self._heads.get(alike, {}).items()
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

        heads = [name for length in range(len(head) - 1, len(head) + 2) for name in self._by_length.get(length, ())]
        return [name for name, *_ in process.extract(head, heads, scorer=OSA.distance, score_cutoff=1, limit=None)]


def institution_parts(name: str) -> tuple[str, str, tuple[str, ...]]:
    """The institution without departments, what follows it (a campus, a town), and the acronyms that it is called by.

    An acronym is what stands in parentheses, or alone. Others name institutes that share a laboratory, such as CNRS.

    >>> institution_parts("Dept. of Physics, University of California, San Diego (UCSD)")
    ('University of California', 'san diego', ('ucsd',))
    """
    acronyms = _IN_PARENTHESES.findall(name)
    pieces = [piece.strip() for piece in _PART.split(_IN_PARENTHESES.sub(" ", name)) if normalised(piece)]
    names = [piece for piece in pieces if not _DEPARTMENT.match(normalised(piece))] or [name.strip()]
    if ACRONYM.fullmatch(names[0]):
        acronyms.append(names[0])
    tail = " ".join(normalised(piece) for piece in names[1:])
    return names[0], tail, tuple(acronym.lower() for acronym in acronyms)


def _initials(head: str) -> str:
    """The first letters of the words that matter, if there are three or more; else what no name contains."""
    words = [word for word in _WORD.findall(head) if word.lower() not in _SMALL]
    return "".join(word[0] for word in words).lower() if len(words) >= _LEAST_ACRONYM else "\0"
