"""Shared terms by kernels against reading every word of every paper in Python."""

from collections import defaultdict
from itertools import chain, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexing.text import Text
from panelist.app.demo import corpus
from retriever import terms
from retriever.terms import SHOWN, TELLING, TELLING_PHRASE, Rarity, TermFinder, read, word_weights

WORKS = [work for work in corpus() if work.abstract]
RARITY = Rarity(Text(work.title, work.abstract).plain() for work in WORKS)
FINDER = TermFinder(RARITY)

TEXTS = st.lists(
    st.sampled_from(["gene", "Genes,", "the", "(lipid)/rafts", "of\u00a0mice", "–", "\u00a0", "a\tb", "état", "1", ""])
    | st.text(max_size=6),
    max_size=30,
).map(" ".join)


class SlowTerms:
    """The terms of one submission, by dictionaries."""

    def __init__(self, text, rarity):
        weights = word_weights(text, rarity)
        title, abstract = ([stem for _, stem in read(part)] for part in (text.title, text.abstract))
        telling, phrase = TELLING * rarity.highest, TELLING_PHRASE * rarity.highest
        pairs = dict.fromkeys(pair for pair in chain(pairwise(title), pairwise(abstract)) if all(pair))
        ranked = [(-weight, (stem, "")) for stem, weight in weights.items() if weight >= telling]
        ranked += [(-weights[a] - weights[b], (a, b)) for a, b in pairs if weights[a] + weights[b] >= phrase]
        ranked.sort(key=lambda one: one[0])  # what weighs the same stays as the submission has it
        self.terms = [term for _, term in ranked]
        self.ranks = defaultdict(dict)  # of a word alone: before the stem ""
        for rank, (stem, following) in enumerate(self.terms):
            self.ranks[stem][following] = rank

    def shared(self, text):
        spelled = {}
        for (word, stem), (after, following) in pairwise([*read(text), ("", "")]):
            options = self.ranks.get(stem)
            if options is None:
                continue
            if following and following in options:
                spelled.setdefault(options[following], f"{word} {after}")
            elif "" in options:
                spelled.setdefault(options[""], word)
        chosen, said = [], {""}
        for rank in sorted(spelled):
            if not said.issuperset(self.terms[rank]):  # a word is said once, in its phrase
                said.update(self.terms[rank])
                chosen.append(spelled[rank])
        return tuple(chosen[:SHOWN])


def slow_terms(text, texts):
    slow = SlowTerms(text, RARITY)
    return [slow.shared(one) for one in texts]


@pytest.mark.parametrize("work", WORKS[::40], ids=lambda work: work.id)
def test_shared_terms_of_papers(work):
    text = Text(work.title, work.abstract)
    texts = [Text(other.title, other.abstract).plain() for other in WORKS[::7]]
    texts += [f"({text.upper()}) “{text.title()}”" for text in texts[:5]]
    shared = FINDER.shared_terms(text, texts)
    assert shared == slow_terms(text, texts)
    assert any(shared)


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=4))
@example("gene", "", [])
@example("", "gene – lipid", ["gene lipid", "gene – lipid"])
def test_shared_terms_of_any_texts(title, abstract, texts):
    text = Text(title, abstract)
    assert FINDER.shared_terms(text, texts) == slow_terms(text, texts)


def test_what_is_too_much_to_remember_is_forgotten(monkeypatch):
    monkeypatch.setattr(terms, "_REMEMBERED", 50)
    finder = TermFinder(RARITY)
    for work in WORKS[::20]:
        text = Text(work.title, work.abstract)
        assert finder.shared_terms(text, [text.plain()]) == slow_terms(text, [text.plain()])
        assert len(finder._words) <= 50 + len(set(text.plain().split()))
