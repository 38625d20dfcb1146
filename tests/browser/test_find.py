"""An editor finds reviewers, in a real browser."""

import base64
import csv
import io
import json

import pypdfium2
import pytest
from browser_support import needs_browser
from find_support import cards, opened, paste, search, settled
from panel_support import at, paper
from selenium.webdriver.common.keys import Keys
from web_support import make_workspace, running, start_service

from panelist.app.demo import corpus, submissions

pytestmark = [pytest.mark.browser, needs_browser]

TOKEN = "open sesame"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    return start_service(make_workspace(tmp_path_factory.mktemp("web")))


@pytest.fixture
def page(window, address):
    return opened(window, address)


def test_a_panel_is_found_and_explained(page):
    found = search(page)
    assert len(found) == 10
    assert page.texts("#count") == ["10 reviewers"]
    first = page.one("#cards .card")
    assert page.script("return document.querySelector('#cards').getBoundingClientRect().bottom < innerHeight")
    assert page.script("return [...document.querySelectorAll('#cards .evidence')].every(e => e.hidden)")
    assert " near paper" in first.text
    assert " match" in first.text
    assert "%" not in first.text
    given = len(submissions()[0].authors)
    assert page.texts("#checked")[0].startswith(f"{given} authors given · {given} matched · not checked: advisors")
    page.click("#cards .card .best")
    assert len([one for one in page.all("#cards .card:first-child .paper") if one.is_displayed()]) == 3
    assert page.one("#cards .card .paper a").get_attribute("href").startswith("https://doi.org/10.")
    assert page.all("#cards mark") or page.all("#cards .terms li")
    assert any("papers" in text for text in page.texts("#cards .career"))
    assert "found by" in first.text
    assert "hidden for a conflict of interest" in page.one("#hidden summary").text
    page.click("#hidden summary")
    assert {author.name for author in submissions()[0].authors} & set(page.texts("#hidden strong"))
    assert any("co-authored" in text for text in page.texts("#hidden .conflicts li"))
    assert "10 reviewers from" in page.one("#status").get_attribute("textContent")
    assert page.complaints() == []


def test_conflicts_are_flagged_with_their_evidence(page):
    page.script("conflicts.value = 'flag'")
    search(page)
    assert not page.one("#hidden").is_displayed()
    assert "conflict" in page.texts("#cards .badges .certain")
    flagged = page.texts("#cards .conflicts li.certain")
    assert any(text.startswith("Conflict: author") and "author of the submission" in text for text in flagged)
    assert any("co-authored “" in text for text in flagged)
    for dark in (False, True):
        page.look(1440, 1000, dark=dark)
        assert page.low_contrasts() == []


def test_the_slider_reranks_without_a_page_load(page):
    plain = search(page)
    page.script("window.stillHere = true")
    page.click(".menu:has(#diversity) summary")
    cost = page.texts("#cost")[0]  # of at most two people for the same paper
    page.one("#diversity").send_keys(*[Keys.ARROW_RIGHT] * 12)
    page.until(lambda: cards(page) != plain)
    varied = settled(page)
    page.until(lambda: int(page.texts("#cost")[0].split("%")[0]) > int(cost.split("%")[0]))
    assert len(varied) == 10
    assert page.texts("#diversity-value") == ["λ 0.60"]
    page.one("#diversity").send_keys(Keys.HOME)
    page.until(lambda: cards(page) == plain)
    assert page.script("return window.stillHere") is True


def test_excluding_brings_the_next_and_can_be_undone_twice_over(page):
    before = search(page)
    name = page.texts("#cards h3")[0]
    page.click("#cards .exclude")
    page.until(lambda: before[0] not in cards(page))
    after = settled(page)
    assert set(before[1:]) < set(after)  # somebody with the same paper may come where there is room for one more
    assert len(after) == 10
    assert page.one("#toast").text.startswith(f"{name} is excluded")
    page.click("#toast button")
    page.until(lambda: cards(page) == before)
    page.click("#cards .exclude")
    page.until(lambda: before[0] not in cards(page))
    settled(page)
    assert page.one("#excluded summary").text == "1 person excluded by you"
    page.click("#excluded summary")
    page.click("#excluded button")
    page.until(lambda: cards(page) == before)
    assert not page.one("#excluded").is_displayed()


