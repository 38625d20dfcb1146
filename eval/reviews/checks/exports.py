"""A check as JSON for the chair, and as CSV. What goes to authors or other reviewers carries no flag about a reviewer.

For authors: every sentence with its tags, and per review what it says. Left out are scores, lengths against the venue,
wrong papers, shared text, habits and hints, and the reviewer's identity.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import permutations
from typing import Any

from eval.reviews.checks.check import Check
from panelist.spreadsheet import table_text

SENTENCE_COLUMNS = ("paper", "review", "sentence", "text", "aspects", "polarity", "pragmatics")
REVIEW_COLUMNS = (
    "paper", "review", "sentences", "aspects", "omitted", "strengths", "weaknesses", "requests", "questions",
)  # fmt: skip
CHAIR_COLUMNS = (
    *REVIEW_COLUMNS,
    "reviewer", "score", "words", "polarity", "paper_rank", "nearest_paper", "shared_with", "flags",
)  # fmt: skip

_TAGS = ("aspects", "advisor", "polarity", "pragmatics", "evidence", "chances")
_MEANS = ("words", "aspects", "omitted", "strengths", "weaknesses", "requests", "questions")


@dataclass(frozen=True, slots=True)
class SentenceOut:
    """A sentence with its tags; `aspects` and `chances` are probabilities."""

    text: str
    start: int
    end: int
    heading: bool
    aspects: dict[str, float]
    advisor: tuple[str, ...]
    polarity: str
    pragmatics: str
    evidence: str
    chances: dict[str, float]


@dataclass(frozen=True, slots=True)
class TaggedReviewOut:
    """A review, sentence by sentence; `presence` is the probability that it has each aspect at all."""

    review: str
    presence: dict[str, float]
    sentences: list[SentenceOut]


@dataclass(frozen=True, slots=True)
class ReviewCheck(Check):
    """The whole check; `summary` says it in a few figures."""

    tagged: list[TaggedReviewOut]  # type: ignore[assignment]  # records of the tagger there
    summary: dict[str, float]


def check_as_json(check: Check) -> dict[str, Any]:
    """The values of a `ReviewCheck`, for JSON; texts are in it once, sentence by sentence."""
    rows = asdict(replace(check, tagged=()))
    rows["tagged"] = [
        {
            "review": review.review.id,
            "presence": {name: round(value, 4) for name, value in review.presence.items()},
            "sentences": [
                {name: getattr(tagged.sentence, name) for name in ("text", "start", "end")}
                | {"heading": tagged.sentence.is_heading, **{name: getattr(tagged, name) for name in _TAGS}}
                for tagged in review.sentences
            ],
        }
        for review in check.tagged
    ]
    return {"summary": summary(check), **rows}


def summary(check: Check) -> dict[str, Any]:
    """The whole check in a few figures."""
    contents = [content for content in check.contents if content.sentences]
    means = {}
    for name in _MEANS:
        values = [getattr(content, name) for content in contents]
        means[name] = sum(len(v) if isinstance(v, dict) else v for v in values) / max(1, len(contents))
    compared = [match for match in check.matches if match.rank is not None]
    return {
        "reviews": len(check.contents),
        "papers": len(check.papers),
        "tagged": len(contents),
        "sentences": sum(content.sentences for content in contents),
        **means,
        "disputed_papers": sum(bool(view.disputes) for view in check.papers),
        "own_paper_first": sum(match.rank == 1 for match in compared) / max(1, len(compared)),
        "suspected_papers": sum(match.suspected for match in check.matches),
        "shared_pairs": sum(pair.suspected for pair in check.shared),
    }


def sentences_csv(check: Check) -> str:
    """Every sentence with its tags; reviews are numbered within their paper, so that ids tell nothing."""
    names = _numbered(check)
    rows = (
        (
            review.review.paper, names[review.review.id], number, tagged.sentence.text, " ".join(tagged.aspects),
            tagged.polarity, tagged.pragmatics,
        )
        for review in check.tagged
        for number, tagged in enumerate(review.sentences, 1)
    )  # fmt: skip
    return table_text(SENTENCE_COLUMNS, rows)


def authors_csv(check: Check) -> str:
    """Every review as authors may see it."""
    return _reviews_csv(REVIEW_COLUMNS, check, _numbered(check))


def chair_csv(check: Check) -> str:
    """Write every review with all results of the check, for the chair."""
    return _reviews_csv(CHAIR_COLUMNS, check, {content.review: content.review for content in check.contents})


def _numbered(check: Check) -> dict[str, str]:
    """Reviews by their number within the paper."""
    return {review: f"review {number}" for view in check.papers for number, review in enumerate(view.reviews, 1)}


def _reviews_csv(columns: Sequence[str], check: Check, names: dict[str, str]) -> str:
    """Some columns of all reviews, which are called by these names."""
    matches = {match.review: match for match in check.matches}
    shared: dict[str, list[str]] = {}
    for pair in check.shared:
        for review, other in permutations((pair.first, pair.second)):
            shared.setdefault(review, []).append(f"{other} ({pair.containment:.0%})")
    rows = []
    for content in check.contents:
        match = matches.get(content.review)
        row = {
            "review": names[content.review],
            "aspects": " ".join(content.aspects),
            "omitted": " ".join(content.omitted),
            "score": "" if content.score is None else content.score,
            "polarity": "" if content.polarity is None else round(content.polarity, 3),
            "paper_rank": "" if match is None or match.rank is None else match.rank,
            "nearest_paper": "" if match is None else match.nearest,
            "shared_with": "; ".join(shared.get(content.review, [])),
            "flags": "; ".join(content.flags),
        }
        rows.append([row[name] if name in row else getattr(content, name) for name in columns])
    return table_text(columns, rows)
