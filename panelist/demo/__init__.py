"""The demo: invented papers by invented people, the same on every machine, and small files of every kind of them."""

from panelist.demo.conference import write_conference
from panelist.demo.generator import corpus
from panelist.demo.goldstandard import write_gold_standard
from panelist.demo.reviews import SampleReviews, reviews
from panelist.demo.samples import submissions
from panelist.demo.works import to_work, write_works

__all__ = [
    "SampleReviews",
    "corpus",
    "reviews",
    "submissions",
    "to_work",
    "write_conference",
    "write_gold_standard",
    "write_works",
]
