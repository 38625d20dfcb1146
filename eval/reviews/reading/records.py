"""A review as text, and what is known about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from panelist.records import Submission


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
    """What a file holds: reviews, and the papers and meta-reviews where they are in it too."""

    reviews: Sequence[ReviewText]
    papers: Sequence[Submission] = ()
    metareviews: Mapping[str, str] = field(default_factory=dict)
