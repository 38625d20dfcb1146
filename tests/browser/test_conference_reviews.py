"""The second half of a chair's work in a real browser: assign, lock, solve again, export, calibrate, on the demo.

The page is reloaded and the server is started again in between, and bad files are sent at each step.
"""

import csv
import io
from contextlib import contextmanager

import httpx
import pytest
from browser_support import needs_browser
from web_support import make_workspace, running, start_service

from panelist.app.demo.desk import demo_conference

pytestmark = [pytest.mark.browser, needs_browser]

PRAISE = "The paper is well written and the experiments are convincing. The method is novel."
BLAME = "The evaluation is weak: baselines are missing. The text is hard to follow in section 3."


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return make_workspace(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="module")
def conference(workspace):
    service = start_service(workspace, seconds=3600)
    try:
        with service.finder() as finder:
            return demo_conference(workspace, finder).id
    finally:
        service.close()


@contextmanager
def desk(window, workspace, conference, tab):
    """A new server, and the browser on one of the conference's pages."""
    with running(start_service(workspace, seconds=3600)) as address:
        window.look(1440, 1000)
        window.open(f"{address}/conferences/{conference}/{tab}")
        window.until(lambda: window.texts("#conference-name") != ["Conference"])
        yield address


def solve(page, button, number):
    page.until(lambda: page.all(button) and page.one(button).is_enabled() and page.one(button).is_displayed())
    page.click(button)
    page.until(lambda: f"Solution {number}: done" in page.texts("#status")[0] and page.all(f"#take-{number}"))


def choose(page, number):
    page.click(f"#take-{number}")
    page.until(lambda: page.texts("#chosen-heading") == [f"Who reviews what: solution {number}"])


def reviews(pairs, texts):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["paper", "reviewer", "score", *(["text"] if texts else [])])
    for number, (paper, reviewer) in enumerate(pairs):
        score = 3 + len(paper + reviewer) % 5 + number % 2
        writer.writerow([paper, reviewer, score, *([(PRAISE, BLAME)[number % 2]] if texts else [])])
    return out.getvalue()


def test_from_the_assignment_to_calibrated_papers(window, workspace, conference, tmp_path):
    page = window
    with desk(page, workspace, conference, "assignment"):
        page.until(lambda: page.all("#demand-1"))  # the demo has area chairs, who are asked for by themselves
        assert page.texts(".side h3") == ["Solution 2chosen", "Solution 1"]
        page.look(1440, 1500)
        page.look(1440, 1000)
        page.script("document.querySelector('#demand-1').value = 0")
        solve(page, "#try", 3)
        choose(page, 3)
        page.click("#pairs .window-row[id][aria-rowindex='2']")
        page.until(lambda: page.all("#pair-dialog[open] #lock"))
        page.click("#lock")
        page.until(lambda: len(page.texts("#changes li")) == 1)
    with desk(page, workspace, conference, "assignment") as address:  # another server: nothing is lost
        page.until(lambda: page.texts("#pending") == ["1 change by hand since solution 3 was made."])
        solve(page, "#resolve", 4)
        page.until(lambda: "0 papers differ" in page.texts("#differences")[0])
        choose(page, 4)
        page.click("[data-format=zip]")
        page.until(lambda: (page.downloads / "assignment.zip").exists())
        answer = httpx.get(f"{address}/api/v1/conferences/{conference}/solutions/4/export", params={"format": "csv"})
    pairs = [(row[0], row[1]) for row in csv.reader(io.StringIO(answer.text))]

    bad, good = tmp_path / "bad.csv", tmp_path / "reviews.csv"
    bad.write_text(reviews([*pairs[:3], ("no-such-paper", pairs[0][1])], texts=True))
    good.write_text(reviews(pairs[1:], texts=True))
    with desk(page, workspace, conference, "reviews"):
        page.one("#texts").send_keys(str(bad))
        page.until(lambda: page.all("#refused .problem"))
        assert "Nothing was kept. 1 line names a paper that this conference does not have" in page.texts("#refused")[0]
        assert page.texts("#refused li") == ["line 5 · no paper 'no-such-paper' in this conference"]
        page.one("#texts").send_keys(str(good))
        page.until(lambda: page.one("#tools").is_displayed() and page.all(".review"))
        assert page.texts("#sent summary") == ["1 × assigned reviews that are not there"]
        assert page.texts("#range")[0].startswith("papers 1 to 10 of ")
        page.click("#after")
        page.until(lambda: page.texts("#range")[0].startswith("papers 11 to "))
        page.click("[data-export=authors]")
        assert page.downloaded("reviews-authors.csv").startswith("paper,review,")

    scores = tmp_path / "scores.csv"
    with desk(page, workspace, conference, "calibration"):
        page.until(lambda: page.texts("#result .lead"))  # the demo's own
        scores.write_text("paper,reviewer,score\np1,r1,splendid\n")
        page.one("#scores").send_keys(str(scores))
        page.until(lambda: "line 2: the score must be a number, received 'splendid'" in page.texts("#refused")[0])
        scores.write_text(reviews(pairs, texts=False))
        page.one("#scores").send_keys(str(scores))
        page.until(
            lambda: page.texts("#sent strong") == ["scores.csv"] and page.one("#loading").is_displayed() is False
        )
        page.until(lambda: f"{len(pairs)} reviews of" in page.texts("#result .lead")[0])
    with desk(page, workspace, conference, "calibration") as address:  # kept, also by another server
        page.until(lambda: page.texts("#result .lead"))
        assert "papers by" in page.texts("#result .lead")[0]
        page.click("#result table a")
        page.until(lambda: page.all("#worth"))
        assert len(page.texts("#worth dd")) == 4
        assert page.texts("#worth dd")[2].endswith("%")
        assert len(page.all("#reviewers tbody tr")) == 3
        assert page.all(".review")
        for width, dark in ((360, True), (1440, False)):
            page.look(width, 1000, dark=dark)
            assert page.overflow() <= 0
            assert page.low_contrasts() == []
        page.open(f"{address}/conferences/{conference}/history")
        page.until(lambda: page.all(".window-body .window-row > span + span"))
        told = page.texts(".window-body .window-row > span:nth-child(3)")
        assert told[0].startswith("calibrated")
        assert any(words.startswith("lock ") for words in told)
        page.click("#save-csv")
        history = list(csv.DictReader(io.StringIO(page.downloaded("history.csv"))))
        assert [row["kind"] for row in history[-2:]] == ["reviews", "calibrated"]
        locked = next(at for at, words in enumerate(told) if words.startswith("lock "))
        page.click(f".window-body .window-row:nth-child({locked + 1})")
        page.until(lambda: page.all("#toast button"))
        page.click("#toast button")
        page.until(lambda: page.texts(".window-body .window-row > span:nth-child(3)")[0].startswith("undo: lock "))


@pytest.mark.parametrize("tab", ["reviews", "calibration", "history"])
@pytest.mark.parametrize(("width", "dark"), [(360, True), (1440, False)])
def test_pages_are_readable_in_any_size_and_light(window, workspace, conference, tab, width, dark):
    with desk(window, workspace, conference, tab):
        window.look(width, 1000, dark=dark)
        window.until(lambda: window.all("#upload button, .window-body .window-row"))
        assert window.overflow() <= 0
        assert window.low_contrasts() == []
        assert window.nameless_controls() == []
        assert window.complaints() == []
