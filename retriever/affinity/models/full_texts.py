"""Full texts of papers and submissions, where available: JSON lines of `id` and `text`, or of word `counts`.

A file may be gzipped; `ssId` is read as `id`, as in the gold standard's release. Texts are not part of the corpus: they
are large, and only some models can use them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from panelist.corpus.readers.lines import read_json_lines
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError

_WORD = re.compile(r"[a-z]{2,}")


class FullTexts:
    """Full texts by id of the paper, or counts of their words."""

    def __init__(
        self,
        texts: Mapping[str, str],  # the text of each paper that has one
        counts: Mapping[str, Mapping[str, int]],  # how often each word occurs, of papers whose text is not known
    ) -> None:
        self._texts, self._counts = texts, counts

    @classmethod
    def read(cls, path: Path) -> FullTexts:
        """Read the full texts of a file."""
        if not path.is_file():
            raise InputError(f"the file of full texts does not exist: '{path}'")
        report = ReadReport()
        texts: dict[str, str] = {}
        counts: dict[str, dict[str, int]] = {}
        for number, record in read_json_lines(path, report):
            identity = record.get("id", record.get("ssId"))
            text, words = record.get("text"), record.get("counts")
            counted = isinstance(words, dict) and all(type(count) is int and count > 0 for count in words.values())
            if isinstance(identity, str) and isinstance(text, str):
                texts[identity] = text
            elif isinstance(identity, str) and isinstance(words, dict) and counted:
                counts[identity] = words
            else:
                report.reject(path, number, "expected 'id' and 'text', or 'id' and 'counts' of words")
        if report.rejected:
            raise InputError(f"{report.rejections[0]} ({report.rejected:,} such lines): correct the file of full texts")
        return cls(texts, counts)

    def word_counts(self, paper_id: str) -> Mapping[str, int] | None:
        """How often each word occurs; None where there is no full text."""
        if paper_id in self._counts:
            return self._counts[paper_id]
        return count_words(self._texts[paper_id]) if paper_id in self._texts else None

    def passages(self, paper_id: str, words: int, limit: int) -> list[str]:
        """The first `limit` passages of `words` words each; none where there is no text."""
        text = self._texts.get(paper_id, "").split(maxsplit=words * limit)[: words * limit]
        return [" ".join(text[start : start + words]) for start in range(0, len(text), words)]


def count_words(text: str) -> Counter[str]:
    """How often each word (lower case, two letters or more) occurs."""
    return Counter(_WORD.findall(text.lower()))
