"""Pairs of papers that belong together by what they cite: one cites the other, or both cite the same works.

The coupling of two papers is the cosine of what they cite, a work weighing ln(n / d) where d of the n papers cite it
(Kessler, "Bibliographic coupling between scientific papers", 1963). Citations as a teacher of encoders: Cohan et al.,
"SPECTER", 2020; Ostendorff et al., "SciNCL", 2022, who show that papers which are neither near nor far mislead.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, vstack

from indexing.training.pairs import TextPairs, TitleTwins, readable_papers
from panelist.corpus.reference_keys import bare_doi
from panelist.errors import InputError
from panelist.records import Paper

COUPLED_FROM = 0.05
"""Papers coupled as strongly as this are positives of each other; a direct citation adds as much."""
RELATED_FROM = 0.02
"""Papers coupled as strongly as this are not negatives of each other."""
MOST_POSITIVES = 5
MOST_CITED = 1_000
"""Works that more papers cite say little about any, and cost most."""

_BLOCK = 2_000  # papers whose couplings are computed at once


def reference_pairs(papers: Iterable[Paper], until: int | None = None) -> TextPairs:
    """Papers with those to which their references link them most strongly; see `readable_papers`."""
    readable = readable_papers(papers, until)
    texts = [text for _, text in readable]
    links = coupling([paper for paper, _ in readable])
    positives = _strongest(links)
    if not (positives >= 0).any():
        raise InputError(
            f"no references link any two of the {len(readable)} papers with title and abstract: "
            "import papers with what they cite, or learn from titles"
        )
    twins = TitleTwins([text.title for text in texts])

    def related(queries: NDArray[np.int64], documents: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Versions of one paper, and papers whose references link them."""
        linked: NDArray[np.bool_] = links[queries][:, documents].toarray() > 0
        return linked | twins.between(queries, documents)

    return TextPairs("references", texts, texts, positives, related)


def coupling(papers: Sequence[Paper]) -> csr_array:
    """(papers, papers) how strongly references link them, symmetric; what is below `RELATED_FROM` is left out."""
    cites = _citations(papers)
    count = len(papers)
    internal = csr_array(cites[:, :count])
    direct = csr_array((internal + internal.T).minimum(1)) * np.float32(COUPLED_FROM)
    cited = np.bincount(cites.indices, minlength=cites.shape[1])
    rarity = np.where(cited <= MOST_CITED, np.log(count / np.maximum(cited, 1)), 0).astype(np.float32)
    cites = csr_array(cites @ diags_array(rarity))
    lengths = np.sqrt(np.asarray(cites.multiply(cites).sum(axis=1)).ravel())
    cites = csr_array(diags_array(1 / np.maximum(lengths, np.finfo(np.float32).tiny)) @ cites).astype(np.float32)
    blocks = []
    for start in range(0, count, _BLOCK):
        block = csr_array(cites[start : start + _BLOCK] @ cites.T + direct[start : start + _BLOCK])
        block.data[block.data < RELATED_FROM] = 0
        block.data[block.indices == np.repeat(np.arange(start, start + block.shape[0]), np.diff(block.indptr))] = 0
        block.eliminate_zeros()
        blocks.append(block)
    return csr_array(vstack(blocks))


def _citations(papers: Sequence[Paper]) -> csr_array:
    """(papers, works) 1 where a paper cites a work; the first works are the papers themselves, by id or DOI."""
    numbers = {f"doi:{bare_doi(paper.doi)}": row for row, paper in enumerate(papers) if paper.doi}
    numbers |= {paper.id: row for row, paper in enumerate(papers)}
    works = max(len(papers), 1)
    rows, columns = [], []
    for row, paper in enumerate(papers):
        cited = set()
        for key in paper.references:
            number = numbers.setdefault(key, works)
            works += number == works
            cited.add(number)
        cited.discard(row)
        rows += [row] * len(cited)
        columns += sorted(cited)
    return csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=(len(papers), works))


def _strongest(links: csr_array) -> NDArray[np.int64]:
    """(papers, MOST_POSITIVES) the papers that links of `COUPLED_FROM` or more lead to, best first; -1 for no more."""
    strongest = np.full((links.shape[0], MOST_POSITIVES), -1, dtype=np.int64)
    for row in range(links.shape[0]):
        span = slice(links.indptr[row], links.indptr[row + 1])
        strengths, neighbours = links.data[span], links.indices[span]
        best = np.lexsort((neighbours, -strengths))[:MOST_POSITIVES]
        best = best[strengths[best] >= np.float32(COUPLED_FROM)]
        strongest[row, : len(best)] = neighbours[best]
    return strongest
