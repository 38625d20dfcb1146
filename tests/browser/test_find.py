"""An editor finds reviewers, in a real browser."""

import base64
import csv
import io
import json
import textwrap

import pypdfium2
import pytest
from browser_support import needs_browser
from panel_support import at, paper
from selenium.webdriver.common.keys import Keys
from web_support import make_workspace, pdf, running, start_service

from panelist.app import limits
from panelist.app.demo import corpus, submissions

pytestmark = [pytest.mark.browser, needs_browser]

TOKEN = "open sesame"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    return start_service(make_workspace(tmp_path_factory.mktemp("web")))


@pytest.fixture
def page(window, address):
    window.look(1440, 1000)
    window.open(f"{address}/api")
    window.script("sessionStorage.clear()")
    window.open(address)
    window.until(lambda: window.texts("#about")[0].startswith(f"{len(corpus())} papers"))
    return window


def cards(page):
    return page.script("return [...document.querySelectorAll('#cards .card')].map(e => e.dataset.id)")


def settled(page):
    """The cards, once the answer is there."""
    page.until(lambda: page.script("return !panel.hidden && !panel.classList.contains('updating')"))
    return cards(page)


def search(page, *, authors=True):
    """Fill the form with a sample and search; its authors are in the corpus, so that there are conflicts."""
    sample = submissions()[0]
    page.one("#title").send_keys(sample.title)
    page.script("document.querySelector('#abstract').value = arguments[0]", sample.abstract)
    for author in sample.authors if authors else ():
        page.one("#author").send_keys(author.id, Keys.ENTER)
        page.until(lambda author=author: f"{author.name}×" in page.texts("#authors li"))
    page.click("#submission .primary")
    return settled(page)


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
    page.click("[data-format=trec]")
    assert [line.split()[2] for line in page.downloaded("panel-MS-42.trec").splitlines()] == found
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


def test_a_name_is_resolved_by_the_editor(page):
    name = next(name for name in submissions()[1].author_names if name.split())
    page.one("#author").send_keys(name, Keys.ENTER)
    page.until(lambda: page.texts("#authors li.waiting") == [f"{name}who is it?×"])
    page.until(lambda: page.one("#namesakes").is_displayed())
    assert "Not sure" in page.texts("#namesakes button")[-1]
    page.script("document.querySelector('#namesakes').lastChild.click()")
    page.until(lambda: page.texts("#authors li.unsure") == [f"{name}not sure who×"])
    page.click("#authors .who")  # the question is asked again
    page.until(lambda: page.one("#namesakes").is_displayed())
    page.click("#namesakes button")
    page.until(lambda: page.texts("#authors li.matched") == [f"{name}×"])
    page.one("#author").send_keys(Keys.BACKSPACE)
    assert page.texts("#authors li") == []


def test_a_pdf_fills_the_form(page, tmp_path):
    file = tmp_path / "manuscript.pdf"
    lines = [
        (20, "Tides stir the sea"),
        (10, "Abstract"),
        (10, "We measured tides and plankton."),
        (10, "Introduction"),
    ]
    file.write_bytes(pdf(*lines))
    page.one("#pdf").send_keys(str(file))
    page.until(lambda: page.one("#title").get_attribute("value") == "Tides stir the sea")
    assert page.one("#abstract").get_attribute("value") == "We measured tides and plankton."
    file.write_bytes(b"no PDF at all")
    page.one("#pdf").send_keys(str(file))
    page.until(lambda: "not a PDF file" in page.one("#form-problem").text)


def test_a_pdf_is_dropped_and_its_references_say_why(page, tmp_path):
    cited = corpus()[100]
    names = ", ".join(one.author.name for one in cited.authorships)
    entries = [
        f"[1] {names}. {cited.title}. Journal, 2020.",
        f"[2] {names}. Matters of another kind elsewhere. Press, 2001.",
        "[3] N. Body. Unheard matters of unrelated kind. Journal, 1999.",
    ]
    lines = [(18, "Storms over the sea"), (10, "Abstract"), (10, "We count storms over the sea."), (12, "References")]
    lines += [(9, line) for entry in entries for line in textwrap.wrap(entry, 90)]
    file = tmp_path / "manuscript.pdf"
    file.write_bytes(pdf(*((size, text.encode("latin-1", "replace").decode("latin-1")) for size, text in lines)))
    page.one("#pdf").send_keys(str(file))
    page.until(lambda: cited.title[:20] in page.one("#references").get_attribute("value"))
    page.click("#submission .primary")
    page.until(lambda: page.texts("#notes li"))
    assert any(note.startswith("3 references, 1 in the corpus, ") for note in page.texts("#notes li"))
    assert "cited" in page.texts("#cards .badges .tag")
    reasons = page.script("return [...document.querySelectorAll('#cards .lifted')].map((one) => one.textContent)")
    assert any(one.startswith("Cited ") and cited.title[:30] in one for one in reasons)


