"""DOIs, however they are written."""

import re

from panelist.records import Paper

_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)


def bare_doi(doi: str) -> str:
    """A DOI without address or `doi:`, in lower case: DOIs are equal whatever the case of their letters."""
    return _PREFIX.sub("", doi.strip()).lower()


def paper_link(paper: Paper) -> str | None:
    """Where a paper can be read: its DOI's address, else its id if that is an address."""
    if paper.doi:
        doi = bare_doi(paper.doi)
        if doi.startswith("10."):
            return f"https://doi.org/{doi}"
    return paper.id if paper.id.startswith(("https://", "http://")) else None
