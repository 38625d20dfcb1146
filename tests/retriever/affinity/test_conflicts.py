"""Conflicts of a committee that is known by its profiles only."""

from datetime import UTC, datetime

import pytest

from panelist.records import Author, Authorship, Paper, Submission
from retriever.affinity.conflicts import find_conflicts
from retriever.affinity.reviewers import Reviewers

THIS_YEAR = datetime.now(UTC).year


@pytest.mark.parametrize("year", [THIS_YEAR, THIS_YEAR + 73, None])
def test_a_submission_from_the_future_does_not_switch_off_conflicts(year):
    team = tuple(Authorship(Author(f"r:{name}", name)) for name in ("Ada", "Bob"))
    reviewers = Reviewers(("r:Ada",), ((Paper("p1", "Bees", "", THIS_YEAR - 1, team),),))
    submission = Submission("s1", "Honey", authors=(Author("r:Bob", "Bob"),), year=year)
    (found,) = find_conflicts([submission], reviewers)
    assert found.certain
    assert found.evidence == f"co-authored “Bees” in {THIS_YEAR - 1} with Bob"
