"""The demo: invented papers by invented people, the same on every machine, and small files of every kind of them."""

from panelist.app.demo.conference import write_conference, write_gold_standard
from panelist.app.demo.material import corpus
from panelist.app.demo.samples import SampleReviews, review_texts, reviews, submissions
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
