"""A share of people whom the submission does not cite: to cite somebody must not be a way to choose one's reviewers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retriever.stages import Shortlist

TEN = 10
"""Of how many people a number who are not cited is counted."""


def keep_uncited(shortlist: Shortlist, chosen: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    """Some rows of a shortlist, of which at least `least` of ten are not cited, as far as the shortlist has others.

    The last of those who are cited make room for the best of the others, who stand at the end.
    """
    if least == 0 or shortlist.citations is None:
        return chosen
    authors, citations = shortlist.ranked.authors, shortlist.citations
    cited = citations.are_cited(authors[chosen])
    spare = shortlist.rows[~np.isin(shortlist.rows, chosen)]
    spare = spare[~citations.are_cited(authors[spare])]
    missing = max(least * len(chosen) // TEN - int((~cited).sum()), 0)
    others = spare[: min(missing, int(cited.sum()))]
    gone = np.flatnonzero(cited)[::-1][: len(others)]
    return np.concatenate([np.delete(chosen, gone), others])
