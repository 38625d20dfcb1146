"""The chair's desk in a real browser: create, add files, score, look; bad files, two tabs, a restart in between."""

import httpx
import pytest
from browser_support import needs_browser
from conference_support import openreview_folder, zipped
from panel_support import at, paper
from selenium.webdriver.common.keys import Keys
from web_support import make_workspace, running, start_service

from panelist.app.demo.desk import NAME, demo_conference

pytestmark = [pytest.mark.browser, needs_browser]


@pytest.fixture
def page(window):
    window.look(1440, 1000)
    return window


@pytest.fixture
def folder(tmp_path):
    """Files as a chair would have them."""
    (tmp_path / "venue.zip").write_bytes(zipped(openreview_folder(submissions=12, reviewers=9)))
    (tmp_path / "conflicts.csv").write_text("s0,~Rev_01,-1\nsx,~Rev_01,-1\n")
    (tmp_path / "bad scores.csv").write_text("s0,~Rev_01,0.5\ns0,~Rev_01,high\n")
    (tmp_path / "notes").write_text("s1,~Rev_11,very high\n")
    return tmp_path


def create(page, address, name="Invented 2026"):
    page.open(f"{address}/conferences")
    page.one("#name").send_keys(name)
    page.one("#who").clear()
    page.one("#who").send_keys("Ada")
    page.click("#create button")
    page.until(lambda: page.texts("#conference-name") == [name])
    return page.driver.current_url.rsplit("/", 1)[1]


def add(page, path):
    page.script("document.querySelector('#chosen').multiple = true")
    page.one("#chosen").send_keys(str(path))


def kind(page, name):
    return page.texts(f"[data-kind={name}] .summary")


def score(page, model="bm25"):
    page.until(lambda: page.one("#run").is_enabled())
    page.script("document.querySelector('#model').value = arguments[0]", model)
    page.click("#run")


def choose(page, selector, value):
    page.script(
        "const s = document.querySelector(arguments[0]); s.value = arguments[1];"
        "s.dispatchEvent(new Event('change', {bubbles: true}))",
        selector,
        value,
    )


def rows(page, where="#rows"):
    return page.script(
        "return [...document.querySelectorAll(arguments[0] + ' .window-body .window-row')]"
        ".map(r => [...r.children].map(c => c.textContent))",
        where,
    )


def test_a_chair_creates_adds_files_scores_and_looks(page, address, folder):
    made = create(page, address)
    add(page, folder / "venue.zip")
    page.until(lambda: kind(page, "submissions"))
    assert kind(page, "submissions") == ["12 submissions"]
    assert kind(page, "committee") == ["9 reviewers with 27 papers"]
    assert "no ids" in page.texts("[data-kind=submissions] summary")[0]
    add(page, folder / "conflicts.csv")
    page.until(lambda: kind(page, "constraints"))
    page.click("[data-kind=constraints] summary")
    assert page.texts("[data-kind=constraints] .lines li") == ["line 2 · sx"]
    page.click(".leave-out")
    page.until(lambda: "1 line left out" in kind(page, "constraints")[0])
    assert page.all(".leave-out") == []

    page.click(".tabs a[href$=scores]")
    score(page)
    page.until(lambda: page.one("#found").is_displayed())
    page.until(lambda: len(rows(page)) == 12)
    assert "computed here by the model bm25: 12 submissions and 9 reviewers" in page.one("#lead").text
    assert rows(page)[0][0].startswith("s")
    assert page.script("return document.querySelector('#plot').width > 300")
    drawn = "const c = document.querySelector('#plot'); return c.getContext('2d').getImageData(0, 0, c.width, c.height)"
    assert page.script(f"{drawn}.data.some(v => v)")

    page.one("#search").send_keys("galaxies")
    page.until(lambda: len(rows(page)) == 3)
    page.click("#rows .window-body .window-row")
    page.until(lambda: rows(page, "#pair-rows"))
    assert {row[3] for row in rows(page, "#pair-rows")} == {"high"}  # of so few papers all are near
    page.one("#pairs .window").send_keys(Keys.ENTER)
    page.until(lambda: page.texts("#why .terms li"))
    assert "galaxies" in " ".join(page.texts("#why .terms li"))
    assert page.texts("#why mark")
    assert page.texts("#why .confidence") == ["high confidence"]
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)

    choose(page, "#list", "conflicts")
    page.one("#search").clear()
    page.one("#search").send_keys("s0")
    page.until(lambda: len(rows(page)) == 1 and rows(page)[0][:3] == ["s0", "~Rev_01", "certain: declared"])
    assert page.complaints() == []
    events = httpx.get(f"{address}/api/v1/conferences/{made}/events").json()
    assert [(one["kind"], one["who"]) for one in events] == [
        ("scored", "Ada"),
        ("lines left out", "Ada"),
        ("file added", "Ada"),
        ("file added", "Ada"),
        ("created", "Ada"),
    ]


