"""What submissions and the papers of profiles cite: the works as weighted matrices, and who wrote what is cited."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from indexing.tables.names import NameCode, Names, name_code, paper_forms
from indexing.tables.references import key_hashes, rarity
from panelist.records import Author, Paper, Submission
from retriever.references.entries import entries_of


class Cited:
    """What is cited, by papers and by submissions."""

    def __init__(
        self,
        papers: Sequence[Paper],  # of all profiles, each once
        submissions: Sequence[Submission],  # the papers that need reviewers
        reviewers: Sequence[Author] = (),  # ids and names; further names are those on papers
    ) -> None:
        self._papers, self._submissions, self._reviewers = papers, submissions, reviewers
        authors = (one.author for paper in papers for one in paper.authorships)
        self._authors = list(dict.fromkeys((*reviewers, *authors)))
        self._names = _names(papers, self._authors)
        hashes, _ = self._same_work(key_hashes([key for paper in papers for key in paper.references]))
        rows = np.repeat(np.arange(len(papers)), [len(paper.references) for paper in papers])
        self._known, columns = np.unique(hashes, return_inverse=True)
        self._cites = _incidence(rows, columns, (len(papers), len(self._known)))
        self._entries = [(row, entry) for row, one in enumerate(submissions) for entry in entries_of(one) if entry.keys]
        self._rows = np.array([row for row, _ in self._entries], dtype=np.int64)
        self._works, self._written = self._meanings()

    def _same_work(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The hashes, but for any of a paper that of its id; and that paper, -1 for none."""
        papers = self._names.papers(hashes)
        same = hashes.copy()
        same[papers >= 0] = self._names.forms[papers[papers >= 0], 0]
        return same, papers

    def _meanings(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """(entries) work and paper of each: by the first key that a paper is known or cited by, else the first."""
        entry = np.repeat(np.arange(len(self._entries)), [len(one.keys) for _, one in self._entries])
        hashes, papers = self._same_work(key_hashes([key for _, one in self._entries for key in one.keys]))
        known = (papers >= 0) | np.isin(hashes, self._known)
        order = np.lexsort((~known, entry))  # stable: in the order of the keys
        first = order[np.unique(entry, return_index=True)[1]]
        return hashes[first], papers[first]

    def works(self) -> tuple[csr_array, csr_array]:
        """(submissions, works) and (works, papers): products are cosines; see `indexing.tables.references`.

        Lengths count everything that is cited; the matrices have what both sides cite.
        """
        citing = int(np.count_nonzero(np.diff(self._cites.indptr)))
        weights = rarity(np.bincount(self._cites.indices, minlength=len(self._known)), citing)
        inside = np.isin(self._works, self._known)
        shape = (len(self._submissions), len(self._known))
        asks = _incidence(self._rows[inside], np.searchsorted(self._known, self._works[inside]), shape)
        foreign = np.bincount(self._rows[~inside], minlength=len(self._submissions))
        squares = foreign * rarity(np.ones(1, np.int64), citing) ** 2
        papers = _weighted(self._cites, weights)
        papers.data[~np.isin(papers.indices, asks.indices)] = 0  # what no submission cites
        papers.eliminate_zeros()
        return _weighted(asks, weights, squares), csr_array(papers.T)

    def people(self) -> csr_array:
        """(submissions, reviewers) ln(1 + c), where c counts entries that a reviewer wrote, twice as last author."""
        column = {reviewer.id: number for number, reviewer in enumerate(self._reviewers)}
        printed = [*dict.fromkeys(code for _, entry in self._entries for code in entry.authors)]
        rows, numbers = self._names.people(printed)
        by_name: dict[NameCode, list[str]] = {name: [] for name in printed}
        for row, number in zip(rows.tolist(), numbers.tolist(), strict=True):
            by_name[printed[row]].append(self._authors[number].id)
        own = [_own(one) for one in self._submissions]
        shares: list[tuple[float, int, int]] = []
        for (row, entry), paper in zip(self._entries, self._written.tolist(), strict=True):
            ids, keys = own[row]
            if paper >= 0:
                authors = [one.author.id for one in self._papers[paper].authorships]
                meant = [] if ids.intersection(authors) else [[one] for one in authors]
            else:
                by_author = keys.intersection(code.key for code in entry.authors)
                meant = [] if by_author else [by_name[code] for code in entry.authors]
            for at, people in enumerate(meant, 1):
                share = (1 + (at == len(meant))) / max(len(set(people)), 1)
                shares += [(share, row, column[one]) for one in sorted({*people}) if one in column]
        values, *pairs = np.array(shares).reshape(-1, 3).T
        where = (pairs[0].astype(np.int64), pairs[1].astype(np.int64))
        counts = csr_array(coo_array((values, where), shape=(len(self._submissions), len(self._reviewers))))
        counts.sum_duplicates()
        counts.data = np.log1p(counts.data).astype(np.float32)
        return counts


def _own(submission: Submission) -> tuple[set[str], set[str]]:
    """Ids of a submission's authors, and the keys of their names."""
    names = (*(author.name for author in submission.authors), *submission.author_names)
    return {author.id for author in submission.authors}, {name_code(name).key for name in names} - {""}


def _names(papers: Sequence[Paper], authors: Sequence[Author]) -> Names:
    """What papers and their authors are called, in memory."""
    forms = paper_forms(papers)
    codes = [name_code(author.name) for author in authors]
    hashes = key_hashes([code.key or "\x02" for code in codes])
    order = np.argsort(hashes, kind="stable")
    seconds, givens = (
        np.array([code.second for code in codes], np.uint8),
        np.array([code.given for code in codes], np.uint32),
    )
    form_order = np.argsort(forms, axis=None, kind="stable").astype(np.int32)
    return Names(forms, form_order, hashes[order], order.astype(np.int32), seconds[order], givens[order])


def _incidence(rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> csr_array:
    """1 where a row has a column, however often it is named."""
    made = csr_array(coo_array((np.ones(len(rows)), (rows, columns)), shape=shape))
    made.sum_duplicates()
    made.data[:] = 1
    return made


def _weighted(cites: csr_array, weights: NDArray[np.float64], foreign: NDArray[np.float64] | float = 0.0) -> csr_array:
    """The rows weighted and of length 1, with `foreign` added to their squared lengths."""
    lengths = np.sqrt(cites @ weights**2 + foreign)
    values = weights[cites.indices] / np.repeat(lengths, np.diff(cites.indptr))
    return csr_array((values.astype(np.float32), cites.indices, cites.indptr), shape=cites.shape)
