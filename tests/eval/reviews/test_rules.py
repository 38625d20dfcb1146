"""The typologies and the cleaning rules, with the examples of the paper's Table 9."""

from hypothesis import given
from hypothesis import strategies as st

from eval.reviews.tagging.typology import ADVISOR_NAMES, NAMES, TO_ADVISOR, WEAK, advisor_aspects, clean

SUM, ORI, NONE = ("SUM",), ("ORI",), ()


def test_rule_1_what_is_between_two_summaries_is_summary():
    # 'The authors present a method … [O] this is … [O] that maps past observations to a latent space.'
    assert clean([SUM, NONE, SUM, NONE, SUM]) == [SUM] * 5


def test_rule_2_only_the_first_summary_is_kept():
    # 'This paper proposes … [Summary] the theorems are very interesting [Originality] … is remarkable [Summary]'
    assert clean([SUM, ORI, SUM]) == [SUM, ORI, NONE]


def test_rule_7_a_summary_ends_with_its_sentence():
    # 'The effectiveness of the approach [Summary] is shown on some tasks. [O]' is one sentence here
    assert clean([SUM, SUM, NONE]) == [SUM, SUM, NONE]


def test_rules_leave_everything_else_alone():
    # Rules 3 to 6 correct tokens: an aspect between two others of one kind is what the reviewer said.
    assert clean([ORI, ("CLA",), ORI, NONE]) == [ORI, ("CLA",), ORI, NONE]


@given(st.lists(st.sampled_from([SUM, ORI, NONE, ("SUM", "CLA")]), max_size=12))
def test_rules_are_idempotent_and_leave_one_stretch_of_summary(tags):
    once = clean(tags)
    assert clean(once) == once
    assert "".join("s" if "SUM" in tag else "." for tag in once).strip(".").count(".") == 0


def test_the_mapping_covers_both_typologies_and_names_the_weak_ones():
    assert set(TO_ADVISOR) == set(NAMES) - {"APR", "REC"}
    assert set(TO_ADVISOR.values()) | {"SUM", "REP"} == set(ADVISOR_NAMES)
    assert set(WEAK) == {"MOT", "SUB", "REP"}


def test_aspects_of_sentences_are_mapped_to_those_of_review_advisor():
    assert advisor_aspects(["NOV", "CLA"], "Strength", "Novel and clear.") == ("ORI", "CLA")
    assert advisor_aspects(["EMP"], "Recap", "The paper proposes a model.") == ("SUM",)
    assert advisor_aspects(["EMP"], "Todo", "Please release the code and the hyperparameters.") == ("SOU", "REP")
    assert advisor_aspects(["REC"], "Other", "I vote to reject.") == ()
    assert advisor_aspects([], "Other", "The code is nice.") == ()
