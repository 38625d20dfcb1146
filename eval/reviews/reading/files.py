"""Files of reviews: CSV, JSON lines, or what OpenReview exports, plain or gzipped. Checked once, here.

A CSV file or a JSON object has `paper` and `text`, and may have `id`, `reviewer`, `score` and anything else; `REVIEWS`
lists the other names that these go by, in files of conference systems too. A JSON object may also be a paper with a
list of `reviews` (as in PeerRead).
"""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from eval.reviews.reading.markup import is_english, plain_text
from panelist.corpus.readers.fields import FieldError
from panelist.corpus.readers.openreview import content_of
from panelist.corpus.readers.rows import check_header, open_rows, read_text
from panelist.corpus.systems.columns import REVIEWS
from panelist.corpus.systems.reviews import native_reviews
from panelist.errors import InputError
from panelist.records import Submission
from panelist.words import counted

LONG = 10_000  # words: some 20 pages, beyond which a review is flagged
SHORT = 20  # words
_SECTIONS = (
    "summary", "summary_of_the_paper", "main_review", "review", "comment", "strengths", "strengths_and_weaknesses",
    "weaknesses", "questions", "limitations", "summary_of_the_review",
)  # fmt: skip
_META = ("metareview", "meta_review", "meta-review", "recommendation", "decision", "comment")
"""Sections of a review, and fields of a meta-review, as OpenReview calls them."""

Row = tuple[str, Mapping[str, Any]]
"""Where a review stands in its file, for messages, and its fields."""


@dataclass(frozen=True, slots=True)
class ReviewText:
    """A review as plain text, with what its file says about it."""

    id: str
    paper: str
    reviewer: str
    text: str  # plain text; HTML and Markdown are gone, headings and lists are lines of their own
    score: float | None = None
    columns: Mapping[str, str] = field(default_factory=dict)  # everything else that the file says about it, as text
    flags: tuple[str, ...] = ()  # what stands against tagging or trusting it, in words
    tagged: bool = True  # whether it can be tagged at all (it has text, and that in English)

    @property
    def words(self) -> int:
        """The number of words."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class ReviewFile:
    """What a file contains: reviews, and the papers and meta-reviews where they are in it too."""

    reviews: Sequence[ReviewText]
    papers: Sequence[Submission] = ()
    metareviews: Mapping[str, str] = field(default_factory=dict)


def read_review_file(path: Path) -> ReviewFile:
    """Read all reviews of a file, and the papers and meta-reviews where they are in it too."""
    papers: list[Submission] = []
    metareviews: dict[str, str] = {}
    if path.name.removesuffix(".gz").lower().endswith((".csv", ".tsv")):
        rows = list(_csv_rows(path))
    else:
        rows = []
        for source, value in _json_values(path, read_text(path)):
            if isinstance(value.get("content"), dict) and value.keys() & {"forum", "invitation", "invitations"}:
                _sort_note(source, value, rows, papers, metareviews)
            elif isinstance(value.get("reviews"), list):
                rows.extend(_nested(source, value, papers))
            else:
                rows.append((source, value))
    if not rows:
        raise InputError(f"'{path}' has no reviews: expected rows with the columns paper and text")
    return ReviewFile(_records(rows), papers, metareviews)


def review_of(text: str, *, id: str = "1") -> ReviewText:  # noqa: A002
    """A review from its text alone, cleaned and flagged as those from files are; its paper has the same id."""
    return _record("the review", {"id": id, "paper": id, "text": text}, 1)


def _csv_rows(path: Path) -> Iterator[Row]:
    csv.field_size_limit(1 << 28)
    with open_rows(path) as opened:
        filled = ((f"{path}, line {line}", row) for line, row in opened.filled())
        header, records = native_reviews(next(filled, ("", []))[1], filled, scored=False)
        header = [name.strip() for name in header]
        needed = {name: REVIEWS[name] for name in ("paper", "text")}
        check_header(path, header, needed, "paper,text and perhaps id,reviewer,score")
        for source, row in records:
            if len(row) != len(header):
                raise InputError(f"{source}: expected {len(header)} fields as in the header, received {len(row)}")
            yield source, dict(zip(header, row, strict=True))


def _json_values(path: Path, content: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of JSON lines, of one JSON list, or of an object with a list of `notes`."""
    try:
        loaded = orjson.loads(content)
        if isinstance(loaded, dict) and isinstance(loaded.get("notes"), list):
            loaded = loaded["notes"]
        for number, value in enumerate(loaded if isinstance(loaded, list) else [loaded], 1):
            yield f"{path}, item {number}", _json_object(f"{path}, item {number}", value)
    except orjson.JSONDecodeError:
        for number, line in enumerate(content.split("\n"), 1):
            try:
                value = orjson.loads(line) if line.strip() else None
            except orjson.JSONDecodeError as error:
                raise InputError(f"{path}, line {number} is not JSON: {error.msg} (column {error.colno})") from error
            if line.strip():
                yield f"{path}, line {number}", _json_object(f"{path}, line {number}", value)


