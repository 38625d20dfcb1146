"""The demo: invented papers by invented people, the same on every machine, and small files of every kind of them."""

from panelist.app.demo.conference import write_conference
from panelist.app.demo.generator import corpus
from panelist.app.demo.goldstandard import write_gold_standard
from panelist.app.demo.review_texts import review_texts
from panelist.app.demo.reviews import SampleReviews, reviews
from panelist.app.demo.samples import submissions
from panelist.corpus.readers.openalex import write_works

__all__ = [
    "SampleReviews",
    "corpus",
    "review_texts",
    "reviews",
    "submissions",
    "write_conference",
    "write_gold_standard",
    "write_works",
]
