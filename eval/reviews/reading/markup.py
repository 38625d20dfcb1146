"""Plain text out of HTML and Markdown, and whether it is English: the taggers know nothing else.

Lines, lists and headings stay: they say how a review is built.
"""

import re
from html import unescape
from html.parser import HTMLParser

_TAG = re.compile(
    r"</?(?:p|br|div|span|ul|ol|li|b|i|em|strong|h[1-6]|a|table|tr|td|blockquote|code|pre|sup|sub)\b[^>]*>", re.I
)
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


def plain(text: str) -> str:
    """The text without markup."""
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if _TAG.search(text):
        parser = _Plain()
        parser.feed(text)
        parser.close()
        text = "".join(parser.pieces)
    elif "&" in text:
        text = unescape(text)
    for pattern, replacement in _MARKDOWN:
        text = pattern.sub(replacement, text)
    text = _HEADING_COLONS.sub(":", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


class _Plain(HTMLParser):
    """Collects the text between tags; list items and headings begin lines."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style"):
            self._silent += 1
        elif tag == "li":
            self.pieces.append("\n- ")
        elif tag in _BREAKS or re.fullmatch(r"h[1-6]", tag):
            self.pieces.append("\n" if tag == "br" else "\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._silent = max(0, self._silent - 1)
        elif re.fullmatch(r"h[1-6]", tag):
            self.pieces.append(":\n")
        elif tag in _BREAKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.pieces.append(data)


def is_english(text: str) -> bool:
    """Whether common English words are as frequent as in English; a few words get the benefit of the doubt."""
    words = _WORD.findall(text.lower())
    if not words:
        return True
    latin = sum(word.isascii() for word in words) / len(words)
    if latin < 0.5:
        return False
    return len(words) < _FEWEST or sum(word in _COMMON for word in words) / len(words) >= _LEAST_SHARE
