"""What pages say of odd records, in a real browser: people of one name, papers without a title, endless words."""

import pytest
from browser_support import needs_browser
from find_support import settled
from panel_support import at, paper
from selenium.webdriver.common.keys import Keys
from web_support import make_workspace, start_service

pytestmark = [pytest.mark.browser, needs_browser]

ENDLESS = "pneumonoultramicroscopicsilicovolcanoconiosis" * 4
NAME = "Wei Zhang"
DESCRIPTIONS = """return [...document.querySelectorAll('#held button')]
    .map(e => document.getElementById(e.getAttribute('aria-describedby')).textContent.trim())"""
WIDE = """return [...document.querySelectorAll(arguments[0])]
    .filter(e => e.clientWidth && e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"""


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    papers = [
        paper("1", at("7", name=NAME), title="coral reefs in warm seas"),
        paper("2", at("8", ("Far University", None, "XX"), name=NAME), title="coral larvae", year=None),
        paper("3", at("9", "Reef Institute", name=NAME), at("10", "Reef Institute"), title=f"{ENDLESS} of coral"),
        paper("4", at("11", name="Ada", email="ada@reef.org"), title="", abstract="coral"),
        paper("5", at("m0"), at("m1"), *(at(f"q{number}") for number in range(22)), title="moss on stones"),
        *(paper(f"n{number}", at(f"p{number}"), title=f"star number {number}") for number in range(9)),
    ]
    return start_service(make_workspace(tmp_path_factory.mktemp("web"), papers))


def look_up(page, title="coral"):
    page.one("#title").send_keys(title, Keys.CONTROL, Keys.ENTER)
    return settled(page)


def add_author(page, name=NAME):
    page.one("#author").send_keys(name, Keys.ENTER)
    page.until(lambda: page.one("#namesakes").is_displayed())


def test_people_of_one_name_who_may_be_the_author_are_told_apart(page):
    look_up(page)
    add_author(page)
    page.until(lambda: len(page.texts("#held small")) == 3 and "paper" in page.texts("#held small")[0])
    told = sorted(page.texts("#held small"))
    assert told == [
        "(1 paper · 2019) has the name of the author Wei Zhang",
        "(Far University · 1 paper) has the name of the author Wei Zhang",
        "(Reef Institute · 1 paper · 2019) has the name of the author Wei Zhang",
    ]
    assert sorted(set(page.script(DESCRIPTIONS))) == told


def test_an_author_with_two_profiles_is_one_author(page):
    look_up(page)
    add_author(page)
    page.click("#namesakes button")
    page.until(lambda: page.texts("#checked")[0].startswith("1 author given · 1 matched"))
    page.click("#authors .who")
    page.until(lambda: page.one("#namesakes").is_displayed())
    page.click("#namesakes button[aria-pressed=false]")
    page.until(lambda: page.texts("#held p") == ["1 person may be an author, and is not on the panel:"])
    assert page.texts("#checked")[0].startswith("1 author given · 1 matched")
    page.until(lambda: "Reef Institute" in page.texts("#held small")[0])


def test_endless_words_are_broken_and_a_paper_without_a_title_is_said_to_have_none(page, address):
    look_up(page)
    add_author(page)
    page.click("#namesakes button:last-child")
    page.until(lambda: page.all("#authors .unsure"))
    settled(page)
    page.script("for (const opener of document.querySelectorAll('#cards .opener')) opener.click()")
    assert any(ENDLESS in text for text in page.texts("#cards .conflicts"))
    assert page.script(WIDE, "#cards .evidence *") == []
    assert "(no title)" in page.texts("#cards .paper .name")
    page.open(f"{address}/people/11")
    page.until(lambda: page.texts("#papers .name") == ["(no title)"])
    assert page.texts("#contact .contact") == ["ada@reef.org from “(no title)”, 2019"]
    page.open(f"{address}/compare?a=9&b=10")
    page.until(lambda: page.one("#whole").is_displayed())
    assert page.overflow() == 0
    assert page.script(WIDE, ".terms li, .timeline span") == []


def test_a_comparison_says_which_bars_are_whose_and_how_many_more_there_are(page, address):
    page.open(f"{address}/compare?a=7&b=8")
    page.until(lambda: page.one("#whole").is_displayed())
    assert page.texts("#years .meta")[0].endswith("The bars of the first person come first in each year.")
    assert page.texts("#both .coauthors") == ["None: this person wrote alone."] * 2
    page.open(f"{address}/compare?a=m0&b=m1")
    page.until(lambda: page.one("#whole").is_displayed())
    shared = next(text for text in page.texts("#shared p") if text.startswith("22 co-authors in common: "))
    assert shared.count(",") == 19
    assert shared.endswith(" and 2 more.")


def test_a_panel_stays_that_of_its_submission_when_the_next_search_is_refused(page):
    look_up(page)
    page.click(".options summary")
    page.script("document.querySelector('#size').value = 100000")
    look_up(page, " of stars")
    page.until(lambda: page.one("#form-problem").is_displayed())
    page.click("#cards .shortlisted")
    page.until(lambda: page.all("#shortlist li"))
    assert page.one("#old").is_displayed()
    assert page.one("#printed").get_attribute("textContent") == "Reviewers for “coral”"


def test_a_record_that_fills_the_form_makes_the_panel_an_old_one(page):
    look_up(page)
    page.click("#paste summary")
    page.one("#record").send_keys("@article{x, title={Reefs and bees}, abstract={They bleach.}}")
    page.click("#resolve")
    page.until(lambda: page.one("#title").get_attribute("value") == "Reefs and bees")
    page.until(lambda: page.one("#old").is_displayed())


def test_nobody_at_all_is_no_empty_box(page):
    page.click(".options summary")
    page.script("document.querySelector('#active_since').value = 2099")
    look_up(page)
    assert page.texts("#count") == ["Nobody fits"]
    assert not page.one("#cards").is_displayed()


def test_a_country_that_is_not_known_is_none(page):
    found = look_up(page)
    for position in (found.index("9"), found.index("10")):
        page.click(f"#cards .card:nth-child({position + 1}) .shortlisted")
    page.until(lambda: len(page.all("#shortlist li")) == 2)
    page.click("#keep")
    page.until(lambda: page.one("#kept-link").is_displayed())
    page.click("#kept-link")
    page.until(lambda: "institution" in page.texts("#facts")[0])
    assert page.texts("#facts") == ["2 people · 0 invited · 0 accepted · 1 institution"]