def _json_object(source: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{source}: expected a JSON object, received {str(value)[:60]!r}")
    return value


def _nested(source: str, value: dict[str, Any], papers: list[Submission]) -> Iterator[Row]:
    paper = value.get("paper") or value.get("id")
    if not isinstance(paper, str | int):
        raise InputError(f"{source}: a paper with reviews needs an id in the field 'paper'")
    if value.get("title") or value.get("abstract"):
        papers.append(Submission(str(paper), str(value.get("title") or ""), str(value.get("abstract") or "")))
    for number, review in enumerate(value["reviews"], 1):
        position = f"{source}, review {number}"
        yield position, {"paper": str(paper), "id": f"{paper}/{number}", **_json_object(position, review)}


def _sort_note(
    source: str, note: dict[str, Any], rows: list[Row], papers: list[Submission], metareviews: dict[str, str]
) -> None:
    """Put a note, and the replies that it carries, where they belong; comments and rebuttals are left out."""
    try:
        content = content_of(note)
    except FieldError as error:
        raise InputError(f"{source}: {error}") from error
    forum = str(note.get("forum") or note.get("id") or "")
    kind = _kind_of(note)
    if kind == "review":
        rows.append((source, _review_fields(note, content, forum)))
    elif kind == "metareview":
        text = "\n\n".join(str(content[name]) for name in _META if isinstance(content.get(name), str))
        metareviews[forum] = "\n\n".join(filter(None, [metareviews.get(forum, ""), text]))
    elif kind == "submission" and (content.get("title") or content.get("abstract")):
        papers.append(Submission(forum, str(content.get("title") or ""), str(content.get("abstract") or "")))
    details = note.get("details")
    if isinstance(details, dict):
        for number, reply in enumerate(details.get("replies") or details.get("directReplies") or [], 1):
            if isinstance(reply, dict) and isinstance(reply.get("content"), dict):
                _sort_note(f"{source}, reply {number}", reply, rows, papers, metareviews)


def _kind_of(note: dict[str, Any]) -> str:
    invitations = [note.get("invitation") or "", *(note.get("invitations") or [])]
    # What is before '/-/' may name the note that this one answers: a rebuttal has '…/Official_Review1/-/Rebuttal'.
    names = [str(invitation).lower().rpartition("/-/")[2] for invitation in invitations]
    if any(word in name for name in names for word in ("meta_review", "metareview", "decision")):
        return "metareview"
    if any("official_review" in name or name.rpartition("/")[2] == "review" for name in names):
        return "review"
    if not note.get("replyto") and (note.get("forum") in (None, note.get("id"))):
        return "submission"
    return "other"


def _review_fields(note: dict[str, Any], content: dict[str, Any], forum: str) -> dict[str, Any]:
    """The fields of a review: its sections under their headings, its rating, and its numeric aspects as columns."""
    texts = {name: content[name] for name in _SECTIONS if isinstance(content.get(name), str)}
    sections = {name: section for name, section in texts.items() if section.strip()}
    text = "\n\n".join(
        section
        if len(sections) == 1 or name in ("review", "comment")
        else f"{name.replace('_', ' ').capitalize()}:\n{section}"
        for name, section in sections.items()
    )
    signatures = note.get("signatures") or [""]
    scalars = {name: value for name, value in content.items() if isinstance(value, str | int | float)}
    kept = {name: value for name, value in scalars.items() if name not in _SECTIONS}
    score = next((kept.pop(name) for name in ("rating", "recommendation", "overall_assessment") if name in kept), None)
    return {**kept, "id": note.get("id"), "paper": forum, "reviewer": str(signatures[0]), "text": text, "score": score}


def _records(rows: list[Row]) -> list[ReviewText]:
    records = [_record(source, fields, number) for number, (source, fields) in enumerate(rows, 1)]
    positions: dict[str, str] = {}
    for (source, _), record in zip(rows, records, strict=True):
        if (other := positions.setdefault(record.id, source)) is not source:
            raise InputError(f"{source}: the id '{record.id}' is that of another review ({other}): ids must differ")
    return records


def _record(source: str, fields: Mapping[str, Any], number: int) -> ReviewText:
    lower = {str(name).lower(): name for name in fields}
    values = {
        field: next((fields[lower[alias]] for alias in aliases if alias in lower), None)
        for field, aliases in REVIEWS.items()
    }
    # A recommendation may be a score or a word that `reviews compare` reads: it stays among the columns.
    names = {alias for aliases in REVIEWS.values() for alias in aliases} - {"recommendation"}
    used = {name for alias, name in lower.items() if alias in names}
    paper, reviewer, own_id = (
        "" if values[field] is None else str(values[field]).strip() for field in ("paper", "reviewer", "id")
    )
    if not paper:
        raise InputError(f"{source}: the paper is empty: every review needs the id of its paper")
    if values["text"] is not None and not isinstance(values["text"], str):
        raise InputError(f"{source}: the text must be a string, received {str(values['text'])[:60]!r}")
    text = plain_text(values["text"] or "")
    score, *flags = _score(values["score"])
    tagged = bool(text) and is_english(text)
    words = len(text.split())
    if not tagged:
        flags.append("not in English: it is not tagged" if text else "empty")
    elif words < SHORT:
        flags.append(f"only {counted(words, 'word')}")
    elif words > LONG:
        flags.append(f"{words:,} words, more than {LONG:,}: check that it is one review")
    columns = {str(name): "" if value is None else str(value) for name, value in fields.items() if name not in used}
    return ReviewText(own_id or f"{paper}#{number}", paper, reviewer, text, score, columns, tuple(flags), tagged)


def _score(value: Any) -> tuple[float] | tuple[None, str]:
    """A score, also as OpenReview writes it (`6: marginally above the acceptance threshold`), or why there is none."""
    try:
        score = float(str(value).partition(":")[0]) if value not in (None, "") else math.nan
    except ValueError:
        return None, f"no score: '{str(value)[:30]}' is not a number"
    return (score,) if math.isfinite(score) else (None, "no score")
