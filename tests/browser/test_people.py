"""A person's page and two people side by side, in a real browser."""

import pytest
from browser_support import needs_browser
from selenium.webdriver.common.keys import Keys
from web_support import make_workspace, start_service

from panelist.app.demo import corpus, submissions

pytestmark = [pytest.mark.browser, needs_browser]

PERSON = corpus()[0].authorships[0].author
OTHER = corpus()[0].authorships[1].author
STRANGER = next(one.author for paper in corpus()[200:] for one in paper.authorships if one.author.id != PERSON.id)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    return start_service(make_workspace(tmp_path_factory.mktemp("web")))


def show(page, address, person=PERSON, query=""):
    page.look(1440, 1000)
    page.open(f"{address}/people/{person.id}{query}")
    page.until(lambda: page.one("#whole").is_displayed())
    page.until(lambda: page.all("#note details"))


def test_a_person_is_shown_with_papers_topics_and_coauthors(window, address):
    show(window, address)
    own = [paper for paper in corpus() if PERSON.id in {one.author.id for one in paper.authorships}]
    assert window.texts("#name") == [PERSON.name]
    assert set(window.texts("#papers .name")) == {paper.title for paper in own}
    assert len(window.all("#topics li svg rect")) >= 1
    assert window.one("#topics svg").get_attribute("aria-label").startswith(window.texts("#topics li span")[0])
    assert any(OTHER.name in text for text in window.texts("#coauthors li"))
    assert f"{len(own)} paper" in window.one("#career").text
    assert window.complaints() == []


def test_notes_and_forgetting_on_the_persons_page(window, address):
    show(window, address)
    window.click("#note summary")
    window.one("#note textarea").send_keys("Reads fast")
    window.click("#note button")
    window.until(lambda: window.texts("#note .note-text") == ["Reads fast"])
    window.driver.refresh()
    window.until(lambda: window.texts("#note .note-text") == ["Reads fast"])
    window.click("#forget")
    window.click("dialog[open] .danger")
    window.until(lambda: "Forgotten: 1 note, 0 entries" in window.one("#toast").text)
    window.until(lambda: window.texts("#note .note-text") == [""])


def test_why_they_were_suggested_for_a_kept_submission(window, address):
    window.look(1440, 1000)
    window.open(address)
    window.one("#title").send_keys(submissions()[0].title, Keys.CONTROL, Keys.ENTER)
    window.until(lambda: window.all("#cards .card"))
    window.click("#cards .shortlisted")
    window.until(lambda: window.all("#shortlist li"))
    window.click("#keep")
    window.until(lambda: window.one("#kept-link").is_displayed())
    window.click("#kept-link")
    window.until(lambda: window.all("#panel .paper"))
    shown = window.texts("#panel .paper .name")
    window.click("#panel h3 a")
    window.until(lambda: window.all("#reasons .paper"))
    assert window.texts("#reasons .paper .name") == shown
    assert "number 1 of the ranking" in window.one("#reasons").text
    assert window.texts("#submissions a")[0] == submissions()[0].title
    assert window.complaints() == []


def test_two_people_are_compared_side_by_side(window, address):
    show(window, address)
    window.one("#other").send_keys(OTHER.id, Keys.ENTER)
    window.until(lambda: "/compare" in window.driver.current_url and window.one("#whole").is_displayed())
    assert window.texts("#both h2") == [PERSON.name, OTHER.name]
    assert window.texts("#shared p")[0].startswith("They wrote ")
    assert corpus()[0].title in window.texts("#shared .paper .name")
    assert window.all("#years svg rect.other")
    show(window, address)
    window.one("#other").send_keys("Nobody Atall", Keys.ENTER)
    window.until(lambda: "Nobody in the corpus has the name or id" in window.one("#form-problem").text)


def test_unknown_people_are_reported(window, address):
    window.open(f"{address}/people/nobody")
    window.until(lambda: "there is nobody with the id" in window.one("#failure").text)
    window.open(f"{address}/compare?a=nobody")
    window.until(lambda: "Choose two people" in window.one("#failure").text)
