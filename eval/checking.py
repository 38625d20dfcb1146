"""Reviews checked as a whole: what their texts say, beside the papers' calibrated scores. Here two rooms meet."""

from collections.abc import Sequence

from eval.calibration.calibrator import ReviewCalibrator
from eval.calibration.reviews import table_of
from eval.calibration.summary import summarise
from eval.reviews.checks.check import Check, check_texts
from eval.reviews.reading.files import ReviewFile, ReviewText
from eval.reviews.tagging.tagger import Tagger
from panelist.progress import Progress, silent
from panelist.records import Review, Submission

_FEWEST_FOR_CALIBRATION = 10  # reviews


def check_reviews(
    file: ReviewFile,
    tagger: Tagger,
    papers: Sequence[Submission] | None = None,
    *,
    hints: bool = False,
    progress: Progress = silent,
) -> Check:
    """Check all reviews of a file, against the submissions in the file itself unless others are given.

    Raises:
        ModelError: the tagger does not answer everything that is asked of it here.
    """
    calibrated = calibrated_scores(file.reviews)
    return check_texts(file, tagger, papers, calibrated=calibrated, hints=hints, progress=progress)


def calibrated_scores(reviews: Sequence[ReviewText]) -> dict[str, float]:
    """Calibrated scores of papers, from scores alone; empty where reviewers are unknown or have one review each."""
    scored = [Review(r.paper, r.reviewer, r.score) for r in reviews if r.score is not None and r.reviewer]
    pairs = {(review.paper, review.reviewer) for review in scored}
    reviewers = {review.reviewer for review in scored}
    if len(scored) < _FEWEST_FOR_CALIBRATION or len(pairs) < len(scored) or len(reviewers) == len(scored):
        return {}
    if len({review.score for review in scored}) == 1:
        return {}
    summary = summarise(ReviewCalibrator().fit(table_of(scored)), samples=1)
    return {row.paper: round(row.score, 4) for row in summary.papers}
