"""The words of headings in English, French, German, Spanish and Portuguese, and those of pages that are no papers."""

import re
import tomllib
from pathlib import Path

from panelist.corpus.manuscripts.lines import Line, clean_text

_TABLES = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
_HEADINGS = {name: "|".join(words) for name, words in _TABLES["headings"].items()}
_NUMBER = r"^[\W_]*(?:(?:\d+(?:\.\d+)*|[IVX]+)[\s.:)]+)?"
PROSE = re.compile(rf"\b(?:{'|'.join(_TABLES['prose'])})\b")
"""Words of sentences, which names and addresses lack."""
FRONT = re.compile(rf"^\W*(?:(?:{'|'.join(_TABLES['front'])})\b|©|\d)", re.IGNORECASE)
"""What lines about an article begin with, which are no names."""
ABSTRACT = re.compile(
    rf"^\W*(?:{_HEADINGS['abstract']})(?![\w-])(?:\s*$|\s*[.:—–-]+\s*|\s+(?=(?-i:[A-ZÀ-Þ\d“\"])))", re.IGNORECASE
)
"""The heading of an abstract, and what stands between it and the first word."""
AFTER_ABSTRACT = re.compile(
    rf"{_NUMBER}(?:{_HEADINGS['after_abstract']})(?![a-zà-ÿ])|^\W*\d+(?:\.\d+)*\.?\s+[A-ZÀ-Þ][\w-]+(?:\s\w+){{0,3}}$",
    re.IGNORECASE,
)
REFERENCES = re.compile(rf"{_NUMBER}(?:{_HEADINGS['references']})\W*$", re.IGNORECASE)
AFTER_REFERENCES = re.compile(rf"^[\W\d]*(?:{_HEADINGS['after_references']})$", re.IGNORECASE)
BIOGRAPHY = re.compile(
    r"^(?:Dr\.? |Prof\.? )?(?:[^\W\d_a-z][\w.'’-]*\s+(?:(?:da|de|del|der|den|di|la|van"
    r"|von)\s+)*){2,5}(?:\([^)]*\)\s*)?"
    r"(?:is|was|received|holds|has|studied|obtained|earned|works|joined|graduated|completed)\b(?! to\b)"
)
"""How the life of an author begins, after the references of a journal."""

_COVERS = tuple(re.compile(words, re.IGNORECASE) for words in _TABLES["covers"].values())
_MOST_LINES = 70  # of a cover: a page of a paper may name a repository, too


def is_cover(lines: list[Line]) -> bool:
    """Whether a page is one that a repository or a journal put before the paper: it says so in several ways."""
    text = "\n".join(line.text for line in lines)
    signs = sum(bool(words.search(text)) for words in _COVERS)
    has_abstract = any(ABSTRACT.match(line.text) and len(clean_text(line.text)) < 20 for line in lines)
    return len(lines) < _MOST_LINES and (signs > 2 or (signs > 1 and not has_abstract))
