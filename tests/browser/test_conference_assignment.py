"""The assignment of a conference in a real browser: try, compare, choose, lock, solve again, export; two tabs."""

import csv
import io

import httpx
import pytest
from browser_support import needs_browser

pytestmark = [pytest.mark.browser, needs_browser]

SCORES = "".join(f"p{i},r{j},{((7 * i + 3 * j) % 11) / 11:.4f}\n" for i in range(12) for j in range(9))


@pytest.fixture
def workspace(service):
    return service.workspace


def make_conference(workspace, address, **files):
    made = httpx.post(f"{address}/api/v1/conferences", json={"name": "Invented conference"}).json()
    for name, text in ({"scores": SCORES} | files).items():
        (workspace.path / "conferences" / made["id"] / f"{name}.csv").write_text(text)
    return made["id"]


@pytest.fixture
def conference(workspace, address):
    return make_conference(workspace, address)


@pytest.fixture
def page(window, address, conference):
    window.look(1440, 1000)
    window.open(f"{address}/conferences/{conference}/assignment")
    window.until(lambda: window.all("#method"))
    return window


def fill(page, selector, value):
    page.script(
        "const e = document.querySelector(arguments[0]); e.value = arguments[1];"
        "e.dispatchEvent(new Event('input', {bubbles: true})); e.dispatchEvent(new Event('change', {bubbles: true}))",
        selector,
        value,
    )


def attempt(page, number, button="#try"):
    page.until(lambda: page.one(button).is_enabled())
    page.click(button)
    page.until(
        lambda: (
            f"Solution {number}: done" in page.texts("#status")[0]
            and page.all(f"#side-1 [value='{number}'], #side-0 [value='{number}']")
        )
    )


def listed(page):
    page.until(lambda: page.all("#pairs .window-body .window-row > span + span"))
    return page.script(
        "return [...document.querySelectorAll('#pairs .window-body .window-row')]"
        ".map(row => [...row.children].map(cell => cell.textContent))"
    )


def test_two_solutions_stand_side_by_side_and_one_is_chosen(page):
    attempt(page, 1)
    fill(page, "#method", "total")
    attempt(page, 2)
    assert page.texts(".side h3") == ["Solution 1", "Solution 2"]
    assert len(page.all(".side svg")) == 6
    assert "in both" in page.until(lambda: page.texts("#differences"))[0]
    assert not page.one("#chosen").is_displayed()
    page.click("#take-2")
    page.until(lambda: page.one("#chosen").is_displayed())
    assert page.texts("#chosen-heading") == ["Who reviews what: solution 2"]
    assert len(listed(page)) > 10
    assert page.one("#pairs .window").get_attribute("aria-rowcount") == "37"
    page.click("[data-format=csv]")
    rows = list(csv.reader(io.StringIO(page.downloaded("assignment.csv"))))
    assert len(rows) == 36
    page.click("[data-format=people]")
    assert page.downloaded("assignment-for-people.csv").lstrip("\ufeff").startswith("paper,title,reviewer")
    assert page.complaints() == []


