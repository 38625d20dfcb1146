"""Shared terms, looked for among words with a fitting beginning only, against reading every word of the papers."""

from itertools import pairwise

import pytest

from indexing.text import Text
from panelist.demo import corpus
from retriever.terms import Query, Rarity, read

WORKS = [work for work in corpus() if work.abstract]
RARITY = Rarity(Text(work.title, work.abstract).plain() for work in WORKS)


def slow_terms(query, text):
    """Every word of the text, and the next one, held against what the query ranks."""
    words = [*read(text), ("", "")]
    found = {}
    for (word, stem), (following, next_stem) in pairwise(words):
        if next_stem and (stem, next_stem) in query._terms:
            found.setdefault(query._terms.index((stem, next_stem)), f"{word} {following}")
        elif stem and (stem, "") in query._terms:
            found.setdefault(query._terms.index((stem, "")), word)
    chosen, said = [], {""}
    for rank in sorted(found):
        if not said.issuperset(query._terms[rank]):
            said.update(query._terms[rank])
            chosen.append(found[rank])
    return tuple(chosen[:6])


@pytest.mark.parametrize("work", WORKS[::40], ids=lambda work: work.id)
def test_shared_terms(work):
    query = Query(Text(work.title, work.abstract), RARITY)
    texts = [Text(other.title, other.abstract).plain() for other in WORKS[::7]]
    texts += [f"({text.upper()}) “{text.title()}”" for text in texts[:5]]
    shared = query.shared_terms(texts)
    assert shared == [slow_terms(query, text) for text in texts]
    assert any(shared)
