"""What a chair sees: names, not ids, on every page, a short way, what others do, samples, and who else may review."""

import csv
import hashlib
import io
import re

import pytest
from browser_support import needs_browser
from chair_support import add, ask_too_much, create, fill, kind, rename_elsewhere, rows
from desk_support import Chair
from planted_support import Planted
from web_support import api_of, make_workspace, start_service

from panelist.app.web.pages import TABS

pytestmark = [pytest.mark.browser, needs_browser]

HEX = re.compile(r"[0-9a-f]{40}")
TEXT = "The paper is well written. The evaluation is weak: baselines are missing."


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    return start_service(make_workspace(tmp_path_factory.mktemp("web")))


@pytest.fixture
def page(window):
    window.look(1440, 1000)
    return window


def hexed(text):
    return hashlib.sha1(text.encode()).hexdigest()


def table(header, lines):
    out = io.StringIO()
    csv.writer(out).writerows([header, *lines])
    return out.getvalue().encode()


@pytest.fixture
def hexadecimal(address):
    """A conference whose papers and people have ids of 40 hexadecimal digits, with everything that a conference has."""
    topics = ["droplets of fat", "cells of the retina", "songs of birds", "memory of mice"]
    papers = {hexed(f"paper {at}"): f"Paper {'ABCDEFGH'[at]} on {topics[at % 4]}" for at in range(8)}
    people = {hexed(f"person {at}"): f"{['Ana', 'Bela', 'Chen', 'Dita', 'Eva', 'Finn'][at]} Moreno" for at in range(6)}
    sent = [[key, title, f"We study {title}.", ""] for key, title in papers.items()]
    sent[0][-1] = "Finn Moreno"
    known = [
        [who, f"{who}-{at}", f"Notes of {name} on {topics[at]}", f"On {topics[at]}."]
        for who, name in people.items()
        for at in range(4)
    ]
    with api_of(address) as api:
        made = Chair(api, "Hexadecimal")
        files = {
            "submissions": table(["id", "title", "abstract", "authors"], sent),
            "committee": table(["reviewer", "paper", "title", "abstract"], known),
            "reviewers": table(["reviewer", "name"], people.items()),
        }
        for what, content in files.items():
            answer = made.send(what, content, f"{what}.csv")
            assert answer.status_code == 200, answer.text
        made.score()
        solution = made.solve(demand=2, most=4, possible="allow")
        made.post(f"/solutions/{solution['number']}/choose")
        pairs = sorted(made.pairs(solution["number"]), key=lambda pair: pair[0] == sent[0][0])  # its author is a member
        made.post("/changes", {"action": "lock", "paper": pairs[0][0], "reviewer": pairs[0][1]})
        reviews = [[paper, who, 3 + (at % 5), TEXT] for at, (paper, who) in enumerate(pairs)]
        assert made.send_reviews("texts", table(["paper", "reviewer", "score", "text"], reviews)).status_code == 200
        made.check()
        made.post("/calibration")
        impossible = made.solve(demand=6, most=1)
        yield made, pairs[0], impossible["number"]


def seen(page):
    """Ids in what can be seen of a page."""
    return HEX.findall(page.script("return document.body.innerText"))


