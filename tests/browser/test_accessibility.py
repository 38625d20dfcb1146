"""Every page can be read and used by everybody: wide and narrow, light and dark, empty and full, dialogs open.

Nothing is wider than the window, contrasts are those of WCAG 2 AA, every control has a name, and axe-core, where it is
there, finds nothing serious.
"""

import re
import time

import axe
import pytest
from browser_support import needs_browser
from chair_support import ROW
from web_support import api_of, make_workspace, start_service

from panelist.app.demo import submissions
from panelist.app.demo.desk import demo_conference
from panelist.app.web.pages import EDITOR, PAGES, TABS

pytestmark = [pytest.mark.browser, needs_browser]

SAMPLE = submissions()[0]
SIZES = [(1440, 1000), (360, 740)]
AXE = axe.ARCHIVE.is_file()


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    return start_service(make_workspace(tmp_path_factory.mktemp("web")))


@pytest.fixture(scope="module")
def api(address):
    with api_of(address) as api:
        yield api


@pytest.fixture(scope="module")
def names(api):
    """What the parameters of addresses stand for: a kept submission, a person on its panel, an empty conference."""
    asked = {"submission": {"title": SAMPLE.title, "abstract": SAMPLE.abstract}}
    people = [match["author"]["id"] for match in api.post("reviewers", json=asked).json()["matches"]]
    states = ["shortlisted", "invited", "accepted", "declined", "excluded"]
    listed = [{"id": one, "state": state} for one, state in zip(people, states, strict=False)]
    kept = api.post("submissions", json=asked | {"reviewers": listed}).json()["id"]
    api.put(f"desk/notes/{people[0]}", json={"text": "A note", "revision": 0})
    conference = api.post("conferences", json={"name": "A conference"}).json()["id"]
    return {"submission": kept, "person": people[0], "other": people[1], "conference": conference}


@pytest.fixture(scope="module")
def demo(address, api, service):
    """The demo's conference: the address of its pages, and one of its papers."""
    with service.finder() as finder:
        made = demo_conference(service.workspace, finder)
    path = f"conferences/{made.id}"
    chosen = api.get(f"{path}/assignment").json()["chosen"]
    (first,) = api.get(f"{path}/solutions/{chosen}/pairs?limit=1").json()["rows"]
    return f"{address}/{path}", first["pair"]["paper"]


def settle(page):
    """Wait until nothing is loaded any more; a page that asks again and again has shown what it has after a while."""
    seen, since, deadline = -1, time.monotonic(), time.monotonic() + 10
    while time.monotonic() - since < 0.5 and time.monotonic() < deadline:
        count = page.script("return performance.getEntriesByType('resource').length")
        if count != seen or page.script("return [...document.querySelectorAll('.skeleton')].some(e => e.offsetParent)"):
            seen, since = count, time.monotonic()
        time.sleep(0.05)


def findings(page, *rules):
    """What axe-core calls serious or critical, with the elements that it means; by all rules unless some are named."""
    if not page.script("return 'axe' in window"):
        page.script(axe.source())
    found = page.driver.execute_async_script(
        "const [rules, done] = arguments; const only = rules.length ? {runOnly: rules} : {};"
        "axe.run(document, {resultTypes: ['violations'], ...only}).then(r => done(r.violations))",
        rules,
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
            assert page.nameless_controls() == []
            found = page.low_contrasts()
            if AXE:
                found += findings(page, *(["color-contrast"] if dark else []))  # the others do not depend on colours
            problems |= dict.fromkeys(found)
    page.look(*SIZES[0])
    assert list(problems) == [], name


@pytest.mark.parametrize("path", [page.path for page in (*PAGES, *EDITOR, *TABS)])
def test_every_page_is_accessible(window, address, names, path):
    filled = re.sub(r"\{(\w+)[^}]*\}", lambda found: names.get(found[1], "1"), path)
    query = f"?a={names['person']}&b={names['other']}" if path == "/compare" else ""
    window.open(f"{address}{filled}{query}")
    settle(window)
    check(window, path)


def test_a_panel_with_its_options_open_is_accessible(window, address):
    window.open(address)
    window.one("#title").send_keys(SAMPLE.title)
    window.click(".options summary")
    window.click("#submission .primary")
    window.until(lambda: window.all("#cards .card"))
    window.click("#cards .shortlisted")
    settle(window)
    check(window, "a panel")


def test_a_person_of_a_kept_submission_and_its_dialogs_are_accessible(window, address, names):
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


def test_scores_of_a_conference_are_accessible(window, demo):
    window.open(f"{demo[0]}/scores")
    window.until(lambda: window.texts("#facts dd"))
    window.click("#scoring summary")
    check(window, "scores")


def test_assignments_of_a_conference_and_a_pair_are_accessible(window, demo):
    window.open(f"{demo[0]}/assignment")
    window.until(lambda: window.all("#exports button") and window.texts("#differences"))
    for summary in window.all("main summary"):
        window.script("arguments[0].click()", summary)
    check(window, "assignment")
    window.open(f"{demo[0]}/paper?id={demo[1]}")
    window.until(lambda: window.all(".why-person"))
    window.click(".why-person")
    window.until(lambda: window.all(".reasons li") and window.texts("#reviewers .paper mark"))
    check(window, "a pair")


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("", f"#rows {ROW} > span + span"),
        ("/people", f"#rows {ROW} > span + span"),
        ("/levels", "#rows > li"),
        ("/conflicts", "#list li"),
        ("/files", ".kind.there"),
        ("/reviews", "#result .review"),
        ("/calibration", "#result .lead"),
        ("/history", f"#events {ROW} > span + span"),
        ("/paper?id={paper}", "#paper .review"),
    ],
)
def test_the_other_pages_of_a_conference_are_accessible(window, demo, path, there):
    window.open(demo[0] + path.format(paper=demo[1]))
    window.until(lambda: window.all(there))
    for summary in window.all("main summary"):
        window.script("arguments[0].click()", summary)
    settle(window)
    check(window, path)


@pytest.mark.skipif(not AXE, reason=f"no '{axe.ARCHIVE}', so axe-core checks no page (run 'make axe', which needs npm)")
def test_axe_does_find_what_is_wrong(window, address):
    window.open(f"{address}/compare")
    settle(window)
    window.script("document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button><img src=x>')")
    assert {finding.split(": ")[1] for finding in findings(window)} >= {"button-name", "image-alt"}
