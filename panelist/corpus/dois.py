"""DOIs, however they are written."""

from __future__ import annotations

import re

_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)


def bare_doi(doi: str) -> str:
    """A DOI without address or `doi:`, in lower case: DOIs are equal whatever the case of their letters."""
    return _PREFIX.sub("", doi.strip()).lower()
