"""The words that a submission and a paper share, rarest first: why a lexical search, and a reader, would join them.

Words are compared by stem, and weighed by how rare they are in a sample of the corpus. Two shared words that stand side
by side in both texts are one shared phrase.
"""

from __future__ import annotations

import math
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain, pairwise

import Stemmer

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_REMEMBERED = 100_000  # chunks: some 30 MB
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z]|\d)")

# Function words and the words that every abstract has; what is left out here is merely never shown as an explanation.
_STOP = frozenset(
    """a about above after again against all also although among an and another any are as at be became because been
    before being below between both but by can could did do does doing down during each either et few for from further
    had has have having he her here hers him his how however i if in into is it its itself just may me might more most
    must my nor not of off on once one only or other our out over own per same shall she should since so some such than
    that the their them then there therefore these they this those through thus to too two under until up upon us used
    using very via was we were what when where whereas whether which while who whom whose why will with within without
    would yet you your
    abstract aim analysis analyze approach article based data demonstrate develop different effect evaluate evidence
    examine experiment experimental find finding findings here important improve increase introduce investigate known
    large method methods model models new novel number observe paper present problem propose proposed provide recent
    report research result results review reveal role several show shown significant significantly study studied suggest
    suggests task three time understand understanding use various well work""".split()  # noqa: SIM905
)


class _Chunks(dict[str, tuple[tuple[str, str], ...]]):
    """Texts without blanks to their words and stems, worked out once: reading is most of what an explanation costs."""

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("english", 0)
        self._lock = threading.Lock()  # a stemmer has a buffer of its own

    def __missing__(self, chunk: str) -> tuple[tuple[str, str], ...]:
        read = tuple([(word, self._stem(word.lower())) for word in _WORD.findall(chunk)])
        if len(self) < _REMEMBERED:
            self[chunk] = read
        return read

    def _stem(self, word: str) -> str:
        if len(word) < 2 or word in _STOP or word.isdigit():
            return ""
        with self._lock:
            stem: str = self._stemmer.stemWord(word)
        return stem


_chunks = _Chunks()


def read(text: str) -> list[tuple[str, str]]:
    """The words of a text as they stand in it, each with its stem.

    The stem of stop words, numbers and single characters, which match nothing, is empty.
    """
    return list(chain.from_iterable([_chunks[chunk] for chunk in text.split()]))


class Rarity:
    """How rare each stem is, learned from some texts of the corpus: log((1 + n) / (1 + texts with it)) + 1."""

    def __init__(self, texts: Iterable[str]) -> None:
        frequency: Counter[str] = Counter()
        count = 0
        for text in texts:
            frequency.update({stem for _, stem in read(text)})
            count += 1
        self._frequency, self._count = frequency, count

    def __call__(self, stem: str) -> float:
        """The weight of one stem."""
        return math.log((1 + self._count) / (1 + self._frequency[stem])) + 1


class Query:
    """The words of one submission, prepared to be matched against many papers."""

    def __init__(self, text: str, rarity: Rarity) -> None:
        own = [stem for _, stem in read(text)]
        self._weights = weights = {stem: rarity(stem) for stem in set(own) - {""}}
        # Words and phrases are ranked once, so that matching a paper compares small numbers.
        ranked: list[tuple[float, tuple[str, ...]]] = [(-weight, (stem,)) for stem, weight in weights.items()]
        ranked += [(-weights[a] - weights[b], (a, b)) for a, b in set(pairwise(own)) if a and b]
        ranked.sort()
        self._keys = [key for _, key in ranked]
        self._alone: dict[str, int] = {}
        self._before: dict[str, dict[str, int]] = defaultdict(dict)
        for rank, (stem, *after) in enumerate(self._keys):
            if after:
                self._before[stem][after[0]] = rank
            else:
                self._alone[stem] = rank

    def shared_terms(self, text: str, limit: int = 6) -> tuple[str, ...]:
        """The words and phrases of `text` that the submission has too, as `text` spells them, weightiest first."""
        own = [*read(text), ("", "")]
        alone, before = self._alone, self._before
        places: dict[int, int] = {}
        for place, (_, stem) in enumerate(own):
            if stem in alone:
                rank = alone[stem]
                if stem in before:
                    rank = before[stem].get(own[place + 1][1], rank)
                if rank not in places:
                    places[rank] = place
        chosen: list[str] = []
        said: set[str] = set()
        for rank in sorted(places):
            key = self._keys[rank]
            if not said.issuperset(key):  # a word is said once, in its phrase
                said.update(key)
                chosen.append(" ".join([word for word, _ in own[places[rank] : places[rank] + len(key)]]))
                if len(chosen) == limit:
                    break
        return tuple(chosen)

    def best_sentence(self, text: str) -> str | None:
        """The sentence of `text` that shares the weightiest words with the submission; None where none shares any."""
        best: tuple[float, str] | None = None
        for sentence in _SENTENCE_END.split(text):
            shared = {stem for _, stem in read(sentence)} & self._weights.keys()
            # Long sentences share more by chance: the square root of the length keeps both kinds of sentence in play.
            weight = sum(self._weights[stem] for stem in sorted(shared)) / math.sqrt(len(sentence) + 1)
            if shared and (best is None or weight > best[0]):
                best = (weight, sentence.strip())
        return None if best is None else best[1]
