"""The rules by which ReviewAdvisor cleans the output of its token tagger (Appendix A.5), as far as they fit sentences.

1. What is untagged between two summaries is summary too.
2. Of several stretches of summary only the first is kept.
7. A summary ends where a sentence ends: here it always does.

Rules 3 to 6 correct tags inside a sentence (a comma with a tag of its own, a single tagged word, a span that stops
short of a comma). They have nothing to do where the sentence is the unit; rule 4, applied to sentences, would overwrite
what a reviewer says between two remarks on one aspect.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

SUMMARY = "SUM"


def clean(tags: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The aspects of each sentence after the rules, in the order in which the paper applies them."""
    return _first_only(_filled(tags))


def _filled(tags: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    cleaned = list(tags)
    summaries = [number for number, aspects in enumerate(tags) if SUMMARY in aspects]
    for before, after in pairwise(summaries):
        if not any(tags[before + 1 : after]):
            cleaned[before + 1 : after] = [(SUMMARY,)] * (after - before - 1)
    return cleaned


def _first_only(tags: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    cleaned = []
    over = started = False
    for aspects in tags:
        started = started or SUMMARY in aspects
        over = over or (started and SUMMARY not in aspects)
        cleaned.append(tuple(a for a in aspects if a != SUMMARY) if over else aspects)
    return cleaned