def test_bad_files_are_named_with_their_lines_and_change_nothing(page, address, folder):
    create(page, address, "Bad files")
    add(page, folder / "bad scores.csv")
    page.until(lambda: page.one("#problem").is_displayed())
    expected = "bad scores.csv was not kept. bad scores.csv, line 2: score 'high' is not a number"
    assert page.one("#problem").text == expected
    assert kind(page, "scores") == []
    (folder / "evil.zip").write_bytes(zipped({"../../evil": b"x"}))
    add(page, folder / "evil.zip")
    page.until(lambda: "leads elsewhere" in page.one("#problem").text)
    (folder / "submissions.csv").write_text("id,title,abstract\ns1,,\ns2,A,\ns2,B,\n")
    add(page, folder / "submissions.csv")
    page.until(lambda: len(page.texts("#errors li")) == 2)
    assert page.texts("#errors li")[1] == "submissions.csv, line 4 · the id 's2' comes twice"
    add(page, folder / "notes")  # what is it?
    page.until(lambda: page.one("#kind-dialog").is_displayed())
    page.script("document.querySelector('#kind').value = 'bids'")
    page.click("#kind-dialog .primary")
    page.until(lambda: kind(page, "bids") == ["1 bid of 1 reviewer"])
    assert not page.one("#problem").is_displayed()


def test_of_two_tabs_the_second_is_told_and_keeps_nothing(page, address, folder):
    made = create(page, address, "Two tabs")
    httpx.patch(f"{address}/api/v1/conferences/{made}", json={"name": "Renamed elsewhere"}, params={"who": "Grace"})
    (folder / "quotas.csv").write_text("r1,3\n")
    add(page, folder / "quotas.csv")
    page.until(lambda: page.one("#changed").is_displayed())
    assert "was changed meanwhile: renamed by Grace" in page.one("#changed").text
    assert page.texts("#conference-name") == ["Renamed elsewhere"]
    assert kind(page, "quotas") == []
    add(page, folder / "quotas.csv")
    page.until(lambda: kind(page, "quotas") == ["1 quota"])
    assert not page.one("#changed").is_displayed()


def test_scores_and_a_lost_job_are_there_after_a_restart(page, folder):
    workspace = make_workspace(folder / "own", [paper("p1", at("a1"))])
    with running(start_service(workspace, seconds=3600)) as address:
        port = int(address.rsplit(":", 1)[1])
        made = create(page, address, "Restarted")
        add(page, folder / "venue.zip")
        page.until(lambda: kind(page, "committee"))
        page.click(".tabs a[href$=scores]")
        score(page)
        page.until(lambda: len(rows(page)) == 12)
        page.driver.refresh()
        page.until(lambda: len(rows(page)) == 12)
    # What a killed server leaves: a job that had begun and not ended.
    (workspace.path / "jobs" / "cut").mkdir()
    record = '{"id": "cut", "created": "2026-01-01T00:00:00+00:00", "state": "running"}'
    (workspace.path / "jobs" / "cut" / "job.json").write_text(record)
    state = workspace.path / "conferences" / made / ".score-job.json"
    state.write_text(state.read_text().replace(state.read_text().split('"')[3], "cut"))
    with running(start_service(workspace, seconds=3600), port=port):
        page.driver.refresh()
        page.until(lambda: page.one("#problem").is_displayed())
        assert page.one("#problem").text.startswith("The server was stopped while it scored.")
        assert page.one("#run").text == "Resume scoring"
        page.until(lambda: len(rows(page)) == 12)  # the finished scores are there
        page.click("#run")
        page.until(lambda: page.one("#run").text == "Score" and not page.one("#problem").is_displayed())


