"""axe-core finds nothing serious on any page of the application: wide and narrow, light and dark, empty and full."""

import re
import time

import axe
import httpx
import pytest
from browser_support import needs_browser
from web_support import make_workspace, start_service

from panelist.app.demo import submissions
from panelist.app.demo.desk import demo_conference
from panelist.app.web.pages import EDITOR, PAGES, TABS

pytestmark = [
    pytest.mark.browser,
    needs_browser,
    pytest.mark.skipif(not axe.ARCHIVE.is_file(), reason=f"no '{axe.ARCHIVE}' (run 'make axe', which needs npm)"),
]

SAMPLE = submissions()[0]
SIZES = [(1440, 1000), (360, 740)]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    return start_service(make_workspace(tmp_path_factory.mktemp("web")), seconds=3600)


@pytest.fixture(scope="module")
def names(address):
    """What the parameters of addresses stand for: a kept submission, a person on its panel, a conference."""
    api = f"{address}/api/v1"
    asked = {"submission": {"title": SAMPLE.title, "abstract": SAMPLE.abstract}}
    people = [
        match["author"]["id"] for match in httpx.post(f"{api}/reviewers", json=asked, timeout=60).json()["matches"]
    ]
    states = ["shortlisted", "invited", "accepted", "declined", "excluded"]
    listed = [{"id": one, "state": state} for one, state in zip(people, states, strict=False)]
    kept = httpx.post(f"{api}/submissions", json=asked | {"reviewers": listed}, timeout=60).json()["id"]
    httpx.put(f"{api}/desk/notes/{people[0]}", json={"text": "A note", "revision": 0}, timeout=60)
    conference = httpx.post(f"{api}/conferences", json={"name": "A conference"}, timeout=60).json()["id"]
    return {"submission": kept, "person": people[0], "other": people[1], "conference": conference}


def settle(page):
    """Wait until nothing is loaded any more; a page that asks again and again has shown what it has after a while."""
    seen, since, deadline = -1, time.monotonic(), time.monotonic() + 10
    while time.monotonic() - since < 0.5 and time.monotonic() < deadline:
        count = page.script("return performance.getEntriesByType('resource').length")
        if count != seen or page.script("return [...document.querySelectorAll('.skeleton')].some(e => e.offsetParent)"):
            seen, since = count, time.monotonic()
        time.sleep(0.05)


def findings(page):
    """What axe-core calls serious or critical, each with the elements that it means."""
    page.script(axe.source())
    found = page.driver.execute_async_script(
        "axe.run(document, {resultTypes: ['violations']}).then(r => arguments[0](r.violations))"
    )
    return [
        f"{one['impact']}: {one['id']}: {one['help']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:5]
    ]


def check(page, name):
    problems = {}
    for width, height in SIZES:
        for dark in (False, True):
            page.look(width, height, dark=dark)
            assert page.overflow() <= 0, f"{name} at {width} px"
            problems |= dict.fromkeys(findings(page))
    page.look(*SIZES[0])
    assert list(problems) == []


@pytest.mark.parametrize("path", [page.path for page in (*PAGES, *EDITOR, *TABS)])
def test_no_page_has_a_serious_finding(window, address, names, path):
    filled = re.sub(r"\{(\w+)[^}]*\}", lambda found: names.get(found[1], "1"), path)
    query = f"?a={names['person']}&b={names['other']}" if path == "/compare" else ""
    window.open(f"{address}{filled}{query}")
    settle(window)
    check(window, path)


def test_a_panel_with_its_options_open_has_none(window, address):
    window.open(address)
    window.one("#title").send_keys(SAMPLE.title)
    window.click(".options summary")
    window.click("#submission .primary")
    window.until(lambda: window.all("#cards .card"))
    window.click("#cards .shortlisted")
    settle(window)
    check(window, "a panel")


def test_a_person_of_a_kept_submission_and_its_dialogs_have_none(window, address, names):
    window.open(f"{address}/people/{names['person']}?submission={names['submission']}")
    window.until(lambda: window.all("#reasons .paper"))
    check(window, "why")
    window.open(f"{address}/submissions/{names['submission']}")
    window.until(lambda: window.all("#next .card"))
    window.click("#panel .invite")
    check(window, "the invitation")
    window.click("#invitation button[value=close]")
    window.click("#shortcuts")
    check(window, "the keys")
    window.click("dialog[open] .primary")
    window.click("#forget")
    check(window, "a question")


@pytest.mark.parametrize(
    ("path", "button"), [("/evaluation", "#sample"), ("/assign", "#invented"), ("/reviews", "#sample")]
)
def test_results_have_none(window, address, path, button):
    window.open(f"{address}{path}")
    window.until(lambda: window.all(button))
    window.click(button)
    window.until(lambda: window.script("return document.querySelector('#result')?.hidden === false"))
    settle(window)
    check(window, f"the result of {path}")


def test_a_scored_conference_and_why_a_pair_fits_have_none(window, address, service):
    with service.finder() as finder:
        made = demo_conference(service.workspace, finder)
    window.open(f"{address}/conferences/{made.id}")
    window.until(lambda: window.all(".kind.there"))
    check(window, "files")
    window.open(f"{address}/conferences/{made.id}/scores")
    window.until(lambda: window.all("#rows .window-body .window-row > span + span"))
    check(window, "scores")
    window.click("#rows .window-body .window-row")
    window.until(lambda: window.all("#pair-rows .window-body .window-row > span + span"))
    window.click("#pair-rows .window-body .window-row")
    window.until(lambda: window.texts("#why .terms li"))
    check(window, "why a pair fits")


def test_axe_does_find_what_is_wrong(window, address):
    window.open(f"{address}/compare")
    settle(window)
    window.script("document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button><img src=x>')")
    assert {finding.split(": ")[1] for finding in findings(window)} >= {"button-name", "image-alt"}
