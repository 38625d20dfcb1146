"""OpenReview's notes: submissions, reviews, meta-reviews and decisions, of both versions of its API."""

from collections.abc import Mapping
from typing import Any

from panelist.corpus.readers.fields import FieldError
from panelist.corpus.readers.openreview import content_of
from panelist.errors import InputError
from panelist.records import Submission

_SECTIONS = (
    "summary", "summary_of_the_paper", "main_review", "review", "comment", "strengths", "strengths_and_weaknesses",
    "weaknesses", "questions", "limitations", "summary_of_the_review",
)  # fmt: skip
_META = ("metareview", "meta_review", "meta-review", "recommendation", "decision", "comment")


def is_note(value: dict[str, Any]) -> bool:
    """Whether a JSON object is one of OpenReview's notes."""
    return isinstance(value.get("content"), dict) and (
        "forum" in value or "invitation" in value or "invitations" in value
    )


def sort_note(
    where: str,
    note: dict[str, Any],
    rows: list[tuple[str, Mapping[str, Any]]],
    papers: list[Submission],
    metareviews: dict[str, str],
) -> None:
    """Put a note, and the replies that it carries, where they belong; comments and rebuttals are left out."""
    try:
        content = content_of(note)
    except FieldError as error:
        raise InputError(f"{where}: {error}") from error
    forum = str(note.get("forum") or note.get("id") or "")
    kind = _kind(note)
    if kind == "review":
        rows.append((where, _review(note, content, forum)))
    elif kind in ("metareview", "decision"):
        text = "\n\n".join(str(content[name]) for name in _META if isinstance(content.get(name), str))
        metareviews[forum] = "\n\n".join(filter(None, [metareviews.get(forum, ""), text]))
    elif kind == "submission" and (content.get("title") or content.get("abstract")):
        papers.append(Submission(forum, str(content.get("title") or ""), str(content.get("abstract") or "")))
    details = note.get("details")
    if isinstance(details, dict):
        for number, reply in enumerate(details.get("replies") or details.get("directReplies") or [], 1):
            if isinstance(reply, dict) and isinstance(reply.get("content"), dict):
                sort_note(f"{where}, reply {number}", reply, rows, papers, metareviews)


def _kind(note: dict[str, Any]) -> str:
    invitations = [note.get("invitation") or "", *(note.get("invitations") or [])]
    # What is before '/-/' may name the note that this one answers: a rebuttal has '…/Official_Review1/-/Rebuttal'.
    names = [str(invitation).lower().rpartition("/-/")[2] for invitation in invitations]
    if any("meta_review" in name or "metareview" in name for name in names):
        return "metareview"
    if any("decision" in name for name in names):
        return "decision"
    if any("official_review" in name or name.rpartition("/")[2] == "review" for name in names):
        return "review"
    if not note.get("replyto") and (note.get("forum") in (None, note.get("id"))):
        return "submission"
    return "other"


def _review(note: dict[str, Any], content: dict[str, Any], forum: str) -> dict[str, Any]:
    """The fields of a review: its sections under their headings, its rating, and its numeric aspects as columns."""
    parts = [
        (name, content[name]) for name in _SECTIONS if isinstance(content.get(name), str) and content[name].strip()
    ]
    text = "\n\n".join(
        body if len(parts) == 1 or name in ("review", "comment") else f"{name.replace('_', ' ').capitalize()}:\n{body}"
        for name, body in parts
    )
    signatures = note.get("signatures") or [""]
    rest = {
        name: value for name, value in content.items() if name not in _SECTIONS and isinstance(value, str | int | float)
    }
    score = next((rest.pop(name) for name in ("rating", "recommendation", "overall_assessment") if name in rest), None)
    return {**rest, "id": note.get("id"), "paper": forum, "reviewer": str(signatures[0]), "text": text, "score": score}