def test_ready_scores_are_looked_at_by_keyboard_in_a_window(page, address, tmp_path):
    create(page, address, "Large")
    lines = (
        f"paper-{p:04},reviewer-{r:03},{((7 * p + 3 * r) % 101) / 101:.4f}" for p in range(1500) for r in range(12)
    )
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n")
    add(page, tmp_path / "scores.csv")
    page.until(lambda: kind(page, "scores"))
    page.click(".tabs a[href$=scores]")
    page.until(lambda: rows(page))
    choose(page, "#sort", "id")
    page.until(lambda: rows(page)[0][0] == "paper-0000")
    grid = page.one("#rows .window")
    assert grid.get_attribute("aria-rowcount") == "1501"
    grid.send_keys(Keys.END)
    page.until(lambda: rows(page)[-1][0] == "paper-1499")
    active = page.one(f"#{grid.get_attribute('aria-activedescendant')}")
    assert active.get_attribute("aria-rowindex") == "1501"
    assert len(page.all("#rows .window-row")) <= 200
    grid.send_keys(Keys.HOME, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
    page.until(lambda: page.texts("#pairs-heading") == ["paper-0002"])
    page.until(lambda: len(rows(page, "#pair-rows")) == 12)
    scores = [float(row[2]) for row in rows(page, "#pair-rows")]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1440])
def test_it_is_readable_in_any_size_and_light(page, address, folder, width, dark):
    page.look(width, 1000, dark=dark)
    made = create(page, address, f"Readable {width} {dark}")
    assert page.overflow() <= 0
    add(page, folder / "venue.zip")
    page.until(lambda: kind(page, "committee"))
    page.click("[data-kind=submissions] summary")
    page.click(".who summary")

    def readable():
        assert page.overflow() <= 0
        assert page.low_contrasts() == []
        assert page.nameless_controls() == []

    readable()
    page.open(f"{address}/conferences/{made}/scores")
    score(page)
    page.until(lambda: len(rows(page)) == 12)
    readable()
    page.click("#rows .window-body .window-row")
    page.until(lambda: len(rows(page, "#pair-rows")) == 9)
    page.click("#pair-rows .window-body .window-row")
    page.until(lambda: page.texts("#why h3"))
    readable()
    page.open(f"{address}/conferences")
    page.until(lambda: page.all("#list a"))
    readable()


def test_a_conference_is_forgotten_for_good(page, address):
    made = create(page, address, "Forgotten")
    page.click(".who summary")
    page.click("#forget")
    page.click("#toast button")
    page.until(lambda: page.driver.current_url.endswith("/conferences"))
    assert httpx.get(f"{address}/api/v1/conferences/{made}").status_code == 404
    page.open(f"{address}/conferences/{made}")
    page.until(lambda: page.texts("#conference-name") == ["This conference cannot be shown"])


def test_the_demo_has_a_conference_to_look_at_in_one_click(page, tmp_path_factory):
    service = start_service(make_workspace(tmp_path_factory.mktemp("demo")), seconds=3600)
    with service.finder() as finder:
        demo_conference(service.workspace, finder)
    with running(service) as address:
        page.open(f"{address}/conferences")
        page.until(lambda: NAME in page.texts("#list a"))
        page.click("#list a")
        page.until(lambda: kind(page, "reviewers"))
        assert kind(page, "submissions") == ["42 submissions, 2 without an abstract"]
        assert kind(page, "reviewers") == ["40 people, 2 roles: area chair, reviewer"]
        page.click(".tabs a[href$=scores]")
        page.until(lambda: len(rows(page)) > 20)
        assert page.one("#rows .window").get_attribute("aria-rowcount") == "43"
        assert int(page.texts("#facts dd")[2]) > 0  # conflicts
        choose(page, "#list", "conflicts")
        page.until(lambda: rows(page) and "co-authored" in " ".join(row[3] for row in rows(page)))
        choose(page, "#list", "papers")
        page.until(lambda: rows(page) and rows(page)[0][2].isdigit())
        page.click("#rows .window-body .window-row")
        page.until(lambda: rows(page, "#pair-rows"))
        page.click("#pair-rows .window-body .window-row")
        page.until(lambda: page.texts("#why .terms li"))
