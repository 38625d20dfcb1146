"""References of a manuscript, from what any tool exports: one door, which tells formats by their content.

Which paper of a corpus a reference means is decided by `retriever.references`.
"""

import re
from collections.abc import Callable, Iterable

from msgspec import Struct

from panelist.corpus.readers.bibliography.bibtex import read_bbl, read_bibtex
from panelist.corpus.readers.bibliography.exchange import read_csl, read_endnote, read_zotero
from panelist.corpus.readers.bibliography.printed import read_text
from panelist.corpus.readers.bibliography.tagged import read_isi, read_ris
from panelist.corpus.readers.rows import decode_text
from panelist.errors import InputError
from panelist.records import Reference

KINDS = (
    "BibTeX, RIS, PubMed, Web of Science, EndNote XML, CSL-JSON, Zotero RDF, .bbl, "
    "or text with one per line or numbered"
)
SUFFIXES = (".bib", ".ris", ".nbib", ".ciw", ".isi", ".enw", ".bbl", ".rdf", ".xml", ".json")
"""The endings of files that contain nothing but references; plain text has none of its own."""

_FORMATS: tuple[tuple[str, re.Pattern[str], Callable[[str], Iterable[Reference]]], ...] = tuple(
    (name, re.compile(begin, re.MULTILINE), read)
    for name, begin, read in (
        ("CSL-JSON", r"\A\s*(?:\[\s*[\[{\]]|\{\s*[\"}])", read_csl),
        ("Zotero RDF", r"\A\s*<(?:[^@]*?<)?rdf:RDF", read_zotero),
        ("EndNote XML", r"\A\s*<", read_endnote),
        (".bbl", r"^\s*\\bibitem\b", read_bbl),
        ("BibTeX", r"^\s*@\s*\w+\s*[{(]", read_bibtex),
        ("RIS", r"^\s?(?:TY\s+- |PMID\s*-)", read_ris),
        ("Web of Science", r"^(?:FN|VR|PT) \S", read_isi),
        ("text", "", read_text),
    )
)


class Bibliography(Struct, frozen=True):
    """What a file holds: its references, its format, and how many entries were left out, by reason."""

    references: tuple[Reference, ...]
    format: str
    left_out: dict[str, int] = {}

    def cut(self, limit: int) -> "Bibliography":
        """With at most so many references; the others are counted among what was left out."""
        excess = len(self.references) - limit
        left_out = self.left_out | ({f"over the limit of {limit:,}": excess} if excess > 0 else {})
        return Bibliography(self.references[:limit], self.format, left_out)


def read_bibliography(content: bytes, name: str = "the file") -> Bibliography:
    """The references of a file of any format of `KINDS`, told by its content; messages call it by this name.

    Each has a `text`: the printed line, else title and DOI. Content without any is an `InputError`.
    """
    try:
        text = decode_text(content)
        kind, read = next((kind, read) for kind, begin, read in _FORMATS if begin.search(text))
        if kind == "text" and name.lower().endswith(SUFFIXES):
            raise InputError(f"'{name}' is not what its ending says: give {KINDS}")
        entries = list(read(text))
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot read references from '{name}': {str(error).splitlines()[0]}") from error
    references = tuple(entry for entry in entries if entry.title or (kind in ("text", ".bbl") and entry.text))
    if not references:
        raise InputError(f"'{name}' holds no reference with a title: give {KINDS}")
    missing = len(entries) - len(references)
    return Bibliography(references, kind, {"no title": missing} if missing else {})
