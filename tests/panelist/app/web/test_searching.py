"""What a server remembers of its searches: the same question, to the same index, about the same people."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from indexing.text import Text
from panelist.app.web import searching
from panelist.app.web.searching import CandidateMemory, RememberingSearch, Timings
from retriever.search import Search

OLD, NEW = (SimpleNamespace(path=Path(name)) for name in ("generation-1", "generation-2"))
WORDS, DEEP = Search(mode="lexical"), Search(mode="lexical", depth=9)
TEXT, OTHER = [Text("coral")], [Text("neurons")]
SOME, FEW = np.array([True, True, False]), np.array([True, False, False])


@pytest.fixture
def searches(monkeypatch):
    """The indexes that were really searched, in order."""
    made = []

    def search(index, *_, **__):
        made.append(index.path.name)
        return [len(made)]

    monkeypatch.setattr(searching, "search", search)
    return made


@pytest.mark.parametrize(
    ("index", "texts", "settings", "allowed"),
    [(NEW, TEXT, WORDS, SOME), (OLD, OTHER, WORDS, SOME), (OLD, TEXT, DEEP, SOME), (OLD, TEXT, WORDS, FEW)],
    ids=["another index", "another text", "other settings", "another pool"],
)
def test_only_the_same_question_is_answered_from_memory(searches, index, texts, settings, allowed):
    find = RememberingSearch(CandidateMemory(), Timings())
    assert find(OLD, TEXT, WORDS, allowed=SOME) == find(OLD, TEXT, WORDS, allowed=SOME.copy()) == [1]
    assert find(index, texts, settings, allowed=allowed) == [2]
    assert searches == ["generation-1", index.path.name]


def test_the_least_recently_used_is_forgotten_first(searches):
    find = RememberingSearch(CandidateMemory(2), Timings())
    for texts in (TEXT, OTHER, TEXT, [Text("a third")], TEXT, OTHER):
        find(OLD, texts, WORDS)
    assert len(searches) == 4  # the second text was forgotten for the third
