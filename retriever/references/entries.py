"""The references of a submission as entries: the keys of a cited work, its authors as printed, and what to call it."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from indexing.tables.names import NameCode, name_code
from panelist.corpus.readers.bibliography.printed import read_entry
from panelist.corpus.reference_keys import doi_key, keys_of
from panelist.records import Reference, Submission

_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?10\.\d[\d.]*/\S+", re.IGNORECASE)


class Entry(NamedTuple):
    """A cited work; without keys only its `text` tells which it is."""

    keys: tuple[str, ...]
    authors: tuple[NameCode, ...]
    label: str
    text: str = ""


def entries_of(submission: Submission) -> list[Entry]:
    """What a submission cites, each work once: its bibliography, then the other references."""
    entries: list[Entry] = []
    seen: set[str] = set()
    for entry in _all(submission):
        marks = entry.keys or (entry.text,)
        if seen.isdisjoint(marks):
            entries.append(entry)
        seen.update(marks)
    return entries


def _all(submission: Submission) -> Iterator[Entry]:
    for reference in submission.bibliography:
        yield _entry(reference)
    lines = {" ".join(reference.text.split()) for reference in submission.bibliography if reference.text}
    for text in map(str.strip, submission.references):
        if " " not in text:
            yield Entry((doi_key(text) if _DOI.fullmatch(text) else text,), (), text)
        elif " ".join(text.split()) not in lines:
            yield _entry(read_entry(text))


def _entry(reference: Reference) -> Entry:
    codes = (name_code(name) for name in reference.authors)
    authors = tuple(code for code in codes if code.key)
    return Entry(keys_of(reference), authors, reference.title or reference.text, reference.text)


def names_fit(name: NameCode, others: Sequence[NameCode]) -> bool:
    """Whether a name may be one of these."""
    return any(
        name.key == other.key
        and (name.second == other.second or not name.second or not other.second)
        and (name.given == other.given or not name.given or not other.given)
        for other in others
    )
