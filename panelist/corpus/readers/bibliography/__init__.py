"""References of a manuscript, from BibTeX, RIS, PubMed's format, or text with one per line.

Which paper of a corpus a reference means is decided by `retriever.references`.
"""

from pathlib import Path

from panelist.corpus.readers.bibliography.bibtex import read_bibtex
from panelist.corpus.readers.bibliography.printed import read_entry
from panelist.corpus.readers.bibliography.ris import read_ris
from panelist.corpus.readers.rows import decode_text
from panelist.errors import InputError
from panelist.records import Reference

_READERS = {".bib": read_bibtex, ".ris": read_ris, ".nbib": read_ris}


def read_bibliography(path: Path) -> tuple[Reference, ...]:
    """The references of a file: `.bib`, `.ris`, `.nbib` (PubMed), or text with one per line.

    Each has a `text`: the printed line, else title and DOI. A file without any is an `InputError`.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read references from '{path}': {error}") from error
    return parse_bibliography(content, str(path), path.suffix)


def parse_bibliography(content: bytes, name: str, suffix: str) -> tuple[Reference, ...]:
    """The references in the content of such a file; messages call it by this name."""
    try:
        text = decode_text(content)
        read = _READERS.get(suffix.lower())
        references = tuple(read(text) if read else map(read_entry, filter(str.strip, text.splitlines())))
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read references from '{name}': {error}") from error
    if not references:
        raise InputError(f"'{name}' holds no reference: give BibTeX (.bib), RIS (.ris) or text with one per line")
    return references
