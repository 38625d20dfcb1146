"""What a chair gets, with the tagger of the package in its fast form."""

import csv
import io
import re

import pytest

from eval.checking import check_reviews
from eval.reviews.checks import exports
from eval.reviews.checks.report import check_report
from eval.reviews.checks.reuse import find_shared_text
from eval.reviews.checks.wrong_paper import match_papers
from eval.reviews.reading.files import ReviewFile, ReviewText, review_of
from eval.reviews.tagging.tagger import Tagger
from panelist.records import Submission

KIND = (
    "This paper proposes a new parser for sentences. The paper is well written and easy to follow. The idea is novel "
    "and interesting. The experiments are convincing and the results are strong. I enjoyed reading it."
)
HARSH = (
    "The paper proposes a parser. The novelty is very limited. The paper is poorly written and hard to follow. "
    "The experiments are not convincing. The comparison with related work is missing. The authors do not compare with "
    "recent baselines. The results in Table 2 are not clear. Why is the score so low?"
)
TOPICS = {
    "parsing": "dependency parsing of sentences with transition systems treebanks and arcs",
    "vision": "object detection in images with convolutional networks and bounding boxes",
    "speech": "recognition of spoken words from audio spectrograms with acoustic models",
    "robots": "grasping and motion planning of robot arms with reinforcement learning",
}


@pytest.fixture(scope="module")
def tagger():
    return Tagger.load(fast=True)


def review(number, text, paper="p1", reviewer="", score=None):
    return ReviewText(f"r{number}", paper, reviewer, text, score)


def file_of(*texts):
    return ReviewFile([review(n, text, score=float(n), reviewer=f"~R{n}") for n, text in enumerate(texts)])


@pytest.fixture(scope="module")
def checked(tagger):
    return check_reviews(file_of(KIND, HARSH, ""), tagger)


def test_praise_and_criticism_are_counted(checked):
    kind, harsh, empty = checked.contents
    assert kind.strengths >= 3
    assert kind.weaknesses == 0
    assert harsh.weaknesses >= 4
    assert harsh.questions == 1
    assert harsh.pointers["tables"] == 1
    assert empty.sentences == 0
    assert empty.polarity is None


def test_aspects_are_found_and_omissions_are_not_among_them(checked):
    kind, harsh, _ = checked.contents
    assert {"NOV", "CLA"} <= set(kind.aspects)
    assert {"NOV", "CLA", "CMP"} <= set(harsh.aspects)
    for content in (kind, harsh):
        assert not set(content.omitted) & set(content.aspects)
        assert all(0.5 < chance <= 1 for chance in content.omitted.values())


def test_reviewers_of_one_paper_disagree_and_every_claim_has_its_sentences(checked):
    (view,) = checked.papers
    overall = next(dispute for dispute in view.disputes if dispute.aspect == "overall")
    assert overall.spread > 1
    tagged = {each.review.id: each for each in checked.tagged}
    for dispute in view.disputes:
        for position in dispute.positions:
            for number in (*position.positive, *position.negative):
                sentence = tagged[position.review].sentences[number]
                assert dispute.aspect == "overall" or dispute.aspect in sentence.aspects
                assert sentence.polarity == ("positive" if number in position.positive else "negative")
    assert view.score_spread == 2


def test_one_review_shows_no_habit_and_several_do(tagger):
    reviews = [review(n, KIND, f"p{n}", "~Kind", 9.0) for n in range(4)]
    reviews += [review(n + 4, HARSH, f"p{n}", "~Harsh", 2.0) for n in range(4)]
    reviews.append(review(9, KIND, "p9", "~Once"))
    found = {each.reviewer: each for each in check_reviews(ReviewFile(reviews), tagger).reviewers}
    assert found["~Once"].note == "one review shows no habit"
    assert any("lower polarity" in habit for habit in found["~Harsh"].notable)


def test_calibrated_scores_come_from_scores_alone(tagger):
    reviews = [review(3 * n + k, KIND, f"p{n}", f"~R{k}", float(n + k)) for n in range(6) for k in range(3)]
    other = [review(int(r.id[1:]), HARSH, r.paper, r.reviewer, r.score) for r in reviews]
    first, second = (check_reviews(ReviewFile(rows), tagger).papers for rows in (reviews, other))
    assert all(view.calibrated is not None for view in first)
    assert [view.calibrated for view in first] == [view.calibrated for view in second]


