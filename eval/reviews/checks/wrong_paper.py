"""Is a review about its paper? Its words against the titles and abstracts of all submissions.

A review uses the words of the paper it is about. So TF-IDF of the review is compared with that of every submission; a
review is suspected where its own paper is far down the list. Below 100 words there is too little to compare.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from eval.reviews.reading.files import ReviewText
from panelist.records import Submission

FEWEST_WORDS = 100
SUSPICIOUS_RANK = 10
"""From this rank of its own paper on a review is suspected; among fewer than 100 papers, from a tenth of them on (never
at rank 1)."""


@dataclass(frozen=True, slots=True)
class PaperMatch:
    """How well a review fits its paper; figures are None where nothing can be said, and `abstained` says why."""

    review: str
    paper: str
    similarity: float | None = None  # the cosine with its own paper
    rank: int | None = None  # of its own paper; 1 where no submission is nearer
    nearest: str = ""  # the other submission whose words the review uses most
    nearest_similarity: float | None = None
    suspected: bool = False
    abstained: str = ""


def match_papers(reviews: Sequence[ReviewText], papers: Sequence[Submission]) -> list[PaperMatch]:
    """Compare every review with every submission; ties go to the review's own paper."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    rows = {paper.id: row for row, paper in enumerate(papers)}
    matches = {review.id: PaperMatch(review.id, review.paper, abstained=_reason(review, rows)) for review in reviews}
    usable = [review for review in reviews if not matches[review.id].abstained]
    if not usable:
        return list(matches.values())
    texts = [f"{paper.title}\n{paper.abstract}" for paper in papers]
    vectorizer = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), stop_words="english")
    submissions = vectorizer.fit_transform(texts)
    similarities = (vectorizer.transform([review.text for review in usable]) @ submissions.T).toarray()
    limit = max(2, min(SUSPICIOUS_RANK, len(papers) // 10))
    for review, row in zip(usable, similarities, strict=True):
        own_paper = rows[review.paper]
        similarity = float(row[own_paper])
        rank = int((row > similarity).sum()) + 1
        row[own_paper] = -1.0
        best = int(row.argmax())
        matches[review.id] = PaperMatch(
            review.id, review.paper, similarity, rank, papers[best].id, float(row[best]), rank >= limit
        )
    return list(matches.values())


def _reason(review: ReviewText, rows: dict[str, int]) -> str:
    if len(rows) < 2:
        return "there is no other submission to compare with"
    if review.paper not in rows:
        return "its paper is not among the submissions"
    if not review.tagged:
        return review.flags[-1]
    return f"fewer than {FEWEST_WORDS} words" if review.words < FEWEST_WORDS else ""
