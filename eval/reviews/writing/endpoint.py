"""What is asked of an OpenAI-compatible endpoint: comments on a reviewer's own text, and drafts tied to a paper.

Nothing that comes back is taken on trust: a quotation must stand in the text word for word, and a sentence of a draft
must name the sentence of the paper that it rests on; else it is dropped. Answers are in the result only, because
the texts are confidential.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.reviews.reading.files import ReviewText
from eval.reviews.reading.sentences import Sentence
from eval.reviews.tagging.typology import ADVISOR_NAMES
from panelist.http.llm import Form, LlmClient
from panelist.words import counted

LEAVES = "the texts leave this machine: make sure that the venue and the authors allow it"
MACHINE_MADE = "MACHINE-MADE DRAFT, not a review: every sentence was written by a language model and must be verified"

_CHARACTERS_PER_TOKEN = 4
_PROMPTS = tomllib.loads(Path(__file__).with_name("prompts.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on words that stand in the review at `start`."""

    quotation: str
    start: int
    comment: str


@dataclass(frozen=True, slots=True)
class Comments:
    """The comments on one review, and how many were dropped because their quotation is not in it."""

    review: str
    comments: tuple[Comment, ...]
    dropped: int


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A machine-made sentence and the sentence of the paper that it rests on."""

    text: str
    aspect: str
    polarity: str
    source: int
    source_text: str


@dataclass(frozen=True, slots=True)
class ReviewDraft:
    """A machine-made draft, and how many sentences were dropped because they name no source or no aspect."""

    notice: str
    sentences: tuple[DraftSentence, ...]
    dropped: int


def comment_on(review: ReviewText, client: LlmClient) -> Comments:
    """Comments on a review, every quotation verified."""
    answer = client.ask(_PROMPTS["comments"], review.text, _form("comments", ("quotation", "comment")))
    comments = []
    for entry in answer:
        start = find_verbatim(entry["quotation"], review.text)
        if start is not None and entry["comment"].strip():
            comments.append(Comment(entry["quotation"], start, entry["comment"].strip()))
    return Comments(review.id, tuple(comments), len(answer) - len(comments))


def ask_for_draft(sentences: Sequence[Sentence], aspects: Sequence[str], client: LlmClient) -> ReviewDraft:
    """A draft about some aspects of a paper, given by the sentences that matter."""
    form = _form("sentences", ("text", "aspect", "polarity"))
    answer = client.ask(_PROMPTS["draft"], draft_question(sentences, aspects), form)
    verified = []
    for entry in answer:
        source = entry["source"] if type(entry.get("source")) is int else 0
        if (
            1 <= source <= len(sentences)
            and entry["aspect"] in aspects
            and entry["polarity"] in ("positive", "negative", "neutral")
        ):
            text = " ".join(entry["text"].split())
            rests_on = sentences[source - 1].text
            verified.append(DraftSentence(text, entry["aspect"], entry["polarity"], source, rests_on))
    return ReviewDraft(MACHINE_MADE, tuple(verified), len(answer) - len(verified))


def draft_question(sentences: Sequence[Sentence], aspects: Sequence[str]) -> str:
    """What the endpoint reads."""
    numbered = "\n".join(f"{number}. {sentence.text}" for number, sentence in enumerate(sentences, 1))
    return f"Aspects: {', '.join(aspects)}\n\nSentences of the paper:\n{numbered}"


def estimate(questions: Sequence[str], model: str, endpoint: str) -> str:
    """Calls and tokens, and that texts leave the machine."""
    tokens = sum(len(_PROMPTS["comments"]) + len(question) for question in questions) // _CHARACTERS_PER_TOKEN
    return f"{counted(len(questions), 'call')} of {model} at {endpoint}, about {tokens:,} tokens in; {LEAVES}"


def find_verbatim(quotation: str, text: str) -> int | None:
    """Where the quotation stands in the text, word for word (line breaks count as spaces); None where it does not."""
    words = quotation.split()
    match = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return match.start() if match else None


def _form(name: str, fields: tuple[str, ...]) -> Form[list[dict[str, Any]]]:
    """A list of objects with these texts in them (and for a draft the number of its source)."""
    properties: dict[str, Any] = {field: {"type": "string"} for field in fields}
    if name == "sentences":
        properties["source"] = {"type": "integer"}
        properties["aspect"] = {"type": "string", "enum": sorted(ADVISOR_NAMES.values())}
    entry = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    schema = {
        "type": "object",
        "properties": {name: {"type": "array", "items": entry}},
        "required": [name],
        "additionalProperties": False,
    }

    def read(answer: Any) -> list[dict[str, Any]]:
        entries = answer.get(name) if isinstance(answer, dict) else answer
        if not isinstance(entries, list):
            raise ValueError(f"not a list of {name}")
        if not all(isinstance(e, dict) and all(isinstance(e.get(field), str) for field in fields) for e in entries):
            raise ValueError(f"a list of {name} with something else in it")
        return entries

    return Form(name, schema, read)
