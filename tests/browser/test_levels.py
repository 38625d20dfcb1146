"""Levels as a chair meets them: a list for each role, one assignment in stages, a page for each, another chair."""

import pytest
from browser_support import needs_browser
from chair_support import add, create, fill, tab
from panel_support import at, paper
from web_support import api_of, make_workspace, start_service

pytestmark = [pytest.mark.browser, needs_browser]

NAMES = {
    "area chair": ["Ana Ash", "Ali Aalto", "Aki Abe"],
    "reviewer": ["Ria Rau", "Rex Ruiz", "Rob Rossi", "Ray Roy", "Ron Reed", "Rut Rose"],
}
EMAIL = {name: "{}@{}.org".format(*name.lower().split()) for names in NAMES.values() for name in names}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    people = [paper(f"p{name}", at(f"a-{name.split()[0]}", name=name), title=f"notes of {name}") for name in EMAIL]
    return start_service(make_workspace(tmp_path_factory.mktemp("web"), people))


def paste(page, role):
    fill(page, "#pasted", "\n".join(f"{name} <{EMAIL[name]}>" for name in NAMES[role]))
    fill(page, "#role", "" if role == "reviewer" else role)
    page.click("#send")


def cards(page):
    return page.script("return [...document.querySelectorAll('#rows > li')].map(e => e.dataset.person)")


def level(page, role):
    """Go to the page of a level."""
    page.click(f"#roles a:nth-child({1 + list(NAMES).index(role)})")
    page.until(lambda: page.texts("#roles [aria-current]") == [f"{role} ({len(NAMES[role])})"])


def test_area_chairs_get_papers_first_then_reviewers_and_each_level_is_a_page(window, address, tmp_path):
    page = window
    page.look(1366, 900)
    made = create(page, address, "Levels")
    lines = [f"{number},Title of paper {number},We study {number}.,Zoe Zimmer" for number in range(1, 7)]
    (tmp_path / "submissions.csv").write_text("\n".join(["id,title,abstract,authors", *lines]))
    scores = [
        f"{number},{who},{(7 * number + 3 * at) % 11 + 1}"
        for number in range(1, 7)
        for at, who in enumerate(EMAIL.values())
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["paper,reviewer,score", *scores]))
    add(page, tmp_path / "submissions.csv")
    page.until(lambda: page.all("[data-kind=submissions].there"))
    page.click("[data-kind=committee] a")
    page.until(lambda: page.all("#pasted"))
    page.until(lambda: page.one("#paste").get_property("open"))
    paste(page, "reviewer")
    page.until(lambda: page.texts("#lead")[0].startswith("6 people") and not page.one("#paste").get_property("open"))
    page.click("#paste summary")
    paste(page, "area chair")
    page.until(lambda: page.texts("#lead")[0].startswith("9 people"))
    tab(page, "files")
    add(page, tmp_path / "scores.csv")
    page.until(lambda: page.all("[data-kind=scores].there"))
    tab(page, "assignment")
    page.until(lambda: page.all("#by_level"))
    assert page.one("#by_level").is_selected()
    values = [page.one(selector).get_property("value") for selector in ("#demand", "#demand-1", "#most", "#most-1")]
    assert values == ["3", "1", "6", "3"]
    page.click("#try")
    page.until(lambda: "Solution 1: done" in page.texts("#status")[0] and page.all("#choose-1"))
    page.click("#choose-1")
    page.until(lambda: page.all("#exports button"))
    assert page.all("#exports [data-format=hotcrp]") == []
    page.click("#exports a")
    page.until(lambda: len(cards(page)) == 3)
    assert page.texts("#roles a") == ["area chair (3)", "reviewer (6)"]
    assert page.texts("#lead") == ["Solution 1: 6 papers for 3 people, who have room for 9."]
    assert set(cards(page)) == {EMAIL[name] for name in NAMES["area chair"]}
    first = f"[data-person='{cards(page)[0]}']"
    assert page.texts(f"{first} .help")[0].startswith("Above ")
    page.click("#exports [data-format=hotcrp]")
    rows = page.downloaded("assignment-hotcrp-area-chair.csv").splitlines()
    assert rows[0] == "paper,action,email"
    assert len(rows) == 7
    assert all(",metareview," in row for row in rows[1:])
    level(page, "reviewer")
    page.until(lambda: len(cards(page)) == 6)
    assert all(text.startswith("Under ") for text in page.texts("#rows > li .help:first-of-type"))
    fill(page, "#search", "rex")
    page.until(lambda: cards(page) == [EMAIL["Rex Ruiz"]])
    level(page, "area chair")
    page.until(lambda: len(cards(page)) == 3 and page.all("#rows .choice"))
    who, number, other = page.script(
        "const choice = document.querySelector('#rows .choice');"
        "return [choice.closest('[data-person]').dataset.person, choice.closest('[data-paper]').dataset.paper,"
        "choice.querySelector('select').value]"
    )
    page.click("#rows .choice [data-action=replace]")
    page.until(lambda: page.all("#steps [data-action=resolve]"))
    assert "to be taken off" in page.texts(f"[data-person='{who}'] [data-paper='{number}']")[0]
    page.click("#steps [data-action=resolve]")
    page.until(lambda: page.all("#steps [data-action=compare]"))
    page.click("#steps [data-action=compare]")
    page.until(lambda: page.all("#take-2") and page.texts("#differences"))
    page.click("#take-2")
    page.until(lambda: page.texts("#chosen-heading") == ["Who reviews what: solution 2"])
    page.click("#exports a")
    page.until(lambda: page.all(f"[data-person='{other}'] [data-paper='{number}']"))
    assert page.all(f"[data-person='{who}'] [data-paper='{number}']") == []
    with api_of(address, f"conferences/{made}") as api:
        events = api.get("/events").json()
    assert [event["kind"] for event in events if event["kind"] in ("replace", "chose")] == ["chose", "replace", "chose"]
    tab(page, "people")
    page.until(lambda: page.texts("#levels a") == ["area chair (3)", "reviewer (6)"])
    assert [line for line in page.complaints() if "Failed to load resource" not in line] == []