def test_no_id_is_seen_where_a_title_or_a_name_is_known(page, address, hexadecimal):
    chair, (paper, who), _ = hexadecimal
    path = f"{address}/conferences/{chair.id}"
    there = {"Papers": "#rows .window-body span", "People": "#rows .window-body span", "Reviews": "#result .review"}
    there |= {"Conflicts": "#list .conflict", "Calibration": "#result .lead", "History": "#events .window-body span"}
    there |= {"Solutions": "#exports button", "Scores": "#facts dd", "Files": ".kind.there"}
    for one in TABS:
        page.open(path + one.path.partition("}")[2])
        page.until(lambda name=one.name: page.all(there[name]))
        if one.name == "Conflicts":
            fill(page, "#which", "")
        page.script("for (const each of document.querySelectorAll('main summary')) each.click()")
        page.until(lambda: page.all("#steps button") or page.texts("#steps-status") != [""])
        assert seen(page) == [], one.name
    for detail in (f"/paper?id={paper}", f"/person?id={who}"):
        page.open(path + detail)
        page.until(lambda: page.all("main h2") and page.texts("main h2")[0])
        for button in page.all(".why-person"):
            page.script("arguments[0].click()", button)
        for summary in page.all("main summary"):
            page.script("arguments[0].click()", summary)
        if page.all(".why-person"):
            page.until(lambda: len(page.all("#reviewers .reasons")) >= 2 * len(page.all(".why-person")))
        assert seen(page) == [], detail
    for report in ("solutions/1/export?format=report&pending=leave", "calibration/report"):
        answer = chair.api.get(f"{chair.path}/{report}")
        assert answer.status_code == 200, answer.text
        texts = re.findall(r">([^<>]+)<", answer.text)
        assert [text for text in texts if HEX.search(text)] == [], report


def test_from_files_to_a_chosen_assignment_without_possible_conflicts_in_twelve_clicks(page, address, tmp_path):
    planted, clicks = Planted(), 0
    files = {
        "submissions.jsonl": planted.submissions(),
        "expertise.csv": planted.expertise(),
        "reviewers.csv": planted.people(),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)

    def press(selector):
        nonlocal clicks
        page.until(lambda: page.all(selector) and page.one(selector).is_displayed() and page.one(selector).is_enabled())
        clicks += 1
        page.click(selector)

    page.open(f"{address}/conferences")
    page.one("#name").send_keys("Short")
    press("#create button")
    press("#steps [data-action=files]")
    page.until(lambda: page.all("#chosen") and page.texts("#conference-name") == ["Short"])
    page.script("document.querySelector('#chosen').multiple = true")
    clicks += 1  # “Choose files”: the window of the system opens, in which all three are marked
    page.one("#chosen").send_keys(
        "\n".join(str(tmp_path / name) for name in ("submissions.jsonl", "expertise.csv", "reviewers.csv"))
    )
    page.until(lambda: len(page.all(".kind.there")) == 3)
    press("#steps [data-action=score]")
    press("#steps [data-action=assign]")
    press("#steps [data-action=choose]")
    page.until(lambda: not page.all("#steps [data-action=choose]"))
    assert clicks <= 12
    made = page.driver.current_url.split("/")[4]
    with api_of(address) as api:
        found = api.get(f"conferences/{made}/papers?limit=500").json()["rows"]
    assigned = [(row["id"], one) for row in found for one in row["assigned"]]
    assert len(assigned) == 3 * len(planted.works)
    assert [one for _, one in assigned if one["conflict"] and one["conflict"]["possible"]] == []
    assert [pair for pair in assigned if pair[1]["id"] in planted.authors[pair[0]]] == []


def test_what_a_co_chair_does_appears_and_does_not_refuse_what_i_do(page, address, hexadecimal):
    chair, (paper, who), _ = hexadecimal
    page.open(f"{address}/conferences/{chair.id}/paper?id={paper}")
    page.until(lambda: page.all("[data-action=forbid]"))
    pairs = chair.pairs(1)
    mine = {reviewer for one, reviewer in pairs if one == paper}
    other = next(pair for pair in pairs if pair[0] != paper and pair[1] not in mine)
    chair.post("/changes", {"action": "lock", "paper": other[0], "reviewer": other[1]})
    page.click("[data-action=forbid]")  # this page does not know of it yet
    page.until(lambda: "Noted" in page.texts("#toast")[0])
    assert not page.one("#changed").is_displayed()
    chair.post("/changes", {"action": "release", "paper": paper, "reviewer": who})
    page.until(lambda: "4 changes by hand" in page.texts("#steps")[0])  # without a reload
    page.click("#steps [data-action=undo]")
    page.until(lambda: "5 changes by hand" in page.texts("#steps")[0])


