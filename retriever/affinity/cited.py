"""What submissions and the papers of profiles cite: the works as weighted matrices, and who wrote what is cited."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from indexing.tables.names import Names, name_code, paper_forms
from indexing.tables.references import key_hashes, rarity
from panelist.records import Author, Paper, Submission
from retriever.references.citations import entries_of, writers_of


class Cited:
    """What is cited, by papers and by submissions."""

    def __init__(
        self,
        papers: Sequence[Paper],  # of all profiles, each once
        submissions: Sequence[Submission],  # the papers that need reviewers
        reviewers: Sequence[Author] = (),  # ids and names; further names are those on papers
        aliases: Mapping[str, str] = MappingProxyType({}),  # other ids of reviewers, such as those that papers give
    ) -> None:
        self._submissions, self._reviewers = submissions, reviewers
        named = [*reviewers, *(authorship.author for paper in papers for authorship in paper.authorships)]
        self._numbers = {author: number for number, author in enumerate(dict.fromkeys(author.id for author in named))}
        self._numbers |= {alias: self._numbers[reviewer] for alias, reviewer in aliases.items()}
        self._names = _names(papers, [*dict.fromkeys((self._numbers[author.id], author.name) for author in named)])
        self._writers = [
            np.array([self._numbers[authorship.author.id] for authorship in p.authorships], np.int32) for p in papers
        ]
        hashes, _ = self._same_work(key_hashes([key for paper in papers for key in paper.references]))
        rows = np.repeat(np.arange(len(papers)), [len(paper.references) for paper in papers])
        self._known, columns = np.unique(hashes, return_inverse=True)
        self._cites = _incidence(rows, columns, (len(papers), len(self._known)))
        self._entries = [
            (row, entry) for row, submission in enumerate(submissions) for entry in entries_of(submission) if entry.keys
        ]
        self._rows = np.array([row for row, _ in self._entries], dtype=np.int64)
        self._works, self._written = self._meanings()

    def _same_work(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The hashes, but for any of a paper that of its id; and that paper, -1 for none."""
        papers = self._names.papers(hashes)
        merged = hashes.copy()
        merged[papers >= 0] = self._names.forms[papers[papers >= 0], 0]
        return merged, papers

    def _meanings(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """(entries) work and paper of each: by the first key that a paper is known or cited by, else the first."""
        entry = np.repeat(np.arange(len(self._entries)), [len(cited.keys) for _, cited in self._entries])
        hashes, papers = self._same_work(key_hashes([key for _, cited in self._entries for key in cited.keys]))
        held = (papers >= 0) | np.isin(hashes, self._known)
        order = np.lexsort((~held, entry))  # stable: in the order of the keys
        chosen = order[np.unique(entry, return_index=True)[1]]
        return hashes[chosen], papers[chosen]

    def works(self) -> tuple[csr_array, csr_array]:
        """(submissions, works) and (works, papers): products are cosines; see `indexing.tables.references`.

        Lengths count everything that is cited; the matrices have what both sides cite.
        """
        citing = int(np.count_nonzero(np.diff(self._cites.indptr)))
        weights = rarity(np.bincount(self._cites.indices, minlength=len(self._known)), citing)
        shared = np.isin(self._works, self._known)
        shape = (len(self._submissions), len(self._known))
        asks = _incidence(self._rows[shared], np.searchsorted(self._known, self._works[shared]), shape)
        foreign = np.bincount(self._rows[~shared], minlength=len(self._submissions))
        squares = foreign * rarity(np.ones(1, np.int64), citing) ** 2
        papers = _weighted(self._cites, weights)
        papers.data[~np.isin(papers.indices, asks.indices)] = 0  # what no submission cites
        papers.eliminate_zeros()
        return _weighted(asks, weights, squares), csr_array(papers.T)

    def people(self) -> csr_array:
        """(submissions, reviewers) ln(1 + c), where c counts entries that a reviewer wrote, twice as last author."""
        identities = [_own_keys(submission) for submission in self._submissions]
        authors = [{self._numbers[author] for author in ids if author in self._numbers} for ids, _ in identities]
        remaining = [
            position
            for position, ((row, entry), paper) in enumerate(zip(self._entries, self._written.tolist(), strict=True))
            if (
                authors[row].isdisjoint(self._writers[paper].tolist())
                if paper >= 0
                else identities[row][1].isdisjoint(code.key for code in entry.authors)
            )
        ]
        entries = [self._entries[position][1] for position in remaining]
        works, writers, last, namesakes = writers_of(self._names, self._pairs, entries, self._written[remaining])
        listed_writers = writers < len(self._reviewers)  # they come first
        cells = (self._rows[remaining][works[listed_writers]], writers[listed_writers])
        shape = (len(self._submissions), len(self._reviewers))
        counts = csr_array(coo_array((((1 + last) / namesakes)[listed_writers], cells), shape=shape))
        counts.sum_duplicates()
        counts.data = np.log1p(counts.data).astype(np.float32)
        return counts

    def _pairs(self, papers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Give every pair of a row and a writer of these papers, as `Ownership.pairs` does."""
        writers = [self._writers[paper] for paper in papers.tolist()]
        rows = np.repeat(np.arange(len(writers)), [*map(len, writers)])
        return rows, np.concatenate([*writers, np.zeros(0, np.int32)])


def _own_keys(submission: Submission) -> tuple[set[str], set[str]]:
    """Ids of a submission's authors, and the keys of their names."""
    names = (*(author.name for author in submission.authors), *submission.author_names)
    return {author.id for author in submission.authors}, {name_code(name).key for name in names} - {""}


def _names(papers: Sequence[Paper], authors: Sequence[tuple[int, str]]) -> Names:
    """What papers and their authors, who have numbers, are called, in memory."""
    forms = paper_forms(papers)
    codes = [name_code(name) for _, name in authors]
    numbers = np.array([number for number, _ in authors], np.int32)
    hashes = key_hashes([code.key or "\x02" for code in codes])
    order = np.argsort(hashes, kind="stable")
    seconds, givens = (
        np.array([code.second for code in codes], np.uint8),
        np.array([code.given for code in codes], np.uint32),
    )
    form_order = np.argsort(forms, axis=None, kind="stable").astype(np.int32)
    return Names(forms, form_order, hashes[order], numbers[order], seconds[order], givens[order])


def _incidence(rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> csr_array:
    """1 where a row has a column, however often it is named."""
    matrix = csr_array(coo_array((np.ones(len(rows)), (rows, columns)), shape=shape))
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def _weighted(cites: csr_array, weights: NDArray[np.float64], foreign: NDArray[np.float64] | float = 0.0) -> csr_array:
    """The rows weighted and of length 1, with `foreign` added to their squared lengths."""
    lengths = np.sqrt(cites @ weights**2 + foreign)
    values = weights[cites.indices] / np.repeat(lengths, np.diff(cites.indptr))
    return csr_array((values.astype(np.float32), cites.indices, cites.indptr), shape=cites.shape)
