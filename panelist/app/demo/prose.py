"""Titles and abstracts from the phrases of a theme: background, gap, method, data, results, implication."""

import re
from collections.abc import Iterable
from random import Random
from typing import Generic, NamedTuple, TypeVar

from panelist.app.demo.material import DemoTheme, Inquiry

# The moves of an abstract, each in several wordings. They name no subject: that comes from the theme's phrases.
_MOVES: dict[str, tuple[str, ...]] = {
    "background": ("{background}",),
    "gap": (
        "However, it remains unclear {question}.",
        "Yet few studies have asked {question}.",
        "Little is known about {question}.",
        "Previous work leaves open {question}.",
        "So far it has been difficult to say {question}.",
        "There is no agreement on {question}.",
    ),
    "aim": (
        "Here we ask {question}.",
        "This paper examines {question}.",
        "We set out to determine {question}.",
        "In this study we investigate {question}.",
        "The present work addresses {question}.",
    ),
    "study": (
        "We combine {method} with {data}.",
        "The study brings together {data} and {method}.",
        "Drawing on {data}, we use {method}.",
        "We rely on {method} and on {data}.",
        "Our analysis of {data} is supported by {method}.",
        "We analyse {data}; further evidence comes from {method}.",
    ),
    "aimed_study": (
        "To find out {question}, we combine {method} with {data}.",
        "We ask {question}, using {method} and {data}.",
        "To determine {question}, we analyse {data}.",
    ),
    "method": (
        "Our approach combines {method} with {other_method}.",
        "We tackle this with {method}, complemented by {other_method}.",
        "We rely on {method} and check the results with {other_method}.",
        "The study rests on {method}.",
        "We approach the problem with {method}.",
    ),
    "data": (
        "We draw on {data}.",
        "Our material consists of {data}.",
        "The analysis covers {data}.",
        "The evidence rests on {data}.",
        "As a basis we use {data}.",
    ),
    "result": (
        "We find that {finding}.",
        "Our results show that {finding}.",
        "The main result is that {finding}.",
        "We observe that {finding}.",
        "We report that {finding}.",
        "{finding}.",
    ),
    "more": (
        "In addition, {other_finding}.",
        "We also find that {other_finding}.",
        "Moreover, {other_finding}.",
        "At the same time, {other_finding}.",
        "A closer look shows that {other_finding}.",
        "{other_finding}.",
    ),
    "implication": (
        "These results {implication}.",
        "Our findings {implication}.",
        "Taken together, the results {implication}.",
        "The findings {implication}.",
        "Together, these observations {implication}.",
    ),
}
_PLANS = (
    ("background", "gap", "study", "result", "more", "implication"),
    ("background", "gap", "method", "data", "result", "more", "implication"),
    ("background", "aim", "study", "result", "more", "implication"),
    ("background", "aim", "method", "data", "result", "implication"),
    ("background", "aimed_study", "result", "more", "implication"),
    ("background", "aimed_study", "result", "implication"),
    ("aim", "background", "study", "result", "more"),
    ("aimed_study", "result", "more", "implication"),
)
_SLOT = re.compile(r"\{([^{}]+)\}")
_CLOSING_CHANCE = 0.25
_LONGEST = 7

T = TypeVar("T")


class PaperText(NamedTuple):
    """What a paper says."""

    title: str
    abstract: str


class Deck(Generic[T]):
    """Deals cards at random, each once before any comes again: neighbours in a theme do not sound alike."""

    def __init__(self, cards: Iterable[T], random: Random) -> None:
        self._cards, self._random = tuple(cards), random
        self._left: list[T] = []

    def deal(self, *, unlike: T | None = None) -> T:
        """The next card, but another one than `unlike`."""
        while True:
            if not self._left:
                self._left = self._random.sample(self._cards, len(self._cards))
            if (card := self._left.pop()) != unlike:
                return card


class Writer:
    """Writes the papers of one theme; no two have the same title."""

    def __init__(self, theme: DemoTheme, closing: tuple[str, ...], random: Random) -> None:
        self._random = random
        self._closing = closing
        general = {kind: list(phrases) for kind, phrases in theme.phrases.items()}
        self._lines = Deck(theme.lines, random)
        # a line's own titles suit it better than those that go with any
        self._titles = {line: Deck([*line.title * 2, *general["title"]], random) for line in theme.lines}
        self._answers = {line: Deck(line.finding, random) for line in theme.lines}
        general["finding"] += dict.fromkeys(finding for line in theme.lines for finding in line.finding)
        self._phrases = {kind: Deck(phrases, random) for kind, phrases in general.items() if kind != "title"}
        self._moves = {move: Deck(wordings, random) for move, wordings in _MOVES.items()}
        self._used: set[str] = set()

    def draft(self) -> PaperText:
        """Write the next paper of the theme."""
        line = self._lines.deal()
        while (title := self._fill("{title}", chosen := self._choose(line))) in self._used:
            pass
        self._used.add(title)
        sentences = [self._say(move, chosen) for move in self._random.choice(_PLANS)]
        if len(sentences) < _LONGEST and self._closing and self._random.random() < _CLOSING_CHANCE:
            sentences.append(self._random.choice(self._closing))
        return PaperText(title, " ".join(sentences))

    def _choose(self, line: Inquiry) -> dict[str, str]:
        """One phrase of each kind, kept for the whole paper."""
        chosen = {kind: deck.deal() for kind, deck in self._phrases.items()}
        chosen |= {"title": self._titles[line].deal(), "question": line.question, "finding": self._answers[line].deal()}
        for kind in ("method", "finding"):
            chosen[f"other_{kind}"] = self._phrases[kind].deal(unlike=chosen[kind])
        return chosen

    def _say(self, move: str, chosen: dict[str, str]) -> str:
        while not (sentence := self._fill(self._moves[move].deal(), chosen))[0].isupper():
            pass  # a sentence does not begin with a figure: put it another way
        return sentence

    def _fill(self, template: str, chosen: dict[str, str]) -> str:
        text = self._expand(template, chosen)
        return text[0].upper() + text[1:]

    def _expand(self, template: str, chosen: dict[str, str]) -> str:
        """Replace slots by phrases, which may have slots themselves, and ranges by numbers."""
        return _SLOT.sub(
            lambda slot: self._number(slot[1]) if ".." in slot[1] else self._expand(chosen[slot[1]], chosen), template
        )

    def _number(self, span: str) -> str:
        """A number of a span `low..high`, written like its ends: decimals and thousands separators kept."""
        low, high = span.split("..")
        decimals = len(low.partition(".")[2])
        scale = 10**decimals
        first, last = (round(float(end.replace(",", "")) * scale) for end in (low, high))
        value = self._random.randint(first, last) / scale
        return f"{value:,.{decimals}f}" if "," in span else f"{value:.{decimals}f}"