def test_a_bibtex_file_is_dropped_and_references_may_be_left_out(page, tmp_path):
    cited = corpus()[100]
    names = " and ".join(one.author.name for one in cited.authorships)
    file = tmp_path / "cited.bib"
    file.write_text(f"@article{{a, author = {{{names}}}, title = {{{cited.title}}}, year = 2020}}")
    page.one("#title").send_keys("Storms over the sea")
    page.one("#pdf").send_keys(str(file))
    page.until(lambda: cited.title in page.one("#references").get_attribute("value"))
    page.script("uncited.value = 0")
    page.click("#submission .primary")
    page.until(lambda: any(note.startswith("1 reference, 1 in the corpus, ") for note in page.texts("#notes li")))
    reasons = page.script("return [...document.querySelectorAll('#cards .lifted')].map((one) => one.textContent)")
    assert any(one.startswith("Cited 1 time") and cited.title[:30] in one for one in reasons)
    page.script("count_references.checked = false")
    page.click("#submission .primary")
    page.until(lambda: not any("reference" in note for note in page.texts("#notes li")))
    assert "cited" not in page.texts("#cards .badges .tag")


def test_mistakes_are_told_at_their_field(page):
    page.click("#submission .primary")
    assert page.one("#form-problem").text == "Give a title or an abstract first."
    assert page.one("#title").get_attribute("aria-invalid") == "true"
    assert page.driver.switch_to.active_element == page.one("#title")
    page.one("#title").send_keys("stars")
    page.script("size.value = 1000")
    page.click("#submission .primary")
    page.until(lambda: page.one("#form-problem").text == f"Reviewers: give {limits.PANEL} or less")
    assert page.one("#size").get_attribute("aria-invalid") == "true"
    assert page.one("#size").is_displayed()


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
    wanted = {"skip", "title", "abstract", "choose-pdf", "author", "clear", "diversity", "scope", "csv", "json", "trec"}
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


def paste(page, text):
    page.script(
        """const data = new DataTransfer(); data.setData('text', arguments[0]);
        author.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, cancelable: true}))""",
        text,
    )


def test_it_is_always_said_how_conflicts_stand(page):
    search(page, authors=False)
    assert page.texts("#checked") == ["Conflicts were not checked: add the authors"]
    page.click("#checked button")
    assert page.script("return document.activeElement.id") == "author"
    known = next(name for name in submissions()[1].author_names if name.split())
    paste(page, f"Ada Nobody1,2, Grace Unknown3 (University of Nowhere), and {known}*")
    page.until(lambda: len(page.all("#authors .absent")) == 2 and page.all("#authors .waiting"))
    settled(page)
    assert "3 authors given · 0 matched · 1 needs your answer · 2 not in the corpus" in page.one("#checked").text
    page.click("#checked button")
    page.until(lambda: page.one("#namesakes").is_displayed())
    page.click("#namesakes button")
    page.until(lambda: "1 matched · 2 not in the corpus" in page.one("#checked").text)  # and looked up again
    settled(page)
    page.script("document.querySelector('#conflicts').value = 'ignore'")
    page.click("#submission .primary")
    page.until(lambda: page.texts("#checked") == ["Conflicts were not checked: the options say so"])


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
    search(page)
    printed = page.driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})["data"]
    assert page_count(base64.b64decode(printed)) == 1
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert submissions()[0].title in page.one("#printed").text
        assert [one.text for one in page.all("button") if one.is_displayed()] == []
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def page_count(content):
    return len(pypdfium2.PdfDocument(content))
