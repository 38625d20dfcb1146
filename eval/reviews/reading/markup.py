"""Plain text out of HTML and Markdown, and whether it is English: the taggers know nothing else.

Lines, lists and headings stay: they say how a review is built.
"""

import re
from html import unescape

_KNOWN_TAG = re.compile(
    r"</?(?:p|br|div|span|ul|ol|li|b|i|em|strong|h[1-6]|a|table|tr|td|blockquote|code|pre|sup|sub)\b[^<>]*>", re.I
)
_TAG = re.compile(r"<(/?)([a-z][a-z0-9-]*)\b[^<>]*>", re.I)
_UNSEEN = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.I | re.S)
_BREAKS = {"p", "br", "div", "ul", "ol", "tr", "table", "blockquote", "pre"}
_MARKDOWN = (
    (re.compile(r"!\[([^\]\n]*)\]\([^)\s]*\)"), r"\1"),
    (re.compile(r"\[([^\]\n]+)\]\((?:https?:|mailto:|#)[^)\s]*\)"), r"\1"),
    (re.compile(r"(?m)^(\s*)(#{1,6}) *([^\n#]+?) *#*\s*$"), r"\1\3:"),
    (re.compile(r"(?<![*\w])\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*(?![*\w])"), r"\1"),
    (re.compile(r"(?<![*\w\\])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![*\w])"), r"\1"),
    (re.compile(r"(?<![_\w])__(?=\S)([^_\n]+?)(?<=\S)__(?![_\w])"), r"\1"),
    (re.compile(r"(?m)^\s*>+ ?"), ""),
    (re.compile(r"(?m)^```\w*$|`([^`\n]+)`"), r"\1"),
)
_HEADING_COLONS = re.compile(r"(?m)::+$|:\s*:$")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\ufeff]")
_FREQUENT = """
the of and to a in is that for it as with be are this on not or by from an but which at have has was were can would
should i we they you authors paper more no if there their its what how why also does do
"""
_COMMON = frozenset(_FREQUENT.split())
_WORD = re.compile(r"[^\W\d_]+")
_FEWEST = 8  # words that a guess needs
_LEAST_SHARE = 0.15  # the least share of common words; English prose has .35 to .5, lists of typos still .2


def plain_text(text: str) -> str:
    """The text without markup."""
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if _KNOWN_TAG.search(text):
        text = _TAG.sub(_line_break, _UNSEEN.sub("", text))
    text = unescape(text)
    for pattern, replacement in _MARKDOWN:
        text = pattern.sub(replacement, text)
    text = _HEADING_COLONS.sub(":", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _line_break(tag: re.Match[str]) -> str:
    """What stands for a tag: list items and headings begin lines, and a heading ends with a colon."""
    closing, name = bool(tag[1]), tag[2].lower()
    if name == "li":
        return "" if closing else "\n- "
    if re.fullmatch(r"h[1-6]", name):
        return ":\n" if closing else "\n\n"
    if name in _BREAKS:
        return "\n" if closing or name == "br" else "\n\n"
    return ""


def is_english(text: str) -> bool:
    """Whether common English words are as frequent as in English; a few words get the benefit of the doubt."""
    words = _WORD.findall(text.lower())
    if not words:
        return True
    latin = sum(word.isascii() for word in words) / len(words)
    if latin < 0.5:
        return False
    return len(words) < _FEWEST or sum(word in _COMMON for word in words) / len(words) >= _LEAST_SHARE
