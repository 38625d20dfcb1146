"""Sentences of a review with their positions, and the heading that each stands under.

Reviews are lists, forms and prose at once, so lines count: a blank line, a list mark and a heading end a sentence; any
other line break is a space. A heading is a sentence of its own, marked as such.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_LIST_MARK = re.compile(
    r"\s*(?:[-*+•–—·o]|\(?\d{1,2}[.)]|\(?[a-zA-Z][)]|\[\d{1,2}\]|#\d{1,2}[:.)]?|Q\d{1,2}[:.)]?)(?:\s+|$)"
)
_MARKUP = re.compile(r"^[\s#*_>=-]+|[\s#*_=-]+$")
_HEADING_WORDS = (
    "abstract|additional|ambiguit|answer|areas? for|assessment|clarity|comment|concern|conclusion|confidence|cons?\\b|"
    "contribution|correctness|criticism|decision|detail|disadvantage|discussion|drawback|ethic|evaluation|experiment|"
    "feedback|final|general|grammar|impact|improvement|issue|justification|limitation|main|major|methods?\\b|minor|misc|"
    "motivation|negative|nitpick|note|novelty|originality|other|overall|overview|positive|presentation|pros?\\b|quality|"
    "question|rating|reason|recommendation|reference|related|relevance|remark|reproducib|result|review|score|"
    "significance|small|soundness|specific|strength|strong|substance|suggest|summar|technical|typo|update|weak|writing"
)
_KNOWN_HEADING = re.compile(rf"(?:the |my |some |a |paper |detailed )?(?:{_HEADING_WORDS})", re.IGNORECASE)
_LEAD = re.compile(r"([^\n.?!:]{2,60}):[ \t]*(?=\S)")
_LONGEST_HEADING = 8  # words
_END = re.compile(r"[.?!…]+[\"'”’)\]]*(?=\s)|[.?!…]+[\"'”’)\]]*$")
_STARTER = re.compile(r"[\s\"'“‘(\[*_]*[A-Z0-9À-ÖØ-ÞΑ-Ω$\\]|\s*[-*•–]")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"“])(?:[A-Za-z]|\d{1,2}|e\.g|i\.e|et al|etc|cf|vs|resp|approx|figs?|tab|secs?|sect|eqs?|eqn|refs?|"
    r"nos?|vol|pp?|thm|lem|prop|cor|def|alg|ch|app|appx|suppl|dr|prof|mr|mrs|ms|st|w\.r\.t|w\.l\.o\.g|a\.k\.a|i\.i\.d|viz|"
    r"incl|max|min|avg|std|dept|univ|inc|ltd|jr|sr)\.$",
    re.IGNORECASE,
)
_ENDS_ANYWAY = re.compile(r"(?:etc|et al|i\.i\.d|\d{1,2}|[A-Za-z])\.$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of a text, `text[start:end]`; `heading` is the last heading before it, in lower case."""

    text: str
    start: int
    end: int
    heading: str = ""
    is_heading: bool = False


def split(text: str) -> list[Sentence]:
    """The sentences of a text in order; what has neither letters nor digits (rules, stray marks) is left out."""
    sentences: list[Sentence] = []
    heading = ""
    for start, end in _blocks(text):
        lead = _heading_end(text[start:end])
        if lead:
            sentences.append(_sentence(text, start, start + lead, "", True))
            heading = heading_words(sentences[-1].text)
        sentences.extend(_sentence(text, s, e, heading, False) for s, e in _ends(text, start + lead, end))
    return [sentence for sentence in sentences if any(character.isalnum() for character in sentence.text)]


def already_split(texts: Sequence[str]) -> list[Sentence]:
    """Sentences that somebody else has split, with the headings that are in and between them."""
    sentences = []
    heading, position = "", 0
    for text in texts:
        lead = _heading_end(text)
        if lead:
            heading = heading_words(text[:lead])
        sentence = text[lead:].strip()
        sentences.append(Sentence(sentence or text.strip(), position, position + len(text), heading, not sentence))
        position += len(text) + 1
    return sentences


def heading_words(text: str) -> str:
    """A heading without its marks, in lower case."""
    mark = _LIST_MARK.match(text)
    bare = _MARKUP.sub("", text[mark.end() if mark else 0 :].strip().rstrip(":"))
    return bare.rstrip(":").replace("_", " ").strip().lower()


def _sentence(text: str, start: int, end: int, heading: str, is_heading: bool) -> Sentence:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    piece = piece.strip()
    return Sentence(" ".join(piece.split()), start, start + len(piece), heading, is_heading)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs, list items and heading lines."""
    start = position = 0
    for line in text.splitlines(keepends=True):
        empty = not any(character.isalnum() for character in line)
        if position > start and (empty or _LIST_MARK.match(line) or _is_heading(line)):
            yield start, position
            start = position
        position += len(line)
        if _is_heading(line):
            yield start, position
            start = position
    if position > start:
        yield start, position


def _is_heading(line: str) -> bool:
    bare = heading_words(line)
    stripped = line.strip()
    if not bare or len(bare.split()) > _LONGEST_HEADING or stripped[-1] in ".?!,;":
        return False
    if stripped[0].islower() and not _LIST_MARK.match(line):  # the rest of a sentence that was wrapped
        return False
    marked = stripped.startswith("#") or (stripped.startswith("**") and stripped.rstrip(":").endswith("**"))
    usual = _KNOWN_HEADING.match(bare) is not None and len(bare.split()) <= 4 and ":" not in bare
    return marked or usual or stripped.endswith(":")


def _heading_end(block: str) -> int:
    """How many characters of the block are its heading: a line of its own, or words before a colon."""
    line, newline, _ = block.lstrip().partition("\n")
    skipped = len(block) - len(block.lstrip())
    if _is_heading(line):
        return skipped + len(line) + len(newline)
    mark = _LIST_MARK.match(block)
    lead = _LEAD.match(block, mark.end() if mark else skipped)
    if lead is not None and len(lead[1].split()) <= 4 and _KNOWN_HEADING.match(heading_words(lead[1])):
        return lead.end()
    return 0


def _ends(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a block after full stops, question and exclamation marks that end a sentence."""
    mark = _LIST_MARK.match(text, start, end)
    for stop in _END.finditer(text, mark.end() if mark else start, end):
        before, after = text[start : stop.end()], text[stop.end() : end]
        if after.strip() and not _STARTER.match(after):
            continue
        if stop[0] == "." and _ABBREVIATION.search(before) and after.strip():
            followed = re.match(r"\s+[A-Z][a-z]+\s", after)
            if not (_ENDS_ANYWAY.search(before) and followed and len(before) > 20):
                continue
        yield start, stop.end()
        start = stop.end()
    if text[start:end].strip():
        yield start, end
