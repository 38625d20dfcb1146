"""Words of a text, as stems or as numbers of a vocabulary, close to what Lucene's English analysis makes of it.

Lower case, inner apostrophes and full stops kept, no possessive 's, none of Lucene's 33 stop words, Porter's stemmer.
"""

from __future__ import annotations

import re
from threading import Lock
from typing import Any

import Stemmer

STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be but by for if in into is it no not of on or such that the their then there these they "
        "this to was will with",
    )
)
_WORD = re.compile(r"\w+(?:['’.]\w+)*")
_NO_NUMBER = -1
_REMEMBERED = 1_000_000


class Stems:
    """Texts as lists of stemmed words. Safe to share between threads."""

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("porter", 0)
        self._lock = Lock()
        self._seen: dict[str, str] = {}

    def read(self, text: str) -> list[str]:
        """The stems of a text's words, as they occur, without stop words."""
        seen, words = self._seen, _WORD.findall(text.lower())
        with self._lock:
            if len(seen) > _REMEMBERED:
                seen = self._seen = {}
            for word in words:
                if word not in seen:
                    seen[word] = _stem(self._stemmer, word)
        return [stem for stem in map(seen.__getitem__, words) if stem]


def _stem(stemmer: Any, word: str) -> str:
    """The stem of a word, empty for a stop word."""
    word = word.removesuffix("'s").removesuffix("’s")
    return "" if word in STOP_WORDS else str(stemmer.stemWord(word))


class Vocabulary:
    """Numbers stemmed words in the order in which they come.

    It remembers what became of each word as written, which spares the stemmer nearly all of its work.

    Attributes:
        numbers: stemmed word -> number.
    """

    def __init__(self, numbers: dict[str, int] | None = None) -> None:
        self.numbers = {} if numbers is None else numbers
        self._stemmer = Stemmer.Stemmer("porter", 0)
        self._seen: dict[str, int] = {}

    def learn(self, text: str) -> list[int]:
        """The numbers of a text's words, as they occur; new words get new numbers."""
        return self._read(text, learn=True)

    def read(self, text: str) -> list[int]:
        """The numbers of a text's known words, as they occur."""
        return self._read(text, learn=False)

    def _read(self, text: str, *, learn: bool) -> list[int]:
        if len(self._seen) > _REMEMBERED:
            self._seen = {}
        seen, words = self._seen, _WORD.findall(text.lower())
        for word in [word for word in words if word not in seen]:
            seen[word] = self._number(word, learn)
        return [number for number in map(seen.__getitem__, words) if number >= 0]

    def _number(self, word: str, learn: bool) -> int:
        if not (stem := _stem(self._stemmer, word)):
            return _NO_NUMBER
        return self.numbers.setdefault(stem, len(self.numbers)) if learn else self.numbers.get(stem, _NO_NUMBER)
