"""Whether a text is English: the taggers know nothing else."""

from __future__ import annotations

import re

_FREQUENT = """
the of and to a in is that for it as with be are this on not or by from an but which at have has was were can would
should i we they you authors paper more no if there their its what how why also does do
"""
_COMMON = frozenset(_FREQUENT.split())
_WORD = re.compile(r"[^\W\d_]+")
_FEWEST = 8  # words that a guess needs
_LEAST_SHARE = 0.15  # of common words; English prose has .35 to .5, lists of typos still .2


def is_english(text: str) -> bool:
    """Whether common English words are as frequent as in English; a few words get the benefit of the doubt."""
    words = _WORD.findall(text.lower())
    if not words:
        return True
    latin = sum(word.isascii() for word in words) / len(words)
    if latin < 0.5:
        return False
    return len(words) < _FEWEST or sum(word in _COMMON for word in words) / len(words) >= _LEAST_SHARE
