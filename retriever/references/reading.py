"""Reading what submissions cite: which works of the index are meant, who cites them too, and who wrote them.

A work that is a line of text is searched for like a query, and the best hits are compared with it. A paper is meant
where its DOI is in the line, or where nearly all words of its title are, in the order of the title. Titles of few words
must be there word by word: "Deep learning" is part of many titles.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexing.hits import NO_UNIT, sort_falling
from indexing.index import Index
from indexing.tables.names import name_code
from indexing.tables.references import key_hashes, rarity
from panelist.corpus.identity import spellings
from panelist.corpus.reference_keys import bare_doi
from panelist.corpus.store import CorpusStore
from panelist.records import Paper, Submission
from retriever.conference.people import papers_of
from retriever.references.citations import Citations, CitedPeople, Entry, entries_of, names_fit

COMMON = 0.05
"""Works that a larger share of all papers cites say nothing about a field, and would take long to look through."""
FEW = 500
"""Works that no more papers cite always count."""
HITS = 5
"""How many papers a line is compared with."""
NEARLY_ALL = 0.9
"""The share of a title's words that must be in the line, in their order."""
SHORT = 4
"""Titles of fewer words must be in the line word by word."""

_WORD = re.compile(r"\w+")


class CitationReader:
    """Reads what submissions cite, for one index. Safe to share between threads."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self._index, self._corpus = index, corpus

    def read(self, submission: Submission) -> Citations | None:
        """What a submission cites; None where nothing is known of it."""
        entries = entries_of(submission)
        if not entries:
            return None
        index, total = self._index, len(entries)
        hashes = key_hashes([key for entry in entries for key in entry.keys])
        rows = np.repeat(np.arange(total), [len(entry.keys) for entry in entries])
        units = self._units(entries, hashes, rows)
        counts = ~self._wrote(submission, entries, units)
        own_units = np.unique(units[~counts & (units >= 0)])
        counts &= (units < 0) | index.units.evidence[units]  # to cite what was retracted speaks for nobody
        entries, units = [entries[row] for row in np.flatnonzero(counts).tolist()], units[counts]
        hashes, rows = hashes[counts[rows]], (np.cumsum(counts) - 1)[rows[counts[rows]]]
        works, citing = self._citing(hashes, rows, units)
        coupled = self._coupled(len(entries), works, citing)
        return Citations(
            entries, total, units, works, citing, *coupled, CitedPeople.of(index, entries, units), own_units
        )

    def _units(
        self, entries: Sequence[Entry], hashes: NDArray[np.uint64], rows: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The unit of each entry; entries that are text alone are searched for."""
        units = np.full(len(entries), -1, dtype=np.int64)
        papers = self._index.names.papers(hashes)
        units[rows[papers >= 0]] = papers[papers >= 0]
        lines = [row for row, entry in enumerate(entries) if not entry.keys and entry.text]
        if lines:
            units[lines] = resolve([entries[row].text for row in lines], self._index, self._corpus)
        return units

    def _wrote(self, submission: Submission, entries: Sequence[Entry], units: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(entries) which of them an author of the submission wrote, by identity or by name."""
        forms = [form for author in submission.authors for form in spellings(author.id)]
        numbers = self._index.ownership.author_ids.find(forms)
        ids = [form for form, number in zip(forms, numbers.tolist(), strict=True) if number >= 0]
        authors_by_id = self._corpus.authors(ids) if ids else {}
        names = {*submission.author_names, *(author.name for author in (*submission.authors, *authors_by_id.values()))}
        codes = [code for code in map(name_code, sorted(names)) if code.key]
        keys = {code.key for code in codes}
        written = np.array(
            [any(name.key in keys and names_fit(name, codes) for name in work.authors) for work in entries]
        )
        indexed = np.flatnonzero(units >= 0)
        rows, authors = self._index.ownership.pairs(units[indexed])
        namesakes = self._index.names.people(codes)[1] if codes else np.zeros(0, np.int64)
        written[indexed[rows[np.isin(authors, np.concatenate([numbers[numbers >= 0], namesakes]))]]] = True
        return written

    def _citing(
        self, hashes: NDArray[np.uint64], rows: NDArray[np.int64], units: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Every (entry, unit that cites it under any of its keys, or of those of the paper that it is)."""
        table, names = self._index.references, self._index.names
        if table is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        indexed = np.flatnonzero(units >= 0)
        forms = names.forms[units[indexed]]
        hashes = np.concatenate([hashes, forms.reshape(-1)])
        rows = np.concatenate([rows, np.repeat(indexed, forms.shape[1])])[hashes != 0]
        most = max(FEW, int(COMMON * len(table.norms)))
        positions, citing = table.citing(hashes[hashes != 0], most)
        pairs = np.unique(rows[positions] << 32 | citing)
        return pairs >> 32, pairs & 0xFFFFFFFF

    def _coupled(
        self, entries: int, works: NDArray[np.int64], citing: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The units that cite these works, best first, and their cosines."""
        table = self._index.references
        if table is None or len(works) == 0:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        among = int(np.count_nonzero(table.norms))
        squares = rarity(np.bincount(works, minlength=entries), among) ** 2
        order = np.argsort(citing, kind="stable")
        units, begins = np.unique(citing[order], return_index=True)
        cosines = np.add.reduceat(squares[works[order]], begins) / table.norms[units] / np.sqrt(squares.sum())
        scores = cosines.astype(np.float32)
        best = sort_falling(scores, units)
        return best, np.ascontiguousarray(np.sort(scores)[::-1])


def resolve(lines: Sequence[str], index: Index, corpus: CorpusStore) -> list[int]:
    """The unit that each line of text means, -1 for those that the index does not have."""
    hits = index.lexical().search(list(lines), HITS, allowed=index.units.searchable()).units.tolist()
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
    title, words = (_WORD.findall(text.casefold()) for text in (paper.title, line))
    if len(title) < SHORT:
        return len(title) > 1 and f" {' '.join(title)} " in f" {' '.join(words)} " and len(words) <= 2 * len(title)
    return LCSseq.similarity(title, words) >= NEARLY_ALL * len(title)
