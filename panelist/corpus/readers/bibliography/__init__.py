"""References of a manuscript, from BibTeX, RIS, PubMed's format, or text with one per line.

Which paper of a corpus a reference means is decided by `retriever.references`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from panelist.corpus.readers.bibliography.printed import read_entry
from panelist.corpus.readers.rows import decode_text
from panelist.errors import InputError
from panelist.records import Reference


def read_bibliography(path: Path) -> tuple[Reference, ...]:
    """The references of a file: `.bib`, `.ris`, `.nbib` (PubMed), or text with one per line.

    Each has a `text`: the printed line, else title and DOI.

    Raises:
        InputError: the file cannot be read, or holds no reference.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read references from '{path}': {error}") from error
    return parse_bibliography(content, str(path), path.suffix)


def parse_bibliography(content: bytes, name: str, suffix: str) -> tuple[Reference, ...]:
    """The references in the content of such a file; messages call it by this name.

    Raises:
        InputError: it is no text, or holds no reference.
    """
    try:
        references = tuple(_reader(suffix.lower())(decode_text(content)))
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read references from '{name}': {error}") from error
    if not references:
        raise InputError(f"'{name}' holds no reference: give BibTeX (.bib), RIS (.ris) or text with one per line")
    return references


def _reader(suffix: str) -> Callable[[str], Iterator[Reference]]:
    if suffix == ".bib":
        from panelist.corpus.readers.bibliography.bibtex import read_bibtex

        return read_bibtex
    if suffix in (".ris", ".nbib"):
        from panelist.corpus.readers.bibliography.ris import read_ris

        return read_ris
    return lambda text: (read_entry(line) for line in text.splitlines() if line.strip())
