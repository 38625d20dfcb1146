"""Given names that may be of one person: initials, short forms, spellings of one name in another alphabet.

Short forms are those of a table, `given_names.txt` (Kate, Katherine), and beginnings of three letters or more (Tim,
Timothy; Yuri, Yuriy). Spellings are compared without what transliterations vary: Anja, Anya. Beginnings and spellings
do not count between names made of Chinese syllables: Yan and Yang are two names.
"""

import re
from functools import cache, lru_cache
from pathlib import Path

DIGRAPHS = re.compile("ae|oe|ue|aa")
_LEAST_BEGINNING = 3  # letters
_LEAST_SPELLING = 3
_SYLLABLE = re.compile(  # of pinyin, without tones
    r"[jqx](?:i(?:an?g?|e|ao|u|ng?|ong)?|u(?:e|an|n)?)|(?:[bpmfdtnlgkhrzcsyw]|[zcs]h)(?:[aeiouv]|[aeu]i|[ao]o|ao|ou|iu|ie|[uv]e|[aeiuv]n|[aeio]ng"
    r"|i?ao|i?ang?|iong|u?a|uo|u?ai|u?ang?|ia)|a|e|o|ai|ei|ao|ou|er|[ae]ng?"
)
_LONGEST_SYLLABLE = 6
_SPELLINGS = (  # what stands for the same sounds
    (re.compile("ph"), "f"),
    (re.compile("th"), "t"),
    (re.compile("sch|sh|sz"), "s"),
    (re.compile("ch|ck|k|q"), "c"),
    (re.compile("x"), "cs"),
    (re.compile("[yj]|ie|ee"), "i"),
    (re.compile("w"), "v"),
    (re.compile("ou|oo"), "u"),
    (re.compile("h"), ""),
    (re.compile(r"(.)\1+"), r"\1"),
)


@lru_cache(maxsize=1 << 16)
def may_be_one(one: str, other: str) -> bool:
    """Whether two given names, in lower case and without accents, may be of one person.

    >>> may_be_one("tim", "timothy"), may_be_one("yuri", "yuriy"), may_be_one("yan", "yang")
    (True, True, False)
    """
    if one == other:
        return True
    if not one or not other:
        return False
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) == 1:
        return any(form.startswith(shorter) for form in (longer, *short_forms(longer)))
    if other in short_forms(one):
        return True
    if _of_syllables(one) and _of_syllables(other):
        return False
    if len(shorter) >= _LEAST_BEGINNING and longer.startswith(shorter):
        return True
    return len(shorter) >= _LEAST_SPELLING and spelling(one) == spelling(other)


def short_forms(name: str) -> frozenset[str]:
    """The other forms of a given name that the table has: Kate of Katherine, and Katherine of Kate.

    The second letter of ae, oe, ue and aa is left out, as in the words of names: Michael is Michal.
    """
    return _table().get(_folded(name), frozenset())


def _folded(name: str) -> str:
    return DIGRAPHS.sub(lambda two: two[0][0], name)


@lru_cache(maxsize=1 << 14)
def _of_syllables(name: str) -> bool:
    """Whether a name is made of Chinese syllables."""
    ends = {0}  # of syllables, one after the other
    for end in range(1, len(name) + 1):
        begins = range(max(0, end - _LONGEST_SYLLABLE), end)
        if any(begin in ends and _SYLLABLE.fullmatch(name, begin, end) for begin in begins):
            ends.add(end)
    return len(name) in ends


@lru_cache(maxsize=1 << 14)
def spelling(name: str) -> str:
    """A name without what transliterations vary."""
    for sound, letter in _SPELLINGS:
        name = sound.sub(letter, name)
    return name


@cache
def _table() -> dict[str, frozenset[str]]:
    forms: dict[str, set[str]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        name, *short = map(_folded, line.split())
        for form in short if name != "#" else ():
            forms.setdefault(name, set()).add(form)
            forms.setdefault(form, set()).add(name)
    return {name: frozenset(short_forms) for name, short_forms in forms.items()}
