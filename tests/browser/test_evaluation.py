"""The page that calibrates scores and the page about the API, in a real browser."""

import csv
import io

import pytest
from browser_support import needs_browser

from panelist.app.web.app import STATIC

pytestmark = [pytest.mark.browser, needs_browser]


@pytest.fixture
def page(window, address):
    window.look(1440, 1000)
    window.open(f"{address}/evaluation")
    return window


def result(page):
    page.until(lambda: page.script("return !document.querySelector('#result').hidden"))
    return page.one("#result .lead").text


def test_a_file_of_reviews_is_calibrated_with_pictures(page):
    page.one("#file").send_keys(str(STATIC / "sample-reviews.csv"))
    assert "If 18 are accepted" in result(page)
    assert page.texts("#file-name") == ["sample-reviews.csv"]
    assert len(page.all("#result .plot svg")) == 3
    words = page.texts("#result .plot text")
    assert {"raw mean score", "calibrated score", "probability of acceptance", "offset in points"} <= set(words)
    assert sum(int(text.rstrip("%")) for text in page.texts(".shares .row span:last-child") if text) in (99, 100, 101)
    captions = page.texts("#result caption")
    assert captions[0].startswith("The grey zone")
    page.click("#result .link")
    rows = page.script("return document.querySelectorAll('#result table')[1].tBodies[0].rows.length")
    assert rows == 72
    page.click("#result .actions button:nth-child(2)")
    table = list(csv.DictReader(io.StringIO(page.downloaded("calibrated-papers.csv"))))
    assert [int(row["rank"]) for row in table] == list(range(1, 73))
    page.click("#result .actions button:first-child")
    assert page.downloaded("calibration.html").startswith("<!doctype html>")
    assert page.complaints() == []


def test_its_tables_hold_no_formula_of_a_spreadsheet(page, tmp_path):
    """The page writes these files itself, not the server: the rule of panelist/spreadsheet.py holds here too."""
    papers, reviewers = ["=1+1", "+p", "-p", "@p", "plain,p"], ["=cmd|'/c'!A0", "@r", "plain"]
    file = tmp_path / "reviews.csv"
    with file.open("w", newline="") as out:
        rows = [(paper, who, (3 * i + j) % 7) for i, paper in enumerate(papers) for j, who in enumerate(reviewers)]
        csv.writer(out).writerows([("paper", "reviewer", "score"), *rows])
    page.one("#file").send_keys(str(file))
    result(page)
    for button, name, column, written in ((2, "papers", "paper", papers), (3, "reviewers", "reviewer", reviewers)):
        page.click(f"#result .actions button:nth-child({button})")
        cells = [row[column] for row in csv.DictReader(io.StringIO(page.downloaded(f"calibrated-{name}.csv")))]
        assert set(cells) == {one if one.startswith("plain") else f"'{one}" for one in written}


def test_settings_calibrate_again(page):
    page.click("#sample")
    result(page)
    page.script("accept.value = 7; accept.dispatchEvent(new Event('change', {bubbles: true}))")
    page.until(lambda: "If 7 are accepted" in page.texts("#result .lead")[0])


def test_a_file_that_cannot_be_used_is_told_by_its_line(page, tmp_path):
    file = tmp_path / "reviews.csv"
    file.write_text("paper,reviewer,score\np1,r1,5\np2,r1,splendid\n")
    page.one("#file").send_keys(str(file))
    page.until(lambda: page.one("#problem").is_displayed())
    assert page.one("#problem").text == "the file, line 3: the score must be a number, received 'splendid'"
    assert not page.one("#result").is_displayed()


def test_the_api_describes_itself(window, address):
    window.open(f"{address}/api")
    window.until(lambda: len(window.all(".route")) > 8)
    routes = window.texts(".route h3 code")
    assert {"/api/v1/reviewers", "/api/v1/affinity", "/api/v1/jobs/{job_id}"} <= set(routes)
    window.click(".route details summary")
    for width in (390, 1440):
        window.look(width, 900)
        assert window.overflow() <= 0
    assert window.low_contrasts() == []
    assert window.complaints() == []
