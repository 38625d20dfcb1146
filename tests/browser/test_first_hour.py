"""The first hour of a chair: from names and addresses to a committee, loads that work, and conflicts by person."""

import pytest
from browser_support import needs_browser
from chair_support import add, create, fill, kind, tab
from panel_support import at, paper
from selenium.webdriver import ActionChains
from web_support import api_of, make_workspace, start_service

pytestmark = [pytest.mark.browser, needs_browser]

PEOPLE = "name,email,shirt\nMary Somerville,mary@x.org,M\nWei Wang,wei@x.org,\nGrace Hopper,grace@navy.mil,S\n"
WRITERS = ("Yue Zhang", "Ann Dee", "Uma Roy", "Ned Poe")
BIBTEX = "@book{g, title={Compilers of coral reef data}, author={Hopper, Grace and Aiken, H.}, year=2020}"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    names = {"m1": "Mary Somerville", "w1": "Wei Wang", "w2": "Wei Wang", "y1": "Yue Zhang", "y2": "Yuri Zhang"}
    papers = [
        paper(f"p{n}", at(key, name=name), title=f"Coral reef {n}") for n, (key, name) in enumerate(names.items())
    ]
    papers.append(paper("p9", at("y1", name="Yue Zhang"), at("m1", name="Mary Somerville"), title="Bleaching of reefs"))
    return start_service(make_workspace(tmp_path_factory.mktemp("web"), papers))


def settled(page, count):
    page.until(lambda: f"{count} settled" in page.texts("#lead")[0])


def committee(page, folder):
    """Names and addresses become a committee; whoever is not known for sure is settled on one page."""
    (folder / "reviewers.csv").write_text(PEOPLE)
    add(page, folder / "reviewers.csv")
    page.until(lambda: kind(page, "committee"))
    assert kind(page, "committee") == [
        "3 people: 1 found probably, 1 open: who they are has to be said, 1 not in the corpus"
    ]
    page.until(lambda: page.all("#steps [data-action=committee]"))
    page.click("#steps [data-action=committee]")
    page.until(lambda: page.texts("#people strong") == ["Wei Wang"])
    assert not page.one("#settle").is_enabled()
    assert ["1 paper" in text and "Coral reef" in text for text in page.texts(".candidates label")] == [True, True]
    for box in page.all(".candidates input"):
        box.click()
    page.click("#settle")  # both profiles are one person
    settled(page, 1)
    fill(page, "#found", "none")
    page.until(lambda: page.texts("#people strong") == ["Grace Hopper"])
    page.click("#people .more summary")
    page.one("#people textarea").send_keys('{"data": []}')
    page.click("#people .more button")
    page.until(lambda: "paste" in page.texts("#toast")[0] or "reference" in page.texts("#toast")[0])
    fill(page, "#people textarea", BIBTEX)
    page.click("#people .more button")
    settled(page, 2)
    page.driver.refresh()
    settled(page, 2)
    page.click("#paste summary")
    fill(page, "#pasted", "wei@x.org\tWang\tWei\nMary Somerville <mary@x.org>\ngrace@navy.mil\nYue Zhang <yue@x.org>")
    page.click("#send")
    page.until(lambda: page.texts("#lead")[0].startswith("4 people"))
    settled(page, 2)  # remembered by the address


def score(page, folder):
    lines = [f"s{n},Coral reef bleaching {n},Bleaching of reef {n}.,{WRITERS[n % 4]}" for n in range(10)]
    (folder / "submissions.csv").write_text("\n".join(["id,title,abstract,authors", *lines]))
    tab(page, "files")
    add(page, folder / "submissions.csv")
    page.until(lambda: page.all("#steps [data-action=score]"))
    page.click("#steps [data-action=score]")
    page.until(lambda: page.all("#steps [data-action=assign]"))


def conflicts(page):
    """One answer is for all pairs of a person, by a key: this Yue Zhang is not the author of three submissions."""
    tab(page, "conflicts")
    page.until(lambda: page.all("[data-person='yue@x.org'] > .buttons"))
    assert "may be an author of 3 papers" in page.texts("[data-person='yue@x.org'] > .buttons")[0]
    assert "0 of 7 authors of 7 submissions matched: nothing was checked" in page.texts("#unchecked li")[0]
    assert any("nothing was checked" in text for text in page.texts("#steps li"))
    fill(page, "#group", "author")
    page.until(lambda: page.all("[data-author='Yue Zhang'] > .buttons"))
    assert "the name alone speaks for 6 pairs" in page.texts("[data-author='Yue Zhang'] > .buttons")[0]
    ActionChains(page.driver).send_keys("jd").perform()
    page.until(lambda: not page.all("#list > li > .buttons"))
    fill(page, "#group", "person")
    page.until(lambda: page.all("[data-person='mary@x.org']"))  # who wrote with that Yue Zhang
    page.click("[data-person='mary@x.org'] summary")
    assert page.texts("[data-person='mary@x.org'] .conflict .tag") == ["dismissed"] * 3


def loads(page):
    """The form says what is needed before anything runs, and begins with a load that works."""
    tab(page, "assignment")
    page.until(lambda: page.texts("#room") and page.one("#try").is_enabled())
    assert page.texts("#room") == ["4 people × 8 = 32 for 30 reviews."]
    fill(page, "#most", "6")
    page.until(lambda: page.texts("#room") == ["4 people × 6 = 24 of 30 reviews needed: at least 8 each."])
    fill(page, "#most", "8")
    page.click("#try")
    page.until(lambda: "Solution 1: done" in page.texts("#status")[0])


def test_from_a_list_of_names_to_a_first_assignment(window, address, tmp_path):
    page = window
    page.look(1366, 900)
    made = create(page, address, "First hour")
    committee(page, tmp_path)
    with api_of(address, f"conferences/{made}") as api:
        people = {row["id"]: row for row in api.get("/committee").json()["rows"]}
        assert people["wei@x.org"]["chosen"] == ["w1", "w2"]
        assert people["grace@navy.mil"]["papers"] == 1
    score(page, tmp_path)
    conflicts(page)
    loads(page)
    assert [line for line in page.complaints() if "Failed to load resource" not in line] == []
