"""Authors on the committee of their own papers: nobody who is identified is missed."""

from eval.benchmarks.planted_authors import planted_authors
from panelist.app.demo import corpus


def test_who_is_identified_is_certain_and_who_is_named_is_possible():
    found = planted_authors(corpus())
    own = found["name"]["by_name"].possible
    assert own > 500
    for form in ("OpenReview id", "e-mail", "ORCID"):
        one = found[form]["by_id"]
        assert (one.certain, one.possible, one.missed) == (own, 0, 0)
    for form in ("OpenReview id", "name", "initials"):
        one = found[form]["by_name"]
        assert (one.certain, one.possible, one.missed) == (0, own, 0)
        assert one.false_flags < one.strangers / 500
    for form in ("e-mail", "ORCID"):  # nobody can know
        assert found[form]["by_name"].missed == own