def test_a_lock_and_a_replacement_by_hand_hold_with_the_fewest_changes_and_can_be_undone(page, address, conference):
    attempt(page, 1)
    page.click("#take-1")
    page.until(lambda: page.one("#chosen").is_displayed())
    before = {(row[0], row[1]) for row in listed(page)}
    page.click("#pairs .window-row[id][aria-rowindex='2']")
    page.until(lambda: "Alternates" in page.texts("#alternates-help")[0])
    page.click("#why")
    page.until(lambda: page.all(".reasons li"))
    page.click("#lock")
    page.until(lambda: page.texts("#changes li span"))
    first = listed(page)[0]
    assert page.texts("#changes li span") == [f"lock {first[1]} on {first[0]}"]
    assert first[3] == "locked by hand"
    page.click("#pairs .window-row[id][aria-rowindex='3']")
    page.until(lambda: page.one("#instead").get_property("value"))
    instead = page.one("#instead").get_property("value")
    page.click("#replace")
    page.until(lambda: len(page.texts("#changes li span")) == 2)
    second = listed(page)[1]
    attempt(page, 2, "#resolve")
    page.until(lambda: page.texts("#differences"))
    page.click("#take-2")
    page.until(lambda: page.texts("#chosen-heading") == ["Who reviews what: solution 2"])
    after = {(row[0], row[1]) for row in page.until(lambda: listed(page))}
    assert (second[0], instead) in after
    assert (second[0], second[1]) not in after
    assert len(before - after) <= 3
    assert page.texts("#pending") == ["Solution, files and changes by hand agree."]
    page.click("#changes li button")
    page.until(lambda: len(page.texts("#changes li span")) == 1)
    events = httpx.get(f"{address}/api/v1/conferences/{conference}/events").json()
    assert [event["kind"] for event in events] == ["undo", "chose", "replace", "lock", "chose", "created"]


def test_what_cannot_be_is_explained_and_cured_by_a_button(page):
    fill(page, "#demand", "5")
    page.click("#try")
    page.until(lambda: page.all(".cures button"))
    assert (
        "6 reviews cannot be given: 12 papers need 60, their only 9 reviewers give 54"
        in page.texts(".infeasible .problem")[0]
    )
    labels = page.texts(".cures button")
    assert "Raise every load to 7" in labels
    assert not any("onflict" in label for label in labels)
    page.click(f".cures li:nth-child({labels.index('Raise every load to 7') + 1}) button")
    page.until(lambda: "Solution 2: done" in page.texts("#status")[0])
    assert page.one("#most").get_property("value") == "7"
    page.until(lambda: not page.all(".cures"))


def test_the_second_of_two_tabs_is_told_and_shows_what_holds(page, address, conference):
    attempt(page, 1)
    attempt(page, 2)
    httpx.post(f"{address}/api/v1/conferences/{conference}/solutions/1/choose?who=Ada")
    page.click("#take-2")
    page.until(lambda: page.one("#changed").is_displayed())
    assert "was changed meanwhile: chose by Ada" in page.one("#changed").text
    page.until(lambda: page.texts("#chosen-heading") == ["Who reviews what: solution 1"])
    page.click("#take-2")
    page.until(lambda: page.texts("#chosen-heading") == ["Who reviews what: solution 2"])


def test_bad_input_is_told_in_one_line(page, address, conference, workspace):
    fill(page, "#hand-paper", "p1")
    fill(page, "#hand-reviewer", "nobody")
    attempt(page, 1)
    page.click("#take-1")
    page.until(lambda: page.one("#chosen").is_displayed())
    page.click("#hand summary")
    page.click("#by-hand button")
    page.until(lambda: page.one("#problem").is_displayed())
    assert page.one("#problem").text == "no reviewer 'nobody' in the scores"
    (workspace.path / "conferences" / conference / "quotas.csv").write_text("r1,2\nnobody,3\n")
    page.click("#try")
    page.until(lambda: "quotas.csv, line 2: no reviewer 'nobody' in the scores" in page.one("#problem").text)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1440])
def test_it_is_readable_in_any_size_and_light(page, width, dark):
    page.look(width, 1000, dark=dark)
    attempt(page, 1)
    attempt(page, 2)
    page.click("#take-1")
    page.until(lambda: page.one("#chosen").is_displayed())
    listed(page)
    for summary in page.all("#assignment summary, #hand summary"):
        page.script("arguments[0].click()", summary)
    assert page.overflow() <= 0
    assert page.low_contrasts() == []
    assert page.nameless_controls() == []
    page.click("#pairs .window-row[id][aria-rowindex='2']")
    page.until(lambda: "Alternates" in page.texts("#alternates-help")[0])
    assert page.overflow() <= 0
    assert page.low_contrasts() == []
    page.click("#pair-dialog form button")
