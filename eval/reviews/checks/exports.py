"""A check as JSON for the chair, and as CSV. What goes to authors or other reviewers carries no flag about a reviewer.

For authors: every sentence with its tags, and per review what it says. Left out are scores, lengths against the venue,
wrong papers, shared text, habits and hints, and the reviewer's identity.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from eval.reviews.checks.check import Check
from panelist.spreadsheet import write_table

SENTENCE_COLUMNS = ("paper", "review", "sentence", "text", "aspects", "polarity", "pragmatics")
REVIEW_COLUMNS = (
    "paper", "review", "sentences", "aspects", "omitted", "strengths", "weaknesses", "requests", "questions",
)  # fmt: skip
CHAIR_COLUMNS = (
    *REVIEW_COLUMNS,
    "reviewer", "score", "words", "polarity", "paper_rank", "nearest_paper", "shared_with", "flags",
)  # fmt: skip


def plain(found: Check) -> dict[str, Any]:
    """The whole check as plain values, for JSON; texts are in it once, sentence by sentence."""
    rows = asdict(replace(found, tagged=()))
    rows["tagged"] = [
        {
            "review": tagged.review.id,
            "presence": {name: round(value, 4) for name, value in tagged.presence.items()},
            "sentences": [
                {
                    "text": each.sentence.text,
                    "start": each.sentence.start,
                    "end": each.sentence.end,
                    "heading": each.sentence.is_heading,
                    "aspects": dict(each.aspects),
                    "advisor": each.advisor,
                    "polarity": each.polarity,
                    "pragmatics": each.pragmatics,
                    "evidence": each.evidence,
                    "chances": dict(each.chances),
                }
                for each in tagged.sentences
            ],
        }
        for tagged in found.tagged
    ]
    return {"summary": summary(found), **rows}


def summary(found: Check) -> dict[str, Any]:
    """The whole check in a few figures."""
    contents = [content for content in found.contents if content.sentences]
    number = max(1, len(contents))
    compared = [match for match in found.matches if match.rank is not None]
    return {
        "reviews": len(found.contents),
        "papers": len(found.papers),
        "tagged": len(contents),
        "sentences": sum(content.sentences for content in contents),
        "words": sum(content.words for content in contents) / number,
        "aspects": sum(len(content.aspects) for content in contents) / number,
        "omitted": sum(len(content.omitted) for content in contents) / number,
        "strengths": sum(content.strengths for content in contents) / number,
        "weaknesses": sum(content.weaknesses for content in contents) / number,
        "requests": sum(content.requests for content in contents) / number,
        "questions": sum(content.questions for content in contents) / number,
        "disputed_papers": sum(bool(view.disputes) for view in found.papers),
        "own_paper_first": sum(match.rank == 1 for match in compared) / max(1, len(compared)),
        "suspected_papers": sum(match.suspected for match in found.matches),
        "shared_pairs": sum(pair.suspected for pair in found.shared),
    }


def sentences_csv(found: Check) -> str:
    """Every sentence with its tags; reviews are numbered within their paper, so that ids tell nothing."""
    names = _numbered(found)
    rows = (
        (
            tagged.review.paper, names[tagged.review.id], number, each.sentence.text, " ".join(each.aspects),
            each.polarity, each.pragmatics,
        )
        for tagged in found.tagged
        for number, each in enumerate(tagged.sentences, 1)
    )  # fmt: skip
    return _csv(SENTENCE_COLUMNS, rows)


def authors_csv(found: Check) -> str:
    """Every review as authors may see it."""
    return _reviews_csv(REVIEW_COLUMNS, found, _numbered(found))


def chair_csv(found: Check) -> str:
    """Every review with everything that was found, for the chair."""
    return _reviews_csv(CHAIR_COLUMNS, found, {content.review: content.review for content in found.contents})


def _numbered(found: Check) -> dict[str, str]:
    """Reviews by their number within the paper."""
    return {review: f"review {number}" for view in found.papers for number, review in enumerate(view.reviews, 1)}


def _reviews_csv(columns: Sequence[str], found: Check, names: dict[str, str]) -> str:
    """Some columns of all reviews, which are called by these names."""
    matches = {match.review: match for match in found.matches}
    shared: dict[str, list[str]] = {}
    for pair in found.shared:
        shared.setdefault(pair.first, []).append(f"{pair.second} ({pair.containment:.0%})")
        shared.setdefault(pair.second, []).append(f"{pair.first} ({pair.containment:.0%})")
    rows = []
    for content in found.contents:
        match = matches.get(content.review)
        row = {
            "paper": content.paper,
            "review": names[content.review],
            "sentences": content.sentences,
            "aspects": " ".join(content.aspects),
            "omitted": " ".join(content.omitted),
            "strengths": content.strengths,
            "weaknesses": content.weaknesses,
            "requests": content.requests,
            "questions": content.questions,
            "reviewer": content.reviewer,
            "score": "" if content.score is None else content.score,
            "words": content.words,
            "polarity": "" if content.polarity is None else round(content.polarity, 3),
            "paper_rank": "" if match is None or match.rank is None else match.rank,
            "nearest_paper": "" if match is None else match.nearest,
            "shared_with": "; ".join(shared.get(content.review, [])),
            "flags": "; ".join(content.flags),
        }
        rows.append([row[name] for name in columns])
    return _csv(columns, rows)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    file = io.StringIO()
    write_table(file, columns, rows)
    return file.getvalue()
