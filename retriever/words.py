"""The words of a text and their stems, worked out once for each chunk, that is for what stands between blanks."""

from __future__ import annotations

import re
import threading
from itertools import chain

import Stemmer

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_REMEMBERED = 100_000  # chunks: some 30 MB where words are parted by blanks

Word = tuple[str, str]
"""A word as it stands in a text, and its stem, which is empty for what matches nothing."""

_NO_WORD = ("", "")

# Function words and the words that every abstract has; what is left out here is merely never shown as an explanation.
_STOP = frozenset(
    """a about above after again against all also although among an and another any are as at be became because been
    before being below between both but by can could did do does doing down during each either et few for from
    further had has have having he her here hers him his how however i if in into is it its itself just may me
    might more most must my no nor not of off on once one only or other our out over own per same shall she
    should since so some such than that the their them then there therefore these they this those through thus
    to too two under until up upon us used using very via was we were what when where whereas whether which
    while who whom whose why will with within without would yet you your
    abstract aim analysis analyze approach article based data demonstrate develop different effect evaluate evidence
    examine experiment experimental find finding findings here important improve increase introduce investigate known
    large method methods model models new novel number observe paper present problem propose proposed provide recent
    report research result results review reveal role several show shown significant significantly study studied suggest
    suggests task three time understand understanding use various well work""".split()  # noqa: SIM905
)


class _Lexicon(dict[bytes, tuple[Word, ...]]):
    """Chunks to their words: stemming is slow."""

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("english", 0)
        self._lock = threading.Lock()  # a stemmer has a buffer of its own

    def __missing__(self, chunk: bytes) -> tuple[Word, ...]:
        words = tuple([(word, self._stem(word.lower())) for word in _WORD.findall(chunk.decode())]) or (_NO_WORD,)
        if len(self) >= _REMEMBERED:
            self.clear()
        self[chunk] = words
        return words

    def _stem(self, word: str) -> str:
        if len(word) < 2 or word in _STOP or word.isdigit():
            return ""
        with self._lock:
            stem: str = self._stemmer.stemWord(word)
        return stem


_lexicon = _Lexicon()


def words_of(chunk: bytes) -> tuple[Word, ...]:
    """The words of a chunk of UTF-8, at least one: a dash between blanks is an empty one, which parts its neighbours.

    The stem of stop words, numbers and single characters, which match nothing, is empty.
    """
    return _lexicon[chunk]


def read(text: str) -> list[Word]:
    """The words of a text as they stand in it, each with its stem."""
    return list(chain.from_iterable(map(_lexicon.__getitem__, text.encode().split())))
