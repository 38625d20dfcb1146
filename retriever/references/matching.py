"""Which paper of the corpus a line of text means, through the lexical index.

A line is searched for like a query; the best hits are compared with it. A paper is meant where its DOI is in the line,
or where nearly all words of its title are, in the order of the title. Titles of few words must be there word by word:
"Deep learning" is part of many titles.
"""

import re
from collections.abc import Sequence

from indexing.hits import NO_UNIT
from indexing.index import Index
from panelist.corpus.reference_keys import bare_doi
from panelist.corpus.store import CorpusStore
from panelist.records import Paper
from retriever.explain import papers_of

HITS = 5
"""How many papers a line is compared with."""
NEARLY_ALL = 0.9
"""The share of a title's words that must be in the line, in their order."""
FEW = 4
"""Titles of fewer words must be in the line word by word."""

_WORD = re.compile(r"\w+")


def resolve(lines: Sequence[str], index: Index, corpus: CorpusStore) -> list[int]:
    """The unit that each line of text means, -1 for those that the index does not have."""
    mask = None if index.units.complete else index.units.evidence
    hits = index.lexical().search(list(lines), HITS, allowed=mask).units.tolist()
    papers = papers_of((unit for row in hits for unit in row if unit != NO_UNIT), index, corpus)
    return [
        next((unit for unit in units if unit in papers and _means(line, papers[unit])), -1)
        for line, units in zip(lines, hits, strict=True)
    ]


def _means(line: str, paper: Paper) -> bool:
    """Whether a line of text is a reference to this paper."""
    from rapidfuzz.distance import LCSseq

    if paper.doi and re.search(rf"{re.escape(bare_doi(paper.doi))}(?!\w)", line.lower()):  # not the start of another
        return True
    title, words = _words(paper.title), _words(line)
    if len(title) < FEW:
        return len(title) > 1 and f" {' '.join(title)} " in f" {' '.join(words)} " and len(words) <= 2 * len(title)
    return LCSseq.similarity(title, words) >= NEARLY_ALL * len(title)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
