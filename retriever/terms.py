"""The words that a submission and a paper share, by weight: why a search, and a reader, would connect them.

Words are compared by stem. A word weighs its rarity in a sample of the corpus times √(how often the submission says
it), where the title counts three times: topics are repeated, "maintaining" and "best" are not, however rare they are.
What weighs little is not shown at all. Two words side by side in both texts are one phrase.

Texts are read as bytes. A chunk is what stands between blanks; only chunks that are new are split into words and
stemmed in Python. Kernels then find terms among the numbers of stems, and only what is shown is spelled.
"""

import math
import re
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, islice
from typing import Any

import numpy as np
import Stemmer
from numpy.typing import DTypeLike, NDArray

from indexing.text import Text

IN_TITLE = 3
"""How often a word of the title counts."""

TELLING = 0.7
"""What a word has to weigh to be shown, as a share of the highest rarity there is."""

TELLING_PHRASE = 1.5 * TELLING
"""The same, for both words of a phrase together."""

SHOWN = 6
"""The most terms that are shown of a paper."""

Word = tuple[str, str]
"""A word as it is spelled in a text, and its stem, which is empty for what matches nothing."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NO_WORD = ("", "")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z]|\d)")
_LEAST_SAMPLE = 100  # texts: what fewer say of rarity is chance
_REMEMBERED_WORDS = 100_000  # chunks: some 30 MB where words are separated by blanks
_REMEMBERED = 200_000  # chunks: some 40 MB

# Function words and the words that every abstract has; they are never shown as an explanation.
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
    suggests task three time understand understanding use various well work
    direct directly explain explained explains general generally lead leading leads led likely mainly mean means
    particularly potential potentially related relative relatively relating relates similar similarly""".split()  # noqa: SIM905
)

# Words that say nothing of a topic in any of their forms: "adds" and "adding" are no more evidence than "add".
_EMPTY = """able add allow alone already always appear apply around become begin believe best better bring call clear
    common compare complete consider consist contain contrast correspond current define demonstrate depend describe
    despite determine detail early easy enable end enough essential establish even ever every exist extend far first
    focus follow full fully give go good great greatly hence help high highly identify include indeed indicate instead
    involve keep key know lack largely last latter least less like little long look low main major make many much near
    need never next obtain occur often overall part particular perform play possible previous previously produce put
    rather reach recently remain remarkable require respectively second see seem simple simply single small special
    specific still strong strongly substantial take tend therefore think third though together toward towards try turn
    typically unclear unknown unlike useful usually vary want way whole wide widely""".split()  # noqa: SIM905


class _Lexicon(dict[bytes, tuple[Word, ...]]):
    """Chunks to their words: stemming is slow."""

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("english", 0)
        self._lock = threading.Lock()  # a stemmer has a buffer of its own
        self._empty = frozenset(self._stemmer.stemWords(_EMPTY))

    def __missing__(self, chunk: bytes) -> tuple[Word, ...]:
        words = tuple([(word, self._stem(word.lower())) for word in _WORD.findall(chunk.decode())]) or (_NO_WORD,)
        if len(self) >= _REMEMBERED_WORDS:
            self.clear()
        self[chunk] = words
        return words

    def _stem(self, word: str) -> str:
        if len(word) < 2 or word in _STOP or word.isdigit():
            return ""
        with self._lock:
            stem: str = self._stemmer.stemWord(word)
        return "" if stem in self._empty else stem


_lexicon = _Lexicon()


def read(text: str) -> list[Word]:
    """The words of a text, each with its stem; a dash between blanks is an empty word, which separates its neighbours.

    The stem of stop words, numbers and single characters, which match nothing, is empty.
    """
    return list(chain.from_iterable(map(_lexicon.__getitem__, text.encode().split())))


class Rarity(dict[str, float]):
    """How rare each stem is, learned from some texts of the corpus: log((1 + n) / (1 + texts with it)) + 1."""

    def __init__(self, texts: Iterable[str]) -> None:
        frequency: Counter[str] = Counter()
        texts_read = 0
        for text in texts:
            frequency.update({stem for _, stem in read(text)})
            texts_read += 1
        size = 1 + max(texts_read, _LEAST_SAMPLE)
        super().__init__({stem: math.log(size / (1 + times)) + 1 for stem, times in frequency.items()})
        self.highest = math.log(size) + 1

    def __missing__(self, stem: str) -> float:
        return self.highest


def word_weights(text: Text, rarity: Rarity) -> dict[str, float]:
    """What each stem of a submission weighs."""
    title, abstract = ([stem for _, stem in read(part)] for part in (text.title, text.abstract))
    counts = Counter(title * IN_TITLE + abstract)
    del counts[""]
    return {stem: rarity[stem] * math.sqrt(times) for stem, times in counts.items()}


def best_sentence(weights: dict[str, float], *texts: str) -> str | None:
    """The sentence that shares the weightiest words with a submission; None where none shares any.

    No sentence begins in one of the texts, as a title and an abstract, and ends in another.
    """
    best: tuple[float, str] | None = None
    for sentence in chain.from_iterable(map(_SENTENCE_END.split, texts)):
        shared = {stem for _, stem in read(sentence)} & weights.keys()
        # Long sentences share more by chance: the square root of the length keeps both kinds of sentence in play.
        weight = sum(weights[stem] for stem in sorted(shared)) / math.sqrt(len(sentence) + 1)
        if shared and (best is None or weight > best[0]):
            best = (weight, sentence.strip())
    return None if best is None else best[1]


