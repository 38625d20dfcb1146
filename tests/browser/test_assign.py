"""The page that assigns reviewers, in a real browser: scores in, a method, plots, a table, downloads."""

import csv
import json

import pytest
from browser_support import needs_browser
from waiting import finished
from web_support import api_of

pytestmark = [pytest.mark.browser, needs_browser]


@pytest.fixture
def page(window, address):
    window.look(1440, 1000)
    window.open(f"{address}/assign")
    window.until(lambda: window.all("#method"))  # with what the API says of options
    return window


def lead(page, having=""):
    page.until(
        lambda: (
            page.script("return !document.querySelector('#result').hidden")
            and having in (page.texts("#result .lead") or [""])[0]
        )
    )
    page.until(
        lambda: page.script("return [...document.querySelectorAll('#result img')].every(i => i.naturalWidth > 300)")
    )
    return page.one("#result .lead").text


def choose(page, method):
    page.script(
        "const m = document.querySelector('#method'); m.value = arguments[0];"
        "m.dispatchEvent(new Event('change', {bubbles: true}))",
        method,
    )


def test_a_file_of_scores_is_assigned_with_plots_table_and_downloads(page, tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text("".join(f"p{i},r{j},{((7 * i + 3 * j) % 11) / 11:.4f}\n" for i in range(12) for j in range(9)))
    page.one("#scores").send_keys(str(file))
    assert "36 reviews of 12 papers by 9 reviewers" in lead(page)
    assert page.texts("#scores-name") == ["scores.csv"]
    assert len(page.all("#result img")) == 4
    assert page.texts("#result caption")[0] == "Who reviews what"
    page.click("#result .link")
    assert page.script("return document.querySelector('#result table').tBodies[0].rows.length") == 36
    page.click("[data-format=csv]")
    rows = list(csv.reader(page.downloaded("assignment.csv").splitlines()))
    assert len(rows) == 36
    page.click("[data-format=openreview]")
    assert len(json.loads(page.downloaded("assignment.json"))["assignments"]) == 12
    page.click("[data-format=report]")
    assert page.downloaded("assignment.html").startswith("<!doctype html>")
    assert page.complaints() == []


def test_where_nobody_would_help_nothing_is_said_about_recruiting(page, tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text("".join(f"p{i},r{j},0.5\n" for i in range(2) for j in range(6)))
    page.one("#scores").send_keys(str(file))
    assert "6 reviews of 2 papers by 6 reviewers" in lead(page)
    shown = page.script("return [...document.querySelector('#result').childNodes].map(e => e.textContent)")
    assert not [text for text in shown if text == "null" or text.startswith("Whom to recruit")]


def test_another_method_assigns_again(page):
    page.click("#invented")
    lead(page)
    assert not page.one("#cap").is_displayed()
    choose(page, "random")
    assert "Drawn with seed 0" in lead(page, "Drawn with seed 0")
    assert page.one("#cap").is_displayed()
    chances = page.script(
        "return [...document.querySelectorAll('#result table td:nth-child(4)')].map(e => +e.textContent)"
    )
    assert max(chances) <= 0.5


def test_what_is_wrong_is_told_by_file_and_line_and_what_cannot_be_in_words(page, tmp_path):
    file = tmp_path / "scores.csv"
    file.write_text("p1,r1,0.5\np1,r2,splendid\n")
    page.one("#scores").send_keys(str(file))
    page.until(lambda: page.one("#problem").is_displayed())
    assert page.one("#problem").text == "scores, line 2: score 'splendid' is not a number"
    short = tmp_path / "short.csv"
    short.write_text("p1,r1,0.5\np1,r2,0.5\n")
    page.one("#scores").send_keys(str(short))
    page.until(lambda: page.one("#problem").text.startswith("1 review cannot be given: p1 needs 3"))


def test_the_scores_of_an_affinity_job_are_taken(page, address):
    submissions = [{"id": f"s{i}", "title": f"A title about subject {i}"} for i in range(3)]
    request = {"submissions": submissions, "reviewers": ["a0", "a1", "a2", "a3"], "model": "tpms", "background": True}
    with api_of(address) as api:
        job = api.post("affinity", json=request).json()["id"]
        assert finished(lambda: api.get(f"jobs/{job}").json())["state"] == "done"
    page.open(f"{address}/assign?job={job}")
    assert "9 reviews of 3 papers by 4 reviewers" in lead(page)
