"""The words that a submission and a paper share, weightiest first: why a search, and a reader, would join them.

Words are compared by stem. A word weighs its rarity in a sample of the corpus times √(how often the submission says
it), where the title says everything three times: topics are repeated, "maintaining" and "best" are not, however rare
they are. What weighs little is not shown at all. Two words side by side in both texts are one phrase.

`retriever.matching` has the same compiled, for processes that answer many queries.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise

from indexing.text import Text
from retriever.words import read

IN_TITLE = 3
"""Times that a word of the title counts."""

TELLING = 0.7
"""What a word has to weigh to be shown, of the highest rarity there is."""

TELLING_PHRASE = 1.5 * TELLING
"""The same, for both words of a phrase together."""

SHOWN = 6
"""Terms of each paper."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z]|\d)")
_LEAST_SAMPLE = 100  # texts: what fewer say of rarity is chance


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
    """The words of one submission, prepared to be matched against papers."""

    def __init__(self, text: Text, rarity: Rarity) -> None:
        title, abstract = ([stem for _, stem in read(part)] for part in (text.title, text.abstract))
        counts = Counter(title * IN_TITLE + abstract)
        del counts[""]
        weights = self._weights = {stem: rarity[stem] * math.sqrt(times) for stem, times in counts.items()}
        telling, phrase = TELLING * rarity.highest, TELLING_PHRASE * rarity.highest
        pairs = dict.fromkeys(pair for pair in chain(pairwise(title), pairwise(abstract)) if all(pair))
        ranked = [(-weight, (stem, "")) for stem, weight in weights.items() if weight >= telling]
        ranked += [(-weights[a] - weights[b], (a, b)) for a, b in pairs if weights[a] + weights[b] >= phrase]
        ranked.sort(key=lambda one: one[0])  # what weighs the same stays as the submission has it
        # Words and phrases are ranked once, so that matching a paper compares small numbers.
        self._terms = [term for _, term in ranked]
        self._ranks: defaultdict[str, dict[str, int]] = defaultdict(dict)  # of a word alone: before the stem ""
        for rank, (stem, following) in enumerate(self._terms):
            self._ranks[stem][following] = rank

    def shared_terms(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """The telling words and phrases of each text that the submission has too, as the text spells them."""
        return [self._shared(text) for text in texts]

    def _shared(self, text: str) -> tuple[str, ...]:
        spelled: dict[int, str] = {}
        for (word, stem), (after, following) in pairwise([*read(text), ("", "")]):
            options = self._ranks.get(stem)
            if options is None:
                continue
            if following and following in options:
                spelled.setdefault(options[following], f"{word} {after}")
            elif "" in options:
                spelled.setdefault(options[""], word)
        chosen: list[str] = []
        said = {""}
        for rank in sorted(spelled):
            term = self._terms[rank]
            if not said.issuperset(term):  # a word is said once, in its phrase
                said.update(term)
                chosen.append(spelled[rank])
        return tuple(chosen[:SHOWN])

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
