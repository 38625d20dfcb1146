"""The two typologies of aspects, the mapping between them, and the rules that clean what the mapping gives.

The shipped tagger learns Peer-Review-Analyze's aspects, because only their licence allows it. ReviewAdvisor's follow by
a mapping: its summary is what F1000RD calls a recap; its replicability has no counterpart, so a list of words stands in
for it. `appropriateness` and `recommendation` have no counterpart in ReviewAdvisor.

ReviewAdvisor cleans the output of its token tagger by seven rules (Appendix A.5), of which these fit sentences:

1. What is untagged between two summaries is summary too.
2. Of several stretches of summary only the first remains.

Rules 3 to 7 correct tags inside a sentence; rule 4, applied to sentences, would overwrite what a reviewer says between
two remarks on one aspect.
"""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

NAMES = {
    "APR": "appropriateness",
    "NOV": "novelty",
    "IMP": "impact",
    "CMP": "comparison",
    "PNF": "presentation",
    "REC": "recommendation",
    "EMP": "soundness",
    "SUB": "substance",
    "CLA": "clarity",
}
"""Peer-Review-Analyze (Ghosal et al. 2022)."""

ADVISOR_NAMES = {
    "SUM": "summary",
    "MOT": "motivation",
    "ORI": "originality",
    "SOU": "soundness",
    "SUB": "substance",
    "REP": "replicability",
    "CMP": "comparison",
    "CLA": "clarity",
}
"""ReviewAdvisor (Yuan et al. 2021)."""

SUMMARY = "SUM"
TO_ADVISOR = {"NOV": "ORI", "IMP": "MOT", "CMP": "CMP", "PNF": "CLA", "EMP": "SOU", "SUB": "SUB", "CLA": "CLA"}
WEAK = {
    "MOT": "impact is seldom stated explicitly, and the tagger finds a quarter to a third of it",
    "SUB": "what is 'too little' and what is 'not sound' is told apart with difficulty, by people too",
    "REP": "nothing was learned about it: a list of words stands in",
}
"""Aspects that are weak after the mapping, and why; shown wherever they are."""

_REPLICABILITY = re.compile(
    r"\b(?:reproduc\w*|replica(?:te|ted|ting|tion|bility|ble)|re-?implement\w*|"
    r"code (?:is|be|will|and|release\w*|avail\w*)|"
    r"release\w* (?:the |your |their )?(?:code|data)|hyper-?parameters?|implementation details?|training details?|"
    r"random seeds?|open[- ]sourc\w*)\b",
    re.IGNORECASE,
)


def advisor_aspects(aspects: Collection[str], pragmatics: str, text: str) -> tuple[str, ...]:
    """ReviewAdvisor's aspects of a sentence with these tags, in the order of its typology."""
    mapped = {TO_ADVISOR[aspect] for aspect in aspects if aspect in TO_ADVISOR}
    if pragmatics == "Recap" and not mapped - {"SOU"}:
        mapped = {SUMMARY}
    if mapped and _REPLICABILITY.search(text):
        mapped.add("REP")
    return tuple(aspect for aspect in ADVISOR_NAMES if aspect in mapped)


def clean(tags: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The aspects of each sentence after the rules, in the order in which the paper applies them."""
    cleaned = list(tags)
    summaries = [number for number, aspects in enumerate(tags) if SUMMARY in aspects]
    for before, after in pairwise(summaries):
        if not any(tags[before + 1 : after]):
            cleaned[before + 1 : after] = [(SUMMARY,)] * (after - before - 1)
    over = started = False
    for number, aspects in enumerate(cleaned):
        started = started or SUMMARY in aspects
        over = over or (started and SUMMARY not in aspects)
        if over:
            cleaned[number] = tuple(aspect for aspect in aspects if aspect != SUMMARY)
    return cleaned
