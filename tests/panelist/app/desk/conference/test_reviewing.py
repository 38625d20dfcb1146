"""Reviews that come back into a conference: compared with the assignment, checked, calibrated, shown by paper."""

import csv
import io

import pytest
from conference_support import Live, bare_view, open_conferences

from panelist.app.confined.reviews import CalibrationIn
from panelist.app.desk.conference.findings import RefusedError
from panelist.app.desk.conference.outcomes import load_pairs
from panelist.app.desk.conference.reviewing import calibrating, checking, intake
from panelist.app.desk.conference.reviews import load_calibration, load_reviews, review_content, scored_reviews
from panelist.app.desk.conference.settings import ConferenceSettings
from panelist.app.desk.conference.view import Look
from panelist.app.desk.conference.views.paper import paper_view
from panelist.app.desk.conference.views.scores import ScoreView
from panelist.app.desk.errors import NotFoundError, RevisionConflictError
from panelist.progress import silent
from retriever.fit import shipped

PAPERS, REVIEWERS = 12, 8
SCORES = "".join(f"p{i},r{j},{((5 * i + 3 * j) % 7) / 7:.4f}\n" for i in range(PAPERS) for j in range(REVIEWERS))
PRAISE = "The paper is well written and the experiments are convincing. The method is novel."
BLAME = "The evaluation is weak: baselines are missing. The text is hard to follow in section 3."


@pytest.fixture
def conferences(tmp_path):
    return open_conferences(tmp_path)


@pytest.fixture
def conference(conferences):
    fit = "".join(f"{one.rpartition(',')[0]},0.04\n" for one in SCORES.splitlines())
    made = Live(conferences, {"scores": SCORES, "fit": fit})
    made.choose(made.solve(bare_view(made.now), ConferenceSettings(demand=3, most=6)).number)
    return made


def assigned(conference):
    return [(pair.paper, pair.reviewer) for pair in load_pairs(conference.now, 1).pairs]


def shown(conference, paper):
    return paper_view(bare_view(conference.now), paper, checking.of_paper(conference.now, paper))


def table(rows, text=False):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["paper", "reviewer", "score", *(["text"] if text else [])])
    for number, (paper, reviewer) in enumerate(rows):
        score = 5 + int(paper[1:]) % 4 - int(reviewer[1:]) % 3
        writer.writerow([paper, reviewer, score, *([(PRAISE, BLAME)[number % 2]] if text else [])])
    return out.getvalue().encode()


def send(conferences, conference, content, kind="scores", **options):
    return intake.accept(conferences, conference.id, kind, "sent.csv", content, **options)


def test_scores_are_kept_and_compared_with_the_assignment(conferences, conference):
    pairs = assigned(conference)
    outside = next((f"p{i}", f"r{j}") for i in range(9) for j in range(8) if (f"p{i}", f"r{j}") not in pairs)
    record = send(conferences, conference, table([*pairs[1:], outside, ("p1", "r99")]), actor="Ada")
    assert record.summary == "37 reviews of 12 papers by 9 reviewers"
    odd = {one.what: one for one in intake.beside_assignment(conference.now, record)}
    assert odd["reviewers who are not on the committee"].where[0].text == "p1 r99"
    extra = odd["reviews by somebody who is not assigned to the paper"]
    assert (extra.count, extra.where[0].line, extra.where[0].text) == (1, 37, " ".join(outside))
    assert odd["reviews that were assigned and have not come"].where[0].text == " ".join(pairs[0])
    (event, *_) = conference.now.events
    assert (event.kind, event.who) == ("reviews", "Ada")


def test_who_is_able_is_no_weak_match(conferences):
    fair = shipped().fair  # fits are kept with seven digits: what is just below it is weak for all, or for none
    fit = "".join(
        f"{one.rpartition(',')[0]},{fair * (1 + (at - 2) * 1e-8)!r}\n" for at, one in enumerate(SCORES.split())
    )
    view = ScoreView(bare_view(Live(conferences, {"scores": SCORES, "fit": fit}).now))
    able = {
        paper: sum(row.confidence != "low" for row in view.pairs_of_paper(paper, Look()).rows) for paper in view.papers
    }
    assert view.able_by_paper() == able


