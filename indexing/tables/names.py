"""What papers and people are called: the forms by which a reference list means a paper, and the names of authors.

A paper is found by hashes of its id, its DOI and its title. An author is found by the hash of surname and first
initial, which is what most lists print; second initial and first given name must agree where both sides have them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from indexing.tables.arrays import Table
from indexing.tables.ownership import gather_ranges
from indexing.tables.references import key_hashes
from panelist.corpus.names import SYLLABLES, in_latin, normalise_name, without_titles
from panelist.corpus.reference_keys import doi_key, title_key
from panelist.records import Paper

FORMS = 3
"""Forms of a paper: id, DOI, title."""

_LEAST_TITLE = len("title:") + 20  # shorter titles are of many papers
_SEPARATORS = re.compile(r"[\s.\-‐-―]+")
_SUFFIXES = frozenset("jr sr ii iii iv phd md".split())  # noqa: SIM905
_UNKNOWN = ("", 0, 0)


class NameCode(NamedTuple):
    """A name as it is compared: `key` is surname and first initial; second initial and given name are 0 if unknown."""

    key: str
    second: int
    given: int


def paper_forms(papers: Sequence[Paper]) -> NDArray[np.uint64]:
    """(papers, forms) the hashes of the forms of each paper, 0 for those that it has not."""
    keys: list[str] = []
    for paper in papers:
        title = title_key(paper.title)
        keys += [paper.id, doi_key(paper.doi) if paper.doi else "", title if len(title) >= _LEAST_TITLE else ""]
    hashes = key_hashes(keys)
    hashes[[not key for key in keys]] = 0
    return hashes.reshape(-1, FORMS)


@lru_cache(maxsize=1 << 16)
def name_code(name: str) -> NameCode:
    """The code of a name in any usual form; its key is empty where there is no surname with an initial.

    >>> name_code("Ho, Valerie C.") == name_code("Valerie C Ho"), name_code("Ho VC").key, name_code("VC Ho").key
    (True, 'v ho', 'v ho')
    """
    bare = without_titles(name)
    if SYLLABLES.fullmatch(native := bare.replace(" ", "")):  # 王小明, the family name first
        bare = f"{in_latin(native[1:]).replace(' ', '')} {native[0]}"
    family, comma, given_names = in_latin(bare).partition(",")
    name = f"{given_names} {family}" if comma and given_names.strip(" .").lower() not in _SUFFIXES else family
    words = [word for word in _SEPARATORS.split(name if name.isascii() else _plain(name)) if word]
    while len(words) > 2 and words[-1].lower() in _SUFFIXES:
        words.pop()
    if len(words) < 2:
        return NameCode(*_UNKNOWN)
    shouted = all(word.isupper() for word in words)
    if _are_initials(words[-1], shouted) and not _are_initials(words[0], shouted):  # "Ho VC"
        words = [words[-1], *words[:-1]]
    *forenames, last = words
    if len(last) == 1 and len(forenames[-1]) == 1:
        return NameCode(*_UNKNOWN)
    forename, surname = forenames[0], normalise_name(last)
    for letters, letter in (("ae", "a"), ("oe", "o"), ("ue", "u")):  # Mueller, Müller
        surname = surname.replace(letters, letter)
    second, given = forenames[1][:1] if len(forenames) > 1 else "", 0
    if _are_initials(forename, shouted):
        second = forename[1:2] or second
    else:
        given = crc32(forename.lower().encode()) | 1
    return NameCode(f"{forename[0].lower()} {surname}", ord(second.lower()) & 0xFF if second else 0, given)


def key_code(key: str) -> NameCode:
    """The code by which an author is found who has this identity key; only its hash is stored."""
    return NameCode(f"{'email' if '@' in key else 'id'} {key}", 0, 0)


def _are_initials(word: str, shouted: bool) -> bool:
    return len(word) == 1 or (len(word) <= 3 and word.isupper() and not shouted)


def _plain(name: str) -> str:
    """A name without accents, its capitals as they are."""
    return "".join(map(_plain_letter, unicodedata.normalize("NFC", name)))


@lru_cache(maxsize=1 << 12)
def _plain_letter(letter: str) -> str:
    plain = letter if letter.isascii() or letter.isspace() else normalise_name(letter)
    return plain.upper() if letter.isupper() else plain


@dataclass(frozen=True, slots=True)
class Names(Table):
    """Forms of papers and names of authors."""

    forms: NDArray[np.uint64]  # (units, forms) 0 for tombstones and forms that a paper has not
    form_order: NDArray[np.int32]  # the positions of all forms, unit after unit, in the order of the hashes
    hashes: NDArray[np.uint64]  # (names) ascending: of the keys of `NameCode`; an author has as many as are on papers
    authors: NDArray[np.int32]  # (names) whose name it is
    seconds: NDArray[np.uint8]  # (names) the second initial
    givens: NDArray[np.uint32]  # (names) the first given name

    def papers(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The unit that each hash of a key means; -1 for none, and where several papers have the same title."""
        flat = self.forms.reshape(-1)
        units = np.full(len(hashes), -1, dtype=np.int64)
        if len(flat) == 0:
            return units
        starts = np.searchsorted(flat, hashes, sorter=self.form_order)
        entries, followers = (self.form_order[np.minimum(starts + step, len(flat) - 1)] for step in (0, 1))
        unique = (flat[entries] == hashes) & ((flat[followers] != hashes) | (starts == len(flat) - 1))
        units[unique] = entries[unique] // FORMS
        return units

    def people(self, codes: Sequence[NameCode]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Every (row in `codes`, author whose name may be this one), row by row, each pair once."""
        hashes = key_hashes([code.key or "\x01" for code in codes])
        starts, ends = (np.searchsorted(self.hashes, hashes, side) for side in ("left", "right"))
        rows, positions = np.repeat(np.arange(len(codes)), ends - starts), gather_ranges(starts, ends - starts)
        fits = np.ones(len(positions), dtype=np.bool_)
        for column, values in (
            (self.seconds, np.array([code.second for code in codes], np.uint8)),
            (self.givens, np.array([code.given for code in codes], np.uint32)),
        ):
            stored, searched = column[positions], values[rows]
            fits &= (stored == searched) | (stored == 0) | (searched == 0)
        pairs = np.unique(rows[fits] * (1 << 32) + self.authors[positions[fits]])
        return pairs >> 32, pairs & 0xFFFFFFFF
