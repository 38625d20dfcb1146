"""Questions to a reviewer about their own text, from its tags, by templates: short, offline, and nothing is invented.

Reviewers who were asked such questions made their reviews more specific (ICLR 2025's trial had a language model write
them). A question is asked only where the tagger is sure of the criticism and the sentence lacks what is asked for.
"""

import re
from dataclasses import dataclass

from eval.reviews.checks.content import ReviewContent
from eval.reviews.tagging.tagger import TaggedReview, TaggedSentence
from eval.reviews.tagging.typology import NAMES

_CITED = re.compile(
    r"et al|\[\w{1,12}\]|\(\w+(?: (?:and|&) \w+)?,? \d{4}\)|\b(?:19|20)\d\d\b|arxiv|https?:", re.IGNORECASE
)
_PLACED = re.compile(
    r"\b(?:sec(?:tion)?s?|fig(?:ure)?s?|tab(?:le)?s?|eq(?:uation|n)?s?|lines?|pages?|p|theorem|lemma|algorithm|appendix|"
    r"paragraph|abstract|introduction|conclusion)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b[A-Z][a-z]*[A-Z]\w*\b|\b[A-Z]{3,}\b|\"[^\"]+\"|“[^”]+”|such as|e\.g\.|for example|for instance")
_MOST_OMISSIONS = 3


@dataclass(frozen=True, slots=True)
class Question:
    """A question; if it is about one sentence, `sentence` is its number and `quotation` its words."""

    review: str
    sentence: int | None
    quotation: str
    text: str


def questions(tagged: TaggedReview, content: ReviewContent) -> list[Question]:
    """The questions about one review, in the order of its text, then about the whole of it."""
    about_sentences = [
        Question(tagged.review.id, number, sentence.sentence.text, text)
        for number, sentence in enumerate(tagged.sentences)
        if not sentence.sentence.is_heading and (text := _about(sentence)) is not None
    ]
    return about_sentences + [Question(tagged.review.id, None, "", text) for text in _overall(content)]


def _about(tagged: TaggedSentence) -> str | None:
    """What to ask about a sentence: the first that it leaves open."""
    text = tagged.sentence.text
    named = _CITED.search(text) or _NAMED.search(text)
    if tagged.pragmatics == "Todo" and "CMP" in tagged.aspects and not named:
        return "You ask for a comparison: with which method, or which paper?"
    if tagged.polarity != "negative":
        return None
    if "NOV" in tagged.aspects and not named:
        return "You say that this is not new, or not new enough: which earlier work do you have in mind?"
    if "CMP" in tagged.aspects and not named:
        return "You miss related work or a comparison: which one?"
    if ("CLA" in tagged.aspects or "PNF" in tagged.aspects) and not _PLACED.search(text) and not named:
        return "You find this hard to read: which section, figure or sentence, for example?"
    if "SUB" in tagged.aspects and not named:
        return "You find this too little: which experiment, data set or analysis would be enough?"
    if "EMP" in tagged.aspects and tagged.evidence == "claim-" and not _PLACED.search(text):
        return "You doubt this: which step, assumption or result is it about, and what speaks against it?"
    return None


def _overall(content: ReviewContent) -> list[str]:
    surest = sorted(set(content.omitted) - {"APR", "REC"}, key=lambda name: (-content.omitted[name], name))
    texts = [
        f"You seem to say nothing about {NAMES[aspect]}: is there nothing to say?"
        for aspect in surest[:_MOST_OMISSIONS]
    ]
    if content.weaknesses >= 3 and not content.strengths:
        texts.append("You name weaknesses only: is there anything that the authors did well and should keep?")
    if content.weaknesses >= 3 and not sum(content.pointers.values()):
        texts.append("You point to no section, figure, table or line: where can the authors see what you mean?")
    if content.weaknesses >= 3 and not content.requests and not content.questions:
        texts.append("You ask for nothing: what could the authors do about the weaknesses?")
    return texts
