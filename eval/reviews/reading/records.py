"""A review as text, and what is known about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from panelist.records import Submission


@dataclass(frozen=True, slots=True)
class ReviewText:
    """One review.

    Attributes:
        id: unique in its file.
        paper: what it is about.
        reviewer: who wrote it, empty where the file does not say.
        text: plain text; HTML and Markdown are gone, headings and lists are lines of their own.
        score: the recommendation, where there is one.
        columns: everything else that the file says about it, as text.
        flags: what stands against tagging or trusting it, in words.
        tagged: whether it can be tagged at all (it has text, and that in English).
    """

    id: str
    paper: str
    reviewer: str
    text: str
    score: float | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    tagged: bool = True

    @property
    def words(self) -> int:
        """The number of words."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class ReviewFile:
    """What a file holds: reviews, and the papers and meta-reviews where they are in it too."""

    reviews: Sequence[ReviewText]
    papers: Sequence[Submission] = ()
    metareviews: Mapping[str, str] = field(default_factory=dict)
