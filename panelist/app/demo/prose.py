"""Titles and abstracts from the phrases of a theme: background, gap, method, data, results, implication."""

import re
from collections.abc import Iterable
from random import Random
from typing import Generic, NamedTuple, TypeVar

from panelist.app.demo.material import DemoTheme, Inquiry, load

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
        self._moves = {move: Deck(wordings, random) for move, wordings in load("moves.toml")["moves"].items()}
        self._used: set[str] = set()

    def draft(self) -> PaperText:
        """Write the next paper of the theme."""
        line = self._lines.deal()
        while (title := self._fill("{title}", chosen := self._choose(line))) in self._used:
            pass
        self._used.add(title)
        sentences = [self._say(move, chosen) for move in self._random.choice(load("moves.toml")["plans"])]
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
        ends = (round(float(end.replace(",", "")) * scale) for end in (low, high))
        value = self._random.randint(*ends) / scale
        return f"{value:,.{decimals}f}" if "," in span else f"{value:.{decimals}f}"
