"""Shared terms, compiled, against reading every word of every paper in Python."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexing.text import Text
from panelist.app.demo import corpus
from retriever import matching
from retriever.matching import Matcher
from retriever.terms import Query, Rarity

WORKS = [work for work in corpus() if work.abstract]
RARITY = Rarity(Text(work.title, work.abstract).plain() for work in WORKS)
MATCHER = Matcher(RARITY)

TEXTS = st.lists(
    st.sampled_from(["gene", "Genes,", "the", "(lipid)/rafts", "of\u00a0mice", "–", "\u00a0", "a\tb", "état", "1", ""])
    | st.text(max_size=6),
    max_size=30,
).map(" ".join)


@pytest.mark.parametrize("work", WORKS[::40], ids=lambda work: work.id)
def test_shared_terms_of_papers(work):
    text = Text(work.title, work.abstract)
    texts = [Text(other.title, other.abstract).plain() for other in WORKS[::7]]
    texts += [f"({text.upper()}) “{text.title()}”" for text in texts[:5]]
    shared = MATCHER.shared_terms(text, texts)
    assert shared == Query(text, RARITY).shared_terms(texts)
    assert any(shared)


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=4))
@example("gene", "", [])
@example("", "gene – lipid", ["gene lipid", "gene – lipid"])
def test_shared_terms_of_any_texts(title, abstract, texts):
    text = Text(title, abstract)
    assert MATCHER.shared_terms(text, texts) == Query(text, RARITY).shared_terms(texts)


def test_what_is_too_much_to_remember_is_forgotten(monkeypatch):
    monkeypatch.setattr(matching, "_REMEMBERED", 50)
    matcher = Matcher(RARITY)
    for work in WORKS[::20]:
        text = Text(work.title, work.abstract)
        assert matcher.shared_terms(text, [text.plain()]) == Query(text, RARITY).shared_terms([text.plain()])
        assert len(matcher._words) <= 50 + len(set(text.plain().split()))