def test_nothing_is_half_accepted(conferences, conference):
    good = table(assigned(conference))
    send(conferences, conference, good)
    bad = good + b"p99,r1,4\np77,r1,4\n"
    with pytest.raises(RefusedError, match="2 lines name a paper") as caught:
        send(conferences, conference, bad)
    assert [(finding.line, finding.text) for finding in caught.value.findings] == [
        (38, "no paper 'p99' in this conference"),
        (39, "no paper 'p77' in this conference"),
    ]
    with pytest.raises(RefusedError, match=r"file, line 2: .*score .*received 'splendid'"):
        send(conferences, conference, b"paper,reviewer,score\np1,r1,splendid\n")
    with pytest.raises(RefusedError, match="page Calibration"):
        send(conferences, conference, good, "texts")
    assert review_content(conference.now, "scores") == good
    assert load_reviews(conference.now)["scores"].summary.startswith("36 reviews")
    with pytest.raises(RevisionConflictError):
        send(conferences, conference, good, revision=1)


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf{}", b"sep=;\n{}"])
def test_lines_are_counted_as_the_readers_count(conferences, conference, content):
    rows = table([("p1", "r1"), ("p99", "r2")])
    sent = content.replace(b"{}", rows.replace(b",", b";") if b"sep" in content else rows)
    with pytest.raises(RefusedError) as caught:
        send(conferences, conference, sent)
    assert caught.value.findings[0].line == 3 + (b"sep" in content)


def test_scores_are_calibrated_and_kept_until_others_come(conferences, conference):
    with pytest.raises(NotFoundError, match="no scores of reviews"):
        calibrating.make(conferences, conference.id, CalibrationIn())
    assert load_calibration(conference.now) is None
    send(conferences, conference, table(assigned(conference)))
    made = calibrating.make(conferences, conference.id, CalibrationIn(accept=4, samples=50), actor="Ada")
    kept = load_calibration(conference.now)
    assert (kept["accepted"], kept["stale"], len(kept["papers"])) == (4, False, PAPERS)
    assert kept["papers"] == made["papers"]
    assert conference.now.events[0].kind == "calibrated"
    view = shown(conference, "p1")
    (row,) = [row for row in kept["papers"] if row["paper"] == "p1"]
    assert view.calibrated == row
    assert {reviewer.reviewer for reviewer in view.reviewers} == {
        who for paper, who in assigned(conference) if paper == "p1"
    }
    assert all(reviewer.score is not None and reviewer.offset is not None for reviewer in view.reviewers)
    assert {reviewer.confidence for reviewer in view.reviewers} == {"medium"}
    assert b"<!doctype html>" in calibrating.report(conference.now)[:40]
    send(conferences, conference, table(assigned(conference)[:-1]))
    assert load_calibration(conference.now)["stale"]


def test_texts_are_checked_and_shown_some_papers_at_a_time(conferences, conference):
    with pytest.raises(NotFoundError, match="there are no texts"):
        checking.check_texts(conferences, conference.now, silent)
    send(conferences, conference, table(assigned(conference), text=True), "texts")
    assert checking.checked(conference.now, Look()) is None
    checking.check_texts(conferences, conference.now, silent)
    some = checking.checked(conference.now, Look(offset=10, limit=5))
    assert (some["total"], len(some["papers"]), len(some["tagged"])) == (12, 2, 6)
    assert some["summary"]["reviews"] == 36
    assert [paper["paper"] for paper in checking.checked(conference.now, Look("P11"))["papers"]] == ["p11"]
    reviews = shown(conference, "p3").reviews
    assert (len(reviews.tagged), reviews.papers[0]["calibrated"]) == (3, None)
    assert len(list(csv.DictReader(io.StringIO(checking.table(conference.now, "chair"))))) == 36
    assert b"text" in scored_reviews(conference.now)  # as there is no file of scores
    send(conferences, conference, table(assigned(conference)[1:], text=True), "texts")
    assert checking.checked(conference.now, Look()) is None  # of other texts


def test_what_was_made_of_reviews_holds_and_a_check_until_submissions_change(conferences, conference):
    send(conferences, conference, table(assigned(conference), text=True), "texts")
    calibrating.make(conferences, conference.id, CalibrationIn(accept=4, samples=20))
    checking.check_texts(conferences, conference.now, silent)
    assert load_calibration(conference.now)["stale"] is False
    assert checking.checked(conference.now, Look()) is not None
    conference.put(submissions='{"id": "p1", "title": "Another paper than before"}\n')
    assert checking.checked(conference.now, Look()) is None  # what a review is about was compared with other papers


def test_an_unknown_paper_is_refused(conference):
    assert shown(conference, "p1").calibrated is None
    with pytest.raises(NotFoundError, match=r"no paper 'p99' .*conference"):
        shown(conference, "p99")
