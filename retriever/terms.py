"""The words that a submission and a paper share, by weight: why a search, and a reader, would connect them.

Words are compared by stem. A word weighs its rarity in a sample of the corpus times √(how often the submission says
it), where the title counts three times: topics are repeated, "maintaining" and "best" are not, however rare they are.
What weighs little is not shown at all. Two words side by side in both texts are one phrase.
"""

import math
import re
import threading
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, compress, count, pairwise
from pathlib import Path
from typing import NamedTuple

import Stemmer

from indexing.text import Text

IN_TITLE = 3
"""How often a word of the title counts."""

TELLING = 0.7
"""What a word has to weigh to be shown, as a share of the highest rarity there is."""

TELLING_PHRASE = 1.5 * TELLING
"""The same, for both words of a phrase together."""

SHOWN = 6
"""The most terms that are shown of a paper."""

Term = tuple[str, str]
"""The stem of a word, or those of two words side by side; else the second is empty."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z]|\d)")
_LEAST_SAMPLE = 100  # texts: what fewer say of rarity is chance
_REMEMBERED_CHUNKS = 1 << 17  # what stands between blanks: some 40 MB, and none of it is stemmed twice
_REMEMBERED_TEXTS = 1 << 12  # some 20 MB: a look-up that is repeated with other options shows the same papers

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_STOP = frozenset(_WORDS["stop"].split())

_stemmer = Stemmer.Stemmer("english", 0)
_stemming = threading.Lock()  # a stemmer has a buffer of its own
_EMPTY_STEMS = frozenset(_stemmer.stemWords(_WORDS["empty"].split()))


class Words(NamedTuple):
    """The words of a text as they are spelled, and their stems.

    A dash between blanks is an empty word, which separates its neighbours. The stem of stop words, numbers and single
    characters, which match nothing, is empty.
    """

    spelled: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()


@lru_cache(_REMEMBERED_TEXTS)
def read_words(text: str) -> Words:
    """The words of a text."""
    return Words(*zip(*chain.from_iterable(map(_words, text.encode().split())), strict=True))


@lru_cache(_REMEMBERED_CHUNKS)
def _words(chunk: bytes) -> tuple[tuple[str, str], ...]:
    return tuple([(word, _stem(word.lower())) for word in _WORD.findall(chunk.decode())]) or (("", ""),)


def _stem(word: str) -> str:
    if len(word) < 2 or word in _STOP or word.isdigit():
        return ""
    with _stemming:
        stem: str = _stemmer.stemWord(word)
    return "" if stem in _EMPTY_STEMS else stem


class Rarity(dict[str, float]):
    """How rare each stem is, learned from some texts of the corpus: log((1 + n) / (1 + texts with it)) + 1."""

    def __init__(self, texts: Iterable[str]) -> None:
        frequency: Counter[str] = Counter()
        texts_read = 0
        for text in texts:
            frequency.update(set(read_words(text).stems))
            texts_read += 1
        size = 1 + max(texts_read, _LEAST_SAMPLE)
        super().__init__({stem: math.log(size / (1 + times)) + 1 for stem, times in frequency.items()})
        self.highest = math.log(size) + 1

    def __missing__(self, stem: str) -> float:
        return self.highest


def word_weights(text: Text, rarity: Rarity) -> dict[str, float]:
    """What each stem of a submission weighs."""
    counts = Counter(read_words(text.title).stems * IN_TITLE + read_words(text.abstract).stems)
    del counts[""]
    return {stem: rarity[stem] * math.sqrt(times) for stem, times in counts.items()}


def best_sentence(weights: dict[str, float], *texts: str) -> str | None:
    """The sentence that shares the weightiest words with a submission; None where none shares any.

    No sentence begins in one of the texts, as a title and an abstract, and ends in another.
    """
    best: tuple[float, str] | None = None
    for sentence in chain.from_iterable(map(_SENTENCE_END.split, texts)):
        shared = weights.keys() & read_words(sentence).stems
        # Long sentences share more by chance: the square root of the length keeps both kinds of sentence in play.
        weight = sum(weights[stem] for stem in sorted(shared)) / math.sqrt(len(sentence) + 1)
        if shared and (best is None or weight > best[0]):
            best = (weight, sentence.strip())
    return None if best is None else best[1]


def shared_terms(submission: Text, texts: Sequence[str], rarity: Rarity) -> list[tuple[str, ...]]:
    """The telling words and phrases of each text that the submission has too, as the text spells them."""
    weights = word_weights(submission, rarity)
    telling = {(stem, ""): weight for stem, weight in weights.items() if weight >= TELLING * rarity.highest}
    for text in submission:
        for first, second in pairwise(read_words(text).stems):
            if first and second and weights[first] + weights[second] >= TELLING_PHRASE * rarity.highest:
                telling[first, second] = weights[first] + weights[second]
    terms = sorted(telling, key=telling.__getitem__, reverse=True)  # stable: ties in the order of the submission
    ranks: dict[str, dict[str, int]] = {}
    for rank, (first, second) in enumerate(terms):
        ranks.setdefault(first, {})[second] = rank
    return [_weightiest(_spellings(read_words(text), ranks), terms) for text in texts]


def _spellings(words: Words, ranks: Mapping[str, Mapping[str, int]]) -> dict[int, str]:
    """The terms that are among these words, by rank, as they are spelled first."""
    spellings: dict[int, str] = {}
    for position in compress(count(), map(ranks.__contains__, words.stems)):
        phrases = ranks[words.stems[position]]
        second = words.stems[position + 1] if position + 1 < len(words.stems) else ""
        rank = phrases.get(second)
        if rank is None:
            rank, second = phrases.get(""), ""
        if rank is not None and rank not in spellings:
            spellings[rank] = " ".join(words.spelled[position : position + 2]) if second else words.spelled[position]
    return spellings


def _weightiest(spellings: Mapping[int, str], terms: Sequence[Term]) -> tuple[str, ...]:
    """The terms that are shown; a word is shown once, in its phrase."""
    shown: list[str] = []
    seen = {""}
    for rank in sorted(spellings):
        if not seen.issuperset(terms[rank]):
            seen.update(terms[rank])
            shown.append(spellings[rank])
    return tuple(shown[:SHOWN])
