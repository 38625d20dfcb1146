"""DOIs, and the keys of works that are cited: `doi:…`, else `title:…`, the same for a work wherever it is cited.

The year is not part of a key: a preprint and the paper that it became have different ones, and are one work.
"""

import re

from panelist.records import Paper, Reference

TITLE_LENGTH = 80
"""Letters and digits of a title that are compared; subtitles are often left out."""

_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_LEAST = 8  # ASCII letters and digits; a title with fewer of them is in another script
_OTHER = re.compile(r"[^a-z0-9]+")


def bare_doi(doi: str) -> str:
    """A DOI without address or `doi:`, in lower case: DOIs are equal whatever the case of their letters."""
    return _PREFIX.sub("", doi.strip()).lower()


def paper_link(paper: Paper) -> str | None:
    """Where a paper can be read: its DOI's address, else its id if that is an address."""
    doi = bare_doi(paper.doi or "")
    if doi.startswith("10."):
        return f"https://doi.org/{doi}"
    return paper.id if paper.id.startswith(("https://", "http://")) else None


def doi_key(doi: str) -> str:
    """The key of a DOI, however it is written.

    >>> doi_key("https://doi.org/10.7554/eLife.00003")
    'doi:10.7554/elife.00003'
    """
    return f"doi:{bare_doi(doi)}"


def title_key(title: str) -> str:
    """The key of a title: the first letters and digits of it, in lower case; empty where it has none.

    >>> title_key("Attention Is All You Need!")
    'title:attentionisallyouneed'
    """
    plain = _OTHER.sub("", title.lower())
    if len(plain) < _LEAST and not title.isascii():
        plain = "".join(filter(str.isalnum, title.casefold()))
    return f"title:{plain[:TITLE_LENGTH]}" if plain else ""


def keys_of(reference: Reference) -> tuple[str, ...]:
    """All keys of an entry, the surest first."""
    return tuple(filter(None, (doi_key(reference.doi) if reference.doi else "", title_key(reference.title))))
