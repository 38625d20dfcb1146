"""What the whole way of a chair (test_conference.py) does not meet: long lists, cancelling, infeasible, forgetting."""

import threading
from itertools import product

import pytest
from browser_support import needs_browser
from chair_support import add, ask_too_much, create, kind, refused, rows, solve, tab, taken
from conference_support import openreview_folder, zipped
from selenium.webdriver.common.keys import Keys
from web_support import api_of

from panelist.app.web.routes.conference import scores as scoring

pytestmark = [pytest.mark.browser, needs_browser]


@pytest.fixture
def page(window):
    window.look(1440, 1000)
    return window


@pytest.fixture
def scores(tmp_path):
    """Makes a file of scores for this many papers and reviewers."""

    def make(papers, reviewers):
        path = tmp_path / "scores.csv"
        pairs = product(range(papers), range(reviewers))
        path.write_text("".join(f"p{i:04},r{j:03},{(7 * i + 3 * j) % 101 / 101:.4f}\n" for i, j in pairs))
        return path

    return make


def test_a_long_list_is_looked_at_by_keyboard_in_a_window(page, address, scores):
    create(page, address, "Large")
    add(page, scores(1500, 12))
    page.until(lambda: kind(page, "scores"))
    page.click(".tabs a:first-child")
    page.until(lambda: rows(page)[0][1] == "p0000")
    grid = page.one("#rows .window")
    assert grid.get_attribute("aria-rowcount") == "1501"
    grid.send_keys(Keys.END)
    page.until(lambda: rows(page)[-1][1] == "p1499")
    active = page.one(f"#{grid.get_attribute('aria-activedescendant')}")
    assert active.get_attribute("aria-rowindex") == "1501"
    assert len(page.all("#rows .window-row")) <= 200
    grid.send_keys(Keys.HOME, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
    page.until(lambda: page.texts("#paper-heading") == ["p0002"])


def test_scoring_says_how_far_it_is_and_can_be_cancelled_and_resumed(page, address, tmp_path, monkeypatch):
    create(page, address, "Cancelled")
    (tmp_path / "venue.zip").write_bytes(zipped(openreview_folder()))
    add(page, tmp_path / "venue.zip")
    page.until(lambda: kind(page, "committee"))
    tab(page, "scores")

    def endless(conferences, view, settings, finder, progress, *rest):
        while not threading.Event().wait(0.02):
            progress("looking for conflicts", 1, 4)

    with monkeypatch.context() as patched:
        patched.setattr(scoring, "score", endless)
        page.until(lambda: page.one("#run").is_enabled())
        page.click("#run")
        page.until(lambda: page.texts("#stage")[0].startswith("Looking for conflicts: 1 of 4"))
        assert page.one("#progress").get_property("value") == 1
        page.driver.refresh()  # it goes on, and is shown, wherever one looks
        page.until(lambda: page.one("#cancel").is_displayed())
        page.click("#cancel")
        assert refused(page).startswith("Scoring was cancelled.")
    page.click("#run")
    page.until(lambda: "4 submissions" in page.texts("#lead")[0])


def test_what_cannot_be_is_explained_and_cured_by_a_button(page, address, scores):
    labels = ask_too_much(page, address, "Infeasible", scores(12, 9))
    told = "6 reviews cannot be given: 12 papers need 60, their only 9 reviewers give 54"
    assert told in page.texts(".infeasible .problem")[0]
    assert not any("onflict" in label for label in labels)
    page.click(f".cures li:nth-child({labels.index('Raise every load to 7') + 1}) button")
    page.until(lambda: "Solution 2: done" in page.texts("#status")[0])
    assert page.one("#most").get_property("value") == "7"
    page.until(lambda: not page.all(".cures"))


def test_namesakes_stand_apart_and_the_bar_knows_what_was_made(page, address, scores, tmp_path):
    create(page, address, "Namesakes")
    (tmp_path / "reviewers.csv").write_text("reviewer,name\nr000,Ada Ash\nr001,Ada Ash\nr002,Bea Birch\n")
    page.click(".tabs a:first-child")
    page.until(lambda: page.texts("#rows .window-note") == ["No submissions yet."])
    tab(page, "conflicts")
    page.until(lambda: page.texts("#lead")[0].startswith("Conflicts are looked for as soon as"))
    tab(page, "files")
    add(page, scores(6, 3))
    page.until(lambda: kind(page, "scores"))
    add(page, tmp_path / "reviewers.csv")
    page.until(lambda: kind(page, "reviewers"))
    tab(page, "people")
    assert [row[0] for row in rows(page)] == ["Ada Ash (r000)", "Ada Ash (r001)", "Bea Birch"]
    page.click(".tabs a:first-child")
    page.look(390, 844)
    assert [row[1] for row in rows(page)][:2] == ["p0000", "p0001"]
    assert page.overflow() == 0  # the list is wider than a phone: it scrolls, not the page
    page.look(1440, 1000)
    tab(page, "assignment")
    solve(page, 1)
    page.until(lambda: "Solution 1 is made, and none is chosen." in page.texts("#steps")[0])
    page.click("#take-1")
    taken(page, 1)
    page.until(lambda: page.script("return document.activeElement.id") == "chosen")


def test_a_conference_is_forgotten_for_good(page, address):
    made = create(page, address, "Forgotten")
    page.click(".who summary")
    page.click("#forget")
    page.click("#toast button")
    page.until(lambda: page.driver.current_url.endswith("/conferences"))
    with api_of(address) as api:
        assert api.get(f"conferences/{made}").status_code == 404
    page.open(f"{address}/conferences/{made}")
    page.until(lambda: page.texts("#conference-name") == ["This conference cannot be shown"])
