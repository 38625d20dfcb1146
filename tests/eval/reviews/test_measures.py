"""The paper's measures against hand-computed values, and their properties."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eval.reviews.benchmark import bias_study, reuse_study, wrong_paper_study
from eval.reviews.measures.bias import GroupedReview, aspect_score, disparities
from eval.reviews.measures.compare import bert_score, compare_drafts, judged_measures, rouge
from eval.reviews.reading.files import ReviewFile, ReviewText
from eval.reviews.tagging.tagger import Tagger
from panelist.errors import InputError


def test_measures_from_judgements_follow_the_paper():
    for decision, recommendation, right in (("1", "1", 1), ("1", "-1", -1), ("-1", "0", 0), ("-1", "-1", 1)):
        assert judged_measures({"decision": decision, "recommendation": recommendation}, "d") == {"RACC": right}
    # 'we set it to be 1 when there are no negative aspects'
    for negative, evidence, valid, info, acon in ((4, 3, 1.5, 0.75, 0.5), (4, 4, 2.5, 1, 0.625), (0, 0, 0, 1, 1)):
        columns = {"negative_aspects": negative, "negative_with_evidence": evidence, "valid_support": valid}
        judged = judged_measures({name: str(value) for name, value in columns.items()}, "d")
        assert judged == {"INFO": info, "ACON": acon}


def test_judgements_are_read_from_columns():
    columns = {
        "decision": "Accept", "recommendation": "neutral", "negative_aspects": "4", "negative_with_evidence": "2",
        "valid_support": "1.5", "summary_correct": "0.5",
    }  # fmt: skip
    assert judged_measures(columns, "draft 1") == {"RACC": 0, "INFO": 0.5, "ACON": 0.75, "SACC": 0.5}
    assert judged_measures({}, "draft 1") == {}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"decision": "maybe", "recommendation": "1"}, r"decision .*accept"),
        (
            {"negative_aspects": "1", "negative_with_evidence": "2"},
            r"2 .*evidence .*more than .*1",
        ),
        ({"negative_aspects": "x", "negative_with_evidence": "2"}, r"negative_aspects .*number"),
        ({"negative_aspects": "nan", "negative_with_evidence": "2"}, r"negative_aspects .*number"),
        ({"negative_aspects": "inf", "negative_with_evidence": "2"}, r"negative_aspects .*number"),
        ({"summary_correct": "0.7"}, r"summary_correct .*0, 0.5 or 1"),
    ],
)
def test_impossible_judgements_are_refused(columns, message):
    with pytest.raises(InputError, match=message):
        judged_measures(columns, "draft 1")


def test_rouge_is_the_maximum_over_references():
    found = rouge("the cat sat on the mat", ["a dog ran", "the cat lay on the mat"])
    assert found["rouge1"].f1 == pytest.approx(5 / 6)
    assert found["rouge2"].f1 == pytest.approx(3 / 5)
    assert found["rougeL"].f1 == pytest.approx(5 / 6)
    with pytest.raises(InputError, match="at least one reference"):
        rouge("x", [])


def test_the_two_variants_of_rouge_l_differ():
    found = rouge("The method is new. The text is clear.", ["The text is clear. The method is new."])
    assert found["rougeLsum"].f1 == pytest.approx(1)
    assert found["rougeL"].f1 < 0.8


def test_bert_score_matches_greedily():
    one, two = np.eye(2, dtype=np.float32)
    found = bert_score(np.stack([one]), [np.stack([one, two])])
    assert (found.precision, found.recall, found.f1) == pytest.approx((1, 0.5, 2 / 3))
    assert bert_score(np.zeros((0, 2), np.float32), [np.stack([one])]).f1 == 0


@given(st.integers(0, 5), st.integers(0, 5))
def test_an_aspect_score_is_the_share_of_positive_occurrences(positive, negative):
    score = aspect_score(positive, positive + negative)
    assert 0 <= score <= 1
    assert score == (0.5 if positive + negative == 0 else positive / (positive + negative))


def grouped(group, positive, count, start=0):
    return [GroupedReview(f"{group}{start + n}", group, {"CLA": (positive, 2)}) for n in range(count)]


def test_disparity_has_an_interval_and_warns_of_small_groups():
    report = disparities(grouped("a", 2, 40) + grouped("b", 1, 20), ["CLA", "NOV"], ("a", "b"))
    clarity, novelty = report.disparities
    assert (clarity.first, clarity.second, clarity.difference) == (1.0, 0.5, 0.5)
    assert clarity.interval == (0.5, 0.5)
    assert clarity.excludes_zero
    assert novelty.difference == 0
    assert not novelty.excludes_zero
    assert report.warnings == ("group 'b' has 20 reviews, fewer than 30: its scores are mostly noise",)
    assert report.total == 0.5


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), min_size=4, max_size=30))
def test_swapping_groups_turns_the_sign(rows):
    reviews = [GroupedReview(f"p{n // 2}", group, {"CLA": (positive, 3)}) for n, (group, positive) in enumerate(rows)]
    assume(len({group for group, _ in rows}) == 2)
    one, other = (disparities(reviews, ["CLA"], pair).disparities[0] for pair in (("a", "b"), ("b", "a")))
    assert one.difference == pytest.approx(-other.difference)
    np.testing.assert_allclose(one.interval, [-other.interval[1], -other.interval[0]], atol=1e-9)


def test_comparison_names_what_is_missing_and_averages_by_paper():
    good = "This paper proposes a parser. The paper is clearly written. The idea is novel. The results are strong."
    references = ReviewFile(
        [
            ReviewText("a", "p", "", good),
            ReviewText("m", "p", "", "The paper is clearly written and novel.", columns={"kind": "metareview"}),
            ReviewText("b", "q", "", "The comparison with related work is missing."),
        ]
    )
    drafts = ReviewFile([ReviewText("1", "p", "", good), ReviewText("2", "q", "", "Nothing to say here at all.")])
    tagger = Tagger.load(fast=True)
    found = compare_drafts(drafts, references, tagger)
    first, second = found.drafts
    covered = {aspect for sentence in tagger.tag(drafts.reviews)[0].sentences for aspect in sentence.advisor}
    assert {"SUM", "CLA", "ORI"} <= covered
    assert first.measures["ACOV"] == len(covered) / 8
    assert first.matches["rouge1"].f1 == pytest.approx(1)
    assert first.measures["AREC"] == 1
    assert "AREC" not in second.measures
    assert found.means["rouge1"] == pytest.approx((1 + second.matches["rouge1"].f1) / 2)
    assert any("RACC" in message for message in found.messages)
    with pytest.raises(InputError, match=r"paper 'x'.* no reference"):
        compare_drafts(ReviewFile([ReviewText("1", "x", "", good)]), references, tagger)


@pytest.mark.data
def test_accepted_papers_are_spoken_of_better_on_gold_labels(data_dir):
    found = bias_study(data_dir / "reviews")["disparity"]
    for aspect, trial in {"EMP": 0.169, "CLA": 0.132, "CMP": 0.073, "NOV": 0.063}.items():
        assert found[aspect]["interval"][0] > 0
        assert found[aspect]["interval"][0] <= trial <= found[aspect]["interval"][1]


@pytest.mark.data
def test_wrong_papers_and_copies_are_found_among_real_reviews(data_dir):
    papers = wrong_paper_study(data_dir / "reviews")
    assert papers["own_first"] > 0.8
    assert papers["auc"] > 0.98
    copies = reuse_study(data_dir / "reviews")
    assert copies["recall"] >= 0.95
    assert copies["suspected"] == 0
