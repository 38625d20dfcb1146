"""The synthetic corpus of the demo: invented papers by invented people, the same on every machine."""

from panelist.demo.generator import corpus
from panelist.demo.samples import submissions
from panelist.demo.works import to_work, write_works

__all__ = ["corpus", "submissions", "to_work", "write_works"]
