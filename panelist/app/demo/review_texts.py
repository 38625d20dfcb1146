"""Nine invented reviews of three invented papers: the sample that the page offers too."""

from __future__ import annotations

from pathlib import Path

from eval.reviews.reading.files import read_review_file
from eval.reviews.reading.records import ReviewFile
from panelist.records import Submission

_FILE = Path(__file__).parent.parent / "web" / "static" / "sample-review-texts.csv"


def review_texts() -> ReviewFile:
    """The reviews, and the submissions that they are about."""
    papers = (
        Submission(
            "paper-1", "Counting seabirds from the air", "Drones photograph colonies of seabirds; a network counts."
        ),
        Submission(
            "paper-2", "Radar sees wet soil", "Soil moisture is predicted from radar backscatter of satellites."
        ),
        Submission("paper-3", "Two hundred letters", "An annotated corpus of letters from the eighteenth century."),
    )
    return ReviewFile(read_review_file(_FILE).reviews, papers)
