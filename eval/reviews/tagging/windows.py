"""Windows of tokens over a review, for a fine-tuned BERT: each token is read once, with the sentences around it.

A window begins with the heading and the end of the sentence before it, as context, and holds as many sentences as fit:
`[CLS] heading [SEP] the sentence before [SEP] sentence [SEP] sentence [SEP] …`. Reading every sentence by itself
together with the one before it would take twice the tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eval.reviews.reading.sentences import Sentence
from panelist.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LONGEST = 192  # tokens of a window, if it has more than one sentence
LONGEST_SENTENCE = 96  # tokens that are read of a sentence
_HEADING = 16  # tokens that are read of a heading
_BEFORE = 48  # tokens that are read of the sentence before, from its end

CONTEXT = -1


@dataclass(frozen=True, slots=True)
class Window:
    """Some sentences as tokens.

    Attributes:
        tokens: their numbers in the vocabulary.
        owners: for each token the row of its sentence, or `CONTEXT`.
    """

    tokens: list[int]
    owners: list[int]


def cut(reviews: Sequence[Sequence[Sentence]], tokenizer: Tokenizer) -> list[Window]:
    """The windows of all reviews; rows count the sentences of all reviews in order. Each row is in one window."""
    windows = []
    row = 0
    for review in reviews:
        sentences = [_tokens(tokenizer, sentence.text)[:LONGEST_SENTENCE] for sentence in review]
        number = 0
        while number < len(review):
            window = _opened(tokenizer, review[number].heading, sentences[number - 1] if number else [])
            first = number
            while number < len(review) and (number == first or len(window.tokens) + len(sentences[number]) < LONGEST):
                _extend(window, tokenizer, sentences[number], row + number)
                number += 1
            windows.append(window)
        row += len(review)
    return windows


def _opened(tokenizer: Tokenizer, heading: str, before: list[int]) -> Window:
    window = Window([_special(tokenizer, "[CLS]")], [CONTEXT])
    for context in (_tokens(tokenizer, heading)[:_HEADING], before[-_BEFORE:]):
        if context:
            _extend(window, tokenizer, context, CONTEXT)
    return window


def _extend(window: Window, tokenizer: Tokenizer, tokens: list[int], owner: int) -> None:
    window.tokens.extend([*tokens, _special(tokenizer, "[SEP]")])
    window.owners.extend([*[owner] * len(tokens), CONTEXT if tokens else owner])


def _tokens(tokenizer: Tokenizer, text: str) -> list[int]:
    found: list[int] = tokenizer.encode(text, add_special_tokens=False).ids if text else []
    return found


def _special(tokenizer: Tokenizer, token: str) -> int:
    found: int | None = tokenizer.token_to_id(token)
    if found is None:
        raise ModelError(f"the tokeniser has no {token}: only a BERT can be fine-tuned")
    return found
