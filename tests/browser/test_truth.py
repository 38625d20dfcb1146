"""What the page claims is true, in a real browser: grades, nobody here, the authors; and an editor's first minutes."""

import pytest
from browser_support import needs_browser
from find_support import opened, search, settled
from selenium.webdriver.common.keys import Keys
from web_support import make_workspace, start_service

from panelist.app.demo import corpus, submissions
from panelist.app.demo.samples import STRANGER

pytestmark = [pytest.mark.browser, needs_browser]

GRADES = ["weak", "fair", "strong"]
SAMPLE = submissions()[0]
GIVE = """const data = new DataTransfer(); data.items.add(new File([arguments[0]], arguments[1]));
submission.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}))"""
BIBTEX = "".join(
    f"@article{{k{n},\n title = {{{one.title}}},\n year = {{{one.year}}},\n"
    f" author = {{{' and '.join(entry.author.name for entry in one.authorships)}}}\n}}\n"
    for n, one in enumerate([paper for paper in corpus() if paper.topics == corpus()[0].topics][:12])
)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("indexing.tables.nearness.LEAST", 10)  # the demo is smaller than a scale that is sure
        yield start_service(make_workspace(tmp_path_factory.mktemp("web")))


@pytest.fixture
def page(window, address):
    return opened(window, address)


def grades(page):
    """How sure each match is, by person."""
    words = page.script("return [...document.querySelectorAll('#cards .card')].map(e => [e.dataset.id, e.className])")
    of = {"low": 0, "medium": 1, "high": 2}
    return {who: next(of[name] for name in names.split() if name in of) for who, names in words}


def ask(page, title, abstract=""):
    page.one("#title").send_keys(title)
    page.script("document.querySelector('#abstract').value = arguments[0]", abstract)
    page.click("#submission .primary")
    return settled(page)


def test_references_lower_no_grade_and_stay_in_a_line_until_they_are_removed(page):
    search(page)
    before = grades(page)
    page.script(GIVE, BIBTEX, "refs.bib")
    page.until(lambda: page.texts("#cited") == ["12 references from refs.bib · remove"])  # and found again at once
    page.until(lambda: any("12 references" in note for note in page.texts("#notes li")))
    after = grades(page)
    common = before.keys() & after.keys()
    assert common
    assert all(after[who] >= before[who] for who in common)
    assert not page.one("#old").is_displayed()
    page.one("#title").send_keys(" changed")
    page.until(lambda: page.one("#old").is_displayed())
    page.click("#old button")
    page.until(lambda: not page.one("#old").is_displayed())
    page.driver.refresh()
    page.until(lambda: page.texts("#cited") == ["12 references from refs.bib · remove"])
    settled(page)
    page.click("#cited button")
    page.until(lambda: not page.one("#cited").is_displayed())
    page.until(lambda: not any("references" in note for note in page.texts("#notes li")))
    assert settled(page)


def test_a_topic_of_nobody_here_is_said_to_be_one(page):
    page.until(lambda: len(page.all("#examples button")) == 3)
    page.click("#examples li:nth-child(2) button")
    settled(page)
    assert page.one("#title").get_attribute("value") == STRANGER.title
    page.click("#clear")
    ask(page, "Zxqw vbnm plokij", "Qazwsx edcrfv tgbyhn ujmikol.")  # far, for the encoder of this test
    assert page.texts("#count") == ["Nobody here works on this"]
    assert "no paper here is near" in page.one("#rests").text.lower()
    assert not page.one("#cards").is_displayed()
    page.click("#nearest summary")
    assert page.one("#cards").is_displayed()


def test_authors_whom_nobody_knows_are_loudly_not_checked(page):
    page.one("#author").send_keys("Zbigniew Quixote; Aurelia Nobodyfound", Keys.ENTER)
    page.until(lambda: len(page.texts("#authors li")) == 2)
    ask(page, SAMPLE.title)
    assert "Nothing was checked: 0 of 2 authors matched" in page.one("#checked").text
    assert "open" in page.one("#checked").get_attribute("class")


def test_a_pdf_is_one_click_away_and_a_record_may_be_bibtex(page):
    page.until(lambda: len(page.all("#examples button")) == 3)
    page.click("#examples li:nth-child(3) button")
    assert settled(page)
    assert page.one("#title").get_attribute("value") == submissions()[1].title
    assert page.one("#cited").text.endswith(" references from sample-manuscript.pdf · remove")
    page.click("#clear")
    page.until(lambda: not page.one("#cited").is_displayed())
    page.click("#paste summary")
    entry = "@article{x, title={Reefs {and} bees}, author={Lovelace, Ada and Babbage, C.}, abstract={They {bleach}.}}"
    page.one("#record").send_keys(entry)
    page.click("#resolve")
    page.until(lambda: page.one("#title").get_attribute("value") == "Reefs and bees")
    assert page.one("#abstract").get_attribute("value") == "They bleach."
    page.until(lambda: len(page.texts("#authors li")) == 2)


@pytest.mark.parametrize("width", [390, 1366])
def test_names_are_whole_and_on_a_phone_the_results_come_first(page, width):
    page.look(width, 900)
    ask(page, SAMPLE.title, SAMPLE.abstract)
    cut = page.script(
        "return [...document.querySelectorAll('.row h3, .row .institution')]"
        ".filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
    )
    assert cut == []
    above = page.script(
        "return document.querySelector('#results').getBoundingClientRect().bottom <= "
        "document.querySelector('#submission').getBoundingClientRect().top"
    )
    assert above == (width == 390)
    assert page.one(".to-form").is_displayed() == (width == 390)
    assert page.overflow() == 0