class TermFinder:
    """Finds the terms that papers share with submissions. Safe to share between threads, which take turns."""

    def __init__(self, rarity: Rarity) -> None:
        self._rarity = rarity
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        from retriever.kernels.terms import FREE, NO_STEM

        self._words: list[tuple[Word, ...]] = []  # of each chunk
        self._hashes = _Column(np.uint64)  # of each chunk
        self._table = np.full(1 << 12, FREE)  # chunks, in the slots that their hashes point to, or behind
        self._starts = _Column(np.int64, [0])  # where the stems of each chunk begin and end
        self._stems = _Column(np.int32)  # of all words of all chunks
        self._numbers = {"": NO_STEM}  # of stems
        self._rarities = _Column(np.float64, [0.0])  # of stems

    def shared_terms(self, submission: Text, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """The telling words and phrases of each text that the submission has too, as the text spells them."""
        from retriever.kernels.terms import rank_terms, shared_terms, words_of_chunks

        with self._lock:
            if len(self._words) > _REMEMBERED:
                self._forget()
            chunks, cuts = self._read([submission.title, submission.abstract, *texts])
            stems, owners, turns, ends = words_of_chunks(chunks, cuts, self._starts.values, self._stems.values)
            highest = self._rarity.highest
            terms = rank_terms(
                *(stems[: ends[1]], stems[ends[1] : ends[2]], self._rarities.values),
                *(IN_TITLE, TELLING * highest, TELLING_PHRASE * highest),
            )
            positions, phrases, counts = shared_terms(stems, ends[2:], *terms, SHOWN)
            words = self._spelled(owners[positions], turns[positions])
            after = positions[phrases] + 1
            seconds = iter(self._spelled(owners[after], turns[after]))
        spelled = (
            f"{word} {next(seconds)}" if phrase else word for word, phrase in zip(words, phrases.tolist(), strict=True)
        )
        return [tuple(islice(spelled, count)) for count in counts.tolist()]

    def _spelled(self, owners: NDArray[np.int32], turns: NDArray[np.int32]) -> list[str]:
        """Words of these chunks, by their turn in the chunk, as the text spells them."""
        return [self._words[owner][turn][0] for owner, turn in zip(owners.tolist(), turns.tolist(), strict=True)]

    def _read(self, texts: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The numbers of all chunks of these texts, and where those of each begin and end."""
        from retriever.kernels.terms import NONE, cut_chunks, find_chunks

        encoded = [text.encode() for text in texts]
        blob = b" ".join(encoded)
        ends = np.fromiter(accumulate([len(text) + 1 for text in encoded]), np.int64, len(encoded))
        hashes, begins, stops, cuts = cut_chunks(np.frombuffer(blob, np.uint8), ends)
        chunks, missing = find_chunks(self._table, hashes)
        if missing:
            unknown = np.flatnonzero(chunks == NONE)
            _, first, which = np.unique(hashes[unknown], return_index=True, return_inverse=True)
            known = len(self._words)
            new = unknown[first]
            self._learn(
                [blob[a:b] for a, b in zip(begins[new].tolist(), stops[new].tolist(), strict=True)], hashes[new]
            )
            chunks[unknown] = known + which
        return chunks, cuts

    def _learn(self, chunks: list[bytes], hashes: NDArray[np.uint64]) -> None:
        """Add chunks that are not known, with these hashes."""
        from retriever.kernels.terms import FREE, insert_chunks

        words = [_lexicon[chunk] for chunk in chunks]
        stems = [stem for own in words for _, stem in own]
        new = [stem for stem in dict.fromkeys(stems) if stem not in self._numbers]
        self._numbers.update(zip(new, range(len(self._numbers), len(self._numbers) + len(new)), strict=True))
        self._rarities.extend([self._rarity[stem] for stem in new])
        self._starts.extend(len(self._stems.values) + np.cumsum([len(own) for own in words]))
        self._stems.extend([self._numbers[stem] for stem in stems])
        first = len(self._words)
        self._words += words
        self._hashes.extend(hashes)
        if 2 * len(self._words) > len(self._table):
            self._table = np.full(1 << (4 * len(self._words)).bit_length(), FREE)
            first = 0
        insert_chunks(self._table, self._hashes.values, first)


class _Column:
    """An array with room to grow."""

    def __init__(self, kind: DTypeLike, values: Sequence[Any] = ()) -> None:
        self._room = np.zeros(1 << 10, dtype=kind)
        self._length = 0
        self.extend(values)

    @property
    def values(self) -> NDArray[Any]:
        return self._room[: self._length]

    def extend(self, values: Sequence[Any] | NDArray[Any]) -> None:
        length = self._length + len(values)
        if length > len(self._room):
            self._room = np.concatenate([self.values, np.zeros(2 * length, dtype=self._room.dtype)])
        self._room[self._length : length] = values
        self._length = length
