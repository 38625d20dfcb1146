"""The two typologies of aspects, what stands for what, and which aspects are weak after the mapping.

The shipped tagger learns Peer-Review-Analyze's aspects, because only their licence allows it. ReviewAdvisor's follow by
a mapping: its summary is what F1000RD calls a recap; its replicability has no counterpart, so a list of words stands in
for it. `appropriateness` and `recommendation` have no counterpart in ReviewAdvisor.
"""

from __future__ import annotations

import re
from collections.abc import Collection

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
    found = {TO_ADVISOR[aspect] for aspect in aspects if aspect in TO_ADVISOR}
    if pragmatics == "Recap" and not found - {"SOU"}:
        found = {"SUM"}
    if found and _REPLICABILITY.search(text):
        found.add("REP")
    return tuple(aspect for aspect in ADVISOR_NAMES if aspect in found)
