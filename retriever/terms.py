"""The words that a submission and a paper share, weightiest first: why a search, and a reader, would join them.

Words are compared by stem. A word weighs its rarity in a sample of the corpus times √(how often the submission says
it), where the title says everything three times: topics are repeated, "maintaining" and "best" are not, however rare
they are. What weighs little is not shown at all. Two words side by side in both texts are one phrase.
"""

from __future__ import annotations

import math
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, filterfalse, pairwise

import Stemmer

from indexing.text import Text

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_REMEMBERED = 100_000  # chunks: some 30 MB
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z]|\d)")
_IN_TITLE = 3  # times that a word of the title counts
_LEAST_SAMPLE = 100  # texts: what fewer say of rarity is chance
_TELLING = 0.7  # of the highest rarity there is: what a word has to weigh to be shown
_TELLING_PHRASE = 1.5  # of the same, for both words of a phrase together

Word = tuple[str, str]
"""A word as it stands in a text, and its stem, which is empty for what matches nothing."""

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


class _Lexicon(dict[str, tuple[Word, ...]]):
    """Chunks, that is texts without blanks, to their words, worked out once: stemming is slow.

    Attributes:
        chunks: stem -> chunks with a word of it, of all chunks that are remembered.
    """

    def __init__(self) -> None:
        self.chunks: defaultdict[str, list[str]] = defaultdict(list)
        self._stemmer = Stemmer.Stemmer("english", 0)
        self._lock = threading.Lock()  # a stemmer has a buffer of its own

    def __missing__(self, chunk: str) -> tuple[Word, ...]:
        words = tuple([(word, self._stem(word.lower())) for word in _WORD.findall(chunk)])
        if len(self) < _REMEMBERED:
            for _, stem in words:
                self.chunks[stem].append(chunk)
            self[chunk] = words  # last: whoever sees the chunk here finds it there too
        return words

    def _stem(self, word: str) -> str:
        if len(word) < 2 or word in _STOP or word.isdigit():
            return ""
        with self._lock:
            stem: str = self._stemmer.stemWord(word)
        return stem


_lexicon = _Lexicon()


def read(text: str) -> list[Word]:
    """The words of a text as they stand in it, each with its stem.

    The stem of stop words, numbers and single characters, which match nothing, is empty.
    """
    return list(chain.from_iterable(map(_lexicon.__getitem__, text.split())))


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


class Query:
    """The words of one submission, prepared to be matched against many papers."""

    def __init__(self, text: Text, rarity: Rarity) -> None:
        title, abstract = ([stem for _, stem in read(part)] for part in (text.title, text.abstract))
        counts = Counter(title * _IN_TITLE + abstract)
        del counts[""]
        weights = self._weights = {stem: rarity[stem] * math.sqrt(times) for stem, times in counts.items()}
        telling, phrase = _TELLING * rarity.highest, _TELLING * _TELLING_PHRASE * rarity.highest
        pairs = {pair for pair in chain(pairwise(title), pairwise(abstract)) if all(pair)}
        ranked = [(-weight, (stem, "")) for stem, weight in weights.items() if weight >= telling]
        ranked += [(-weights[a] - weights[b], (a, b)) for a, b in pairs if weights[a] + weights[b] >= phrase]
        # Words and phrases are ranked once, so that matching a paper compares small numbers.
        self._terms = [term for _, term in sorted(ranked)]
        self._ranks: defaultdict[str, dict[str, int]] = defaultdict(dict)  # of a word alone: before the stem ""
        for rank, (stem, following) in enumerate(self._terms):
            self._ranks[stem][following] = rank

    def shared_terms(self, texts: Sequence[str], limit: int = 6) -> list[tuple[str, ...]]:
        """The telling words and phrases of each text that the submission has too, as the text spells them."""
        cut = [text.split() for text in texts]
        ranks = self._ranks
        unknown = filterfalse(_lexicon.__contains__, set(chain.from_iterable(cut)))
        telling = {chunk for chunk in unknown if any(stem in ranks for _, stem in _lexicon[chunk])}
        # The lexicon knows the others, so of thousands of words only those are looked at that match.
        telling.update(chain.from_iterable([_lexicon.chunks[stem] for stem in ranks]))
        return [self._shared(chunks, telling, limit) for chunks in cut]

    def _shared(self, chunks: list[str], telling: set[str], limit: int) -> tuple[str, ...]:
        spelled: dict[int, str] = {}
        ranks = self._ranks
        places = [place for place, chunk in enumerate(chunks) if chunk in telling]
        chunks.append("")
        for place in places:
            words = _lexicon[chunks[place]]
            for number, (word, stem) in enumerate(words, start=1):
                options = ranks.get(stem)
                if options is None:
                    continue
                after = words[number:] or _lexicon[chunks[place + 1]]
                if after and after[0][1] and after[0][1] in options:
                    spelled.setdefault(options[after[0][1]], f"{word} {after[0][0]}")
                elif "" in options:
                    spelled.setdefault(options[""], word)
        chosen: list[str] = []
        said = {""}
        for rank in sorted(spelled):
            term = self._terms[rank]
            if not said.issuperset(term):  # a word is said once, in its phrase
                said.update(term)
                chosen.append(spelled[rank])
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