def test_samples_of_every_kind_are_recognised_by_their_headers(page, address, tmp_path):
    create(page, address, "Samples")
    page.until(lambda: page.all(".sample"))
    kinds = page.script("return [...document.querySelectorAll('[data-kind]')].map(e => e.dataset.kind)")
    for number, one in enumerate(kinds):
        page.click(f"[data-kind={one}] .sample")
        text = page.downloaded(f"{one}-sample.csv")
        (tmp_path / f"{number}.csv").write_text(text)
    for path in sorted(tmp_path.glob("*.csv")):
        before = len(page.all(".kind.there"))
        add(page, path)
        page.until(lambda before=before: len(page.all(".kind.there")) == before + 1)
    assert sorted(kinds) == sorted(one for one in kinds if kind(page, one))
    assert page.texts(".oddities summary") == []


def test_who_else_excludes_the_whole_committee_and_who_is_found_joins_it(page, address, tmp_path):
    with api_of(address) as api:
        people = api.post("reviewers", json={"submission": {"title": "memory of mice"}, "options": {"size": 2}}).json()
        members = [match["author"]["id"] for match in people["matches"]]
        made = Chair(api, "Thin")
        made.send("submissions", b"id,title,abstract\ns1,memory of mice,\n", "submissions.csv")
        strangers = "".join(f"unknown-{at:03}\n" for at in range(240))  # the members are behind the first page
        made.send("committee", f"{strangers}{chr(10).join(members)}\n".encode(), "committee.txt")
        made.score()
        step = next(one for one in made.get("/next") if one["action"] == "find")
    assert step["value"] == "s1"
    page.open(f"{address}/conferences/{made.id}")
    page.until(lambda: page.all("#steps [data-action=find]"))
    page.click("#steps [data-action=find]")
    page.until(lambda: page.driver.current_url.endswith("/") and page.all("#title"))
    page.until(lambda: page.one("#title").get_property("value") == "memory of mice")
    page.click("#submission .primary")
    page.until(lambda: page.all("#cards .card"))
    found = page.script("return [...document.querySelectorAll('#cards .card')].map(e => e.dataset.id)")
    assert set(found).isdisjoint(members)
    assert page.texts("#excluded summary")[0].startswith(f"{240 + len(members)} people excluded")
    page.click("#cards .shortlisted")
    page.until(lambda: page.one("#join").is_displayed())
    page.click("#join")
    page.until(lambda: page.driver.current_url.endswith("/people"))
    fill(page, "#search", found[0])
    page.until(lambda: len(rows(page)) == 1)
    page.until(lambda: "The scores are of older files" in page.texts("#steps")[0])


def test_a_cure_that_sticks_is_a_setting_that_is_seen_and_can_be_undone(page, address, tmp_path):
    lines = [(f"p{i}", f"r{j}", (7 * i + 3 * j) % 101 / 101) for i in range(12) for j in range(9)]
    (tmp_path / "scores.csv").write_bytes(table(["paper", "reviewer", "score"], lines))
    labels = ask_too_much(page, address, "Cured", tmp_path / "scores.csv")
    page.click(f".cures li:nth-child({labels.index('Raise every load to 7') + 1}) button")
    page.until(lambda: page.all("#toast button") and "this stays a setting" in page.texts("#toast")[0])
    assert page.one("#quota_floor").is_displayed()
    assert page.one("#quota_floor").get_property("value") == "7"
    page.click("#toast button")
    page.until(lambda: page.one("#quota_floor").get_property("value") == "0")
    assert page.one("#most").get_property("value") == "6"


def test_a_second_tab_shows_what_the_first_one_did(page, address):
    create(page, address, "Two tabs")
    rename_elsewhere(page, "One name more")
    page.until(lambda: page.texts("#conference-name") == ["One name more"])