def test_what_is_shown_is_what_is_exported(page):
    page.click(".options summary")
    page.one("#identifier").send_keys("MS 42")
    found = search(page)
    page.click(".menu:has(#scope) summary")
    page.click("[data-format=csv]")
    rows = list(csv.DictReader(io.StringIO(page.downloaded("panel-MS-42.csv"))))
    assert [row["reviewer"] for row in rows] == found
    page.click("[data-format=json]")
    panel = json.loads(page.downloaded("panel-MS-42.json"))
    assert [match["author"]["id"] for match in panel["matches"]] == found
    page.click("[data-format=openreview]")
    scores = list(csv.reader(io.StringIO(page.downloaded("panel-MS-42.openreview.csv"))))
    assert [row[:2] for row in scores] == [["MS-42", person] for person in found]


def test_the_short_list_is_kept_exported_and_copied(page, address):
    found = search(page)
    for place in (4, 2):
        page.click(f"#cards .card:nth-child({place}) .shortlisted")
    assert len(page.texts("#shortlist li")) == 2
    assert page.one("#cards .card:nth-child(2) .shortlisted").get_attribute("aria-pressed") == "true"
    page.click(".menu:has(#scope) summary")
    page.script("scope.value = 'shortlist'")
    page.click("[data-format=csv]")
    rows = list(csv.DictReader(io.StringIO(page.downloaded("panel-submission.csv"))))
    assert {row["reviewer"] for row in rows} == {found[1], found[3]}
    permissions = {"origin": address, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    page.driver.execute_cdp_cmd("Browser.grantPermissions", permissions)
    page.click("#copy")
    page.until(lambda: page.one("#toast").text == "Copied as text")
    copied = page.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert copied.startswith(submissions()[0].title)
    assert found[1] in copied
    assert found[0] not in copied
    page.click("#cards .card:nth-child(2) .shortlisted")
    assert len(page.texts("#shortlist li")) == 1


def test_a_server_that_is_gone_can_be_tried_again(page):
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/api/v1/reviewers"]})
    page.one("#title").send_keys("stars and planets", Keys.CONTROL, Keys.ENTER)
    page.until(lambda: page.one("#failure").is_displayed())
    assert "cannot be reached" in page.one("#failure").text
    page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    page.click("#failure button")
    assert settled(page)


def test_everything_is_reached_by_keyboard_and_seen_to_be(page):
    search(page)
    page.script("for (const menu of document.querySelectorAll('.menu')) menu.open = true")
    page.script("document.body.tabIndex = -1; document.body.focus(); scrollTo(0, 0)")
    reached, unseen = set(), []
    for _ in range(60):
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
        name, seen = page.script(
            """const e = document.activeElement, s = getComputedStyle(e);
            const seen = s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2;
            return [e.id || e.dataset.format || e.className, seen]"""
        )
        reached.add(name)
        if not seen:
            unseen.append(name)
    wanted = {"skip", "title", "abstract", "choose-pdf", "author", "clear", "diversity", "scope", "csv", "json"}
    assert (wanted | {"openreview", "copy", "shortlisted", "exclude", "opener", "primary"}) - reached == set()
    assert unseen == []


def test_nothing_is_asked_of_other_servers(page, address):
    search(page)
    asked = page.script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert asked
    assert all(name.startswith(address) for name in asked)


def test_a_title_is_text_whatever_it_says(tmp_path, window):
    evil = '<img src=x onerror="window.broken = true"> coral <script>window.broken = true</script>'
    workspace = make_workspace(tmp_path, [paper("p1", at("a1", name="<b>Mallory</b>"), title=evil)])
    with running(start_service(workspace)) as address:
        window.open(address)
        window.one("#title").send_keys("coral", Keys.CONTROL, Keys.ENTER)
        settled(window)
        assert window.texts("#cards .paper .name") == [evil]
        assert window.texts("#cards h3") == ["<b>Mallory</b>"]
        assert window.script("return window.broken === undefined")


def test_the_token_is_asked_for_and_kept_for_the_tab(tmp_path, window):
    workspace = make_workspace(tmp_path, [paper("p1", at("a1")), paper("p2", at("a2"))])
    with running(start_service(workspace), TOKEN) as address:
        window.open(address)
        window.until(lambda: window.one("#token-dialog").is_displayed())
        window.one("#token").send_keys("wrong", Keys.ENTER)
        window.until(lambda: window.one("#token-dialog .problem").is_displayed())
        window.one("#token").send_keys(TOKEN, Keys.ENTER)
        window.until(lambda: window.texts("#about")[0].startswith("2 papers"))
        window.open(address)
        window.until(lambda: window.texts("#about")[0].startswith("2 papers"))
        window.one("#title").send_keys("coral reef", Keys.CONTROL, Keys.ENTER)
        assert len(settled(window)) == 2
        window.script("sessionStorage.clear()")


def test_a_learned_order_says_what_lifted_whom_and_references_are_counted(page):
    cited = corpus()[100]
    page.script(
        "ranker.value = 'reviewers'; references.value = arguments[0]", f"{cited.title}\nA paper that is unknown"
    )
    search(page, authors=False)
    assert page.texts("#cards .lifted")[0].startswith("Lifted by ")
    assert any(note.startswith("2 references, 1 in the corpus, ") for note in page.texts("#notes li"))
    assert "cited" in page.texts("#cards .badges .tag")
    assert page.overflow() <= 0
    assert page.low_contrasts() == page.complaints() == []


LIST = "Ada Nobody; Grace Unknown"


def test_a_reload_at_every_step_loses_nothing_and_clear_can_be_undone(page, address):
    page.one("#title").send_keys("stars and planets")
    page.driver.refresh()
    page.until(lambda: page.one("#title").get_attribute("value") == "stars and planets")
    page.one("#title").clear()
    search(page, authors=False)
    paste(page, LIST)
    page.until(lambda: len(page.all("#authors .absent")) == 2)
    page.driver.refresh()
    page.until(lambda: len(page.all("#authors .absent")) == 2)
    found = settled(page)
    page.click("#cards .shortlisted")
    page.click("#cards .card:nth-child(2) .exclude")
    page.until(lambda: found[1] not in cards(page))
    after = settled(page)
    for leave in (page.driver.refresh, lambda: (page.click("#cards h3 a"), page.until(lambda: page.all("#name")))):
        leave()
        if page.driver.current_url != f"{address}/":
            page.click(".top nav a")
        page.until(lambda: page.all("#cards .card"))
        assert settled(page) == after
        assert len(page.texts("#shortlist li")) == 1
        assert page.one("#excluded summary").text == "1 person excluded by you"
        assert page.one("#title").get_attribute("value") == submissions()[0].title
    page.click("#clear")
    page.until(lambda: page.one("#empty").is_displayed())
    assert page.one("#title").get_attribute("value") == ""
    page.click("#toast button")
    page.until(lambda: page.all("#cards .card"))
    assert settled(page) == after
    assert len(page.texts("#shortlist li")) == 1
    page.click("#clear")
    page.driver.refresh()
    page.until(lambda: page.one("#empty").is_displayed())
    assert page.one("#title").get_attribute("value") == ""
    assert page.complaints() == []


def test_arrow_keys_go_through_people_and_their_evidence(page):
    found = search(page)
    page.script("document.activeElement.blur()")
    page.one("body").send_keys("j")
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert page.script("return document.activeElement.dataset.id") == found[1]
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert page.one("#cards .card:nth-child(2) .evidence").is_displayed()
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_LEFT)
    assert not page.one("#cards .card:nth-child(2) .evidence").is_displayed()


def test_ten_people_are_printed_on_one_page_with_the_title(page):
    paste(page, LIST)  # whose notes are printed, too
    page.until(lambda: len(page.all("#authors .absent")) == 2)
    search(page)
    page.click("#cards .card:nth-child(2) .shortlisted")
    printed = page.driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})["data"]
    assert page_count(base64.b64decode(printed)) == 1
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert submissions()[0].title in page.one("#printed").text
        assert [one.text for one in page.all("button") if one.is_displayed()] == []
        cut = "return [...document.querySelectorAll('#cards .grade *')].filter(e => e.scrollWidth > e.clientWidth + 1)"
        assert page.script(f"{cut}.length") == 0
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def page_count(content):
    return len(pypdfium2.PdfDocument(content))