def test_hints_are_off_by_default_and_come_with_error_rates(tagger):
    file = file_of("This is nonsense and a waste of time. " + HARSH, KIND)
    assert check_reviews(file, tagger).hints == ()
    found = check_reviews(file, tagger, hints=True)
    assert any(hint.kind == "impoliteness" and "nonsense" in hint.text for hint in found.hints)
    assert all(kind.errors for kind in found.hint_kinds)


def test_a_review_of_another_paper_is_suspected():
    papers = [Submission(f"{t}{n}", t, f"{words} study {n}") for t, words in TOPICS.items() for n in range(4)]
    long = " ".join([TOPICS["vision"]] * 12)
    right, wrong, short, unknown = match_papers(
        [
            review(1, long, "vision1"),
            review(2, long, "speech2"),
            review(3, "Too short.", "vision1"),
            review(4, long, "x"),
        ],
        papers,
    )
    assert not right.suspected
    assert wrong.suspected
    assert wrong.nearest.startswith("vision")
    assert short.abstained == "fewer than 100 words"
    assert unknown.abstained == "its paper is not among the submissions"


def test_shared_text_is_found_and_the_form_of_the_venue_is_not():
    form = "Please rate the following aspects of this submission on a scale of one to five. "
    own = [
        "".join(f"Remark {n} by reviewer {k} concerns item {n * 7 + k} of list {k}. " for n in range(20))
        for k in range(8)
    ]
    texts = [form + text for text in own]
    texts[5] = form + own[5][: len(own[5]) // 4] + own[2][len(own[2]) // 4 :]
    (pair,) = find_shared_text([review(n, text) for n, text in enumerate(texts)])
    assert {pair.first, pair.second} == {"r2", "r5"}
    assert pair.suspected
    assert pair.passage in " ".join(own[2].split())


def test_exports_for_authors_tell_nothing_about_reviewers(tagger):
    papers = [Submission("p1", "Parsing", "dependency parsing"), Submission("p2", "Vision", "images")]
    secret = ReviewFile([ReviewText("secret-id", "p1", "~Ada_Lovelace1", HARSH, 3.0, flags=("flagged",))])
    found = check_reviews(secret, tagger, papers, hints=True)
    for written in (exports.authors_csv(found), exports.sentences_csv(found)):
        for word in ("secret-id", "Ada", "flag", "3.0", "hint", "rank"):
            assert word not in written
        assert "review 1" in written
    assert "~Ada_Lovelace1" in exports.chair_csv(found)
    assert "flagged" in exports.chair_csv(found)


def test_cells_that_a_spreadsheet_would_run_are_harmless(tagger):
    found = check_reviews(ReviewFile([review(1, "=cmd is not the way to write a review of a paper.")]), tagger)
    rows = list(csv.reader(io.StringIO(exports.sentences_csv(found))))
    assert rows[1][3].startswith("'=cmd")


def test_the_page_escapes_texts_and_names_what_is_weak(tagger):
    hostile = review_of("The <b>paper</b> is good & the <img src=x onerror=alert(1)> method is unclear.", id="<p>")
    page = check_report(check_reviews(ReviewFile([hostile]), tagger), "Check", {}).html()
    assert "<img src=x" not in page
    assert "&lt;p&gt;" in page
    assert "Replicability is weak" in page


def test_every_claim_on_the_page_leads_to_its_sentence(checked):
    page = check_report(checked, "Check", {}).html()
    links = re.findall(r'href="#(review-\d+-\d+)"', page)
    assert links
    assert all(page.count(f'id="{link}"') == 1 for link in links)


def test_untagged_reviews_are_counted_in_a_message(tagger):
    german = review_of(
        "Die Arbeit ist gut geschrieben, aber die Versuche sind nicht neu und nicht überzeugend.", id="g"
    )
    found = check_reviews(ReviewFile([german, review_of(KIND, id="e")]), tagger)
    assert "1 of 2 reviews are not tagged: empty, or not in English" in found.messages
    assert found.contents[0].sentences == 0
