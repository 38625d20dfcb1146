"""Words of a text, as stems or as numbers of a vocabulary, close to what Lucene's English analysis makes of it.

Lower case, with inner apostrophes and full stops, no possessive 's, none of Lucene's 33 stop words, Porter's stemmer.
"""

import re
from threading import Lock

import Stemmer

STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be but by for if in into is it no not of on or such that the their then there these they "
        "this to was will with",
    )
)
_WORD = re.compile(r"\w+(?:['’.]\w+)*")
_REMEMBERED = 1_000_000


class Stems:
    """Texts as lists of stemmed words. Safe to share between threads.

    It remembers the stem of each word as written, which spares the stemmer nearly all of its work.
    """

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("porter", 0)
        self._lock = Lock()
        self._seen: dict[str, str] = {}  # empty for a stop word

    def read(self, text: str) -> list[str]:
        """The stems of a text's words, as they occur, without stop words."""
        seen, words = self._seen, _WORD.findall(text.lower())
        with self._lock:
            if len(seen) > _REMEMBERED:
                seen = self._seen = {}
            for word in words:
                if word not in seen:
                    plain = word.removesuffix("'s").removesuffix("’s")
                    seen[word] = "" if plain in STOP_WORDS else str(self._stemmer.stemWord(plain))
        return [stem for stem in map(seen.__getitem__, words) if stem]


class Vocabulary:
    """Numbers stemmed words in the order in which they come: `numbers` are theirs."""

    def __init__(self, numbers: dict[str, int] | None = None) -> None:
        self.numbers = {} if numbers is None else numbers
        self._stems = Stems()

    def learn(self, text: str) -> list[int]:
        """The numbers of a text's words, as they occur; new words get new numbers."""
        numbers = self.numbers
        return [numbers.setdefault(stem, len(numbers)) for stem in self._stems.read(text)]

    def read(self, text: str) -> list[int]:
        """The numbers of a text's known words, as they occur."""
        return [self.numbers[stem] for stem in self._stems.read(text) if stem in self.numbers]
