"""An editor keeps a submission, comes back, invites, is declined, and asks the next: in a real browser."""

from datetime import date, timedelta
from urllib.parse import unquote

import httpx2
import pytest
from browser_support import needs_browser, second_tab
from panel_support import at, paper
from selenium.webdriver.common.keys import Keys
from web_support import make_workspace, running, start_service

from panelist.app.demo import submissions

pytestmark = [pytest.mark.browser, needs_browser]

SAMPLE = submissions()[0]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    return start_service(make_workspace(tmp_path_factory.mktemp("web")))


def settled(page):
    page.until(lambda: page.script("return !panel.hidden && !panel.classList.contains('updating')"))


def look_up(page):
    page.one("#title").send_keys(SAMPLE.title)
    page.script("document.querySelector('#abstract').value = arguments[0]", SAMPLE.abstract)
    page.click("#submission .primary")
    settled(page)


def keep(page, listed=2):
    """Look up, short-list the first ones, keep; the ids of those listed."""
    look_up(page)
    for number in range(1, listed + 1):
        page.click(f"#cards .card:nth-child({number}) .shortlisted")
        page.until(lambda number=number: len(page.all("#shortlist li")) == number)
    page.click("#keep")
    page.until(lambda: page.one("#kept-link").is_displayed())
    return page.script("return [...document.querySelectorAll('#cards .listed')].map(e => e.dataset.id)")


def open_kept(page):
    page.click("#kept-link")
    page.until(lambda: page.all("#next .card"))


def open_letter(page, box):
    page.click(f"{box} .invite")
    page.until(lambda: page.one("#letter").is_displayed())  # the first letter waits for the texts of letters


def people(page, where="#panel"):
    return page.script(f"return [...document.querySelectorAll('{where} .card')].map(e => e.dataset.id)")


def stand(page, person, state):
    """Choose where somebody stands, as the select does it."""
    page.script(
        """const box = document.querySelector(`.person-card[data-id="${arguments[0]}"] .stands`);
        box.value = arguments[1]; box.dispatchEvent(new Event('change'))""",
        person,
        state,
    )


def choose(page, selector, value):
    page.script(
        """const box = document.querySelector(arguments[0]);
        box.value = arguments[1]; box.dispatchEvent(new Event('input'))""",
        selector,
        value,
    )


def standing(page):
    return page.script(
        """return Object.fromEntries([...document.querySelectorAll('.person-card')]
        .map(e => [e.dataset.id, e.querySelector('.stands').value]))"""
    )


def test_nothing_is_kept_until_the_editor_says_so(page, address):
    look_up(page)
    page.click("#cards .shortlisted")
    assert "nothing of this look-up is kept" in page.one("#keeping-help").text
    page.open(f"{address}/submissions")
    page.until(lambda: page.one("#empty").is_displayed() or page.one("#list").is_displayed())
    assert SAMPLE.title not in page.texts("#submissions a")


def test_a_kept_submission_is_there_after_a_reload_and_in_the_list(page, address):
    listed = keep(page)
    page.driver.refresh()
    settled(page)
    assert people(page, "#cards")
    page.until(lambda: len(page.all("#shortlist li")) == 2)
    assert page.one("#title").get_attribute("value") == SAMPLE.title
    open_kept(page)
    assert people(page) == listed
    page.open(f"{address}/submissions")
    page.until(lambda: page.texts("#submissions a"))
    assert page.texts("#submissions a")[0] == SAMPLE.title
    assert "2 short-listed" in page.texts("#submissions li")[0]
    page.one("#search").send_keys("nothing like it")
    page.until(lambda: not page.all("#submissions li"))
    assert page.complaints() == []


def test_a_long_list_is_shown_by_the_page(page, address):
    keep(page, listed=1)
    page.driver.execute_async_script(
        """const done = arguments[0], one = (n) => fetch('/api/v1/submissions', {method: 'POST',
          headers: {'Content-Type': 'application/json'}, body: JSON.stringify({submission: {title: `Number ${n}`}})});
        (async () => { for (let n = 0; n < 60; n += 1) await one(n); done() })()"""
    )
    page.open(f"{address}/submissions")
    page.until(lambda: page.texts("#submissions a")[:1] == ["Number 59"])
    assert len(page.all("#submissions li")) == 50
    assert page.one("#range").text.startswith("1–50 of 6")
    assert not page.one("#newer").is_enabled()
    page.click("#older")
    page.until(lambda: page.texts("#submissions a")[0] == "Number 9")
    page.one("#search").send_keys("number 17")
    page.until(lambda: page.texts("#submissions a") == ["Number 17"])
    assert page.complaints() == []


def test_after_a_decline_the_next_is_suggested_and_taken(page):
    first, second = keep(page)
    open_kept(page)
    stand(page, first, "invited")
    page.until(lambda: any("Invited" in text for text in page.texts(".person-card .tag.state")))
    stand(page, first, "declined")
    page.until(lambda: people(page, "#refused") == [first])
    assert people(page) == [second]
    page.until(lambda: first not in people(page, "#next") and len(people(page, "#next")) == 3)
    suggested = people(page, "#next")[0]
    page.click("#next .take")
    page.until(lambda: people(page) == [second, suggested])
    page.until(lambda: suggested not in people(page, "#next"))
    page.driver.refresh()
    page.until(lambda: people(page) == [second, suggested])
    assert any("invited 1 time this year (declined 1)" in text for text in page.texts("#refused .tag"))
    assert page.complaints() == []


def test_the_invitation_names_the_papers_and_marks_as_invited(page, address):
    first, _ = keep(page)
    open_kept(page)
    permissions = {"origin": address, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    page.driver.execute_cdp_cmd("Browser.grantPermissions", permissions)
    paper_title = page.texts("#panel .card:first-child .paper .name")[0]
    open_letter(page, "#panel")
    page.one("#journal").send_keys("Journal of Reefs")
    page.one("#editor").send_keys("E. D. Itor")
    text = page.one("#letter").get_attribute("value")
    assert SAMPLE.title in text
    assert paper_title in text
    assert text.rstrip().endswith("E. D. Itor\nJournal of Reefs")
    page.click("#copy-and-invite")
    page.until(lambda: any("Invited" in text for text in page.texts("#panel .tag.state")))
    copied = page.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert copied == text
    page.until(lambda: standing(page)[first] == "invited")


def test_a_letter_begins_at_its_beginning_has_the_abstract_and_keeps_a_typed_address(page, address):
    first, _ = keep(page)
    open_kept(page)
    try:
        open_letter(page, "#panel")
        text = page.one("#letter").get_attribute("value")
        assert SAMPLE.abstract[:60] in text
        position = "const box = document.querySelector('#letter'); return [box.selectionStart, box.scrollTop]"
        assert page.driver.execute_script(position) == [0, 0]
        page.one("#address").send_keys("somebody@example.org", Keys.TAB)
        page.until(lambda: any("kept" in text for text in page.texts(".toast")))
        assert page.one("#mail-letter").get_attribute("href").startswith("mailto:somebody%40example.org?")
        assert httpx2.get(f"{address}/api/v1/profiles/{first}").json()["contact"]["email"] == "somebody@example.org"
        choose(page, "#language", "de")
        page.until(lambda: page.one("#letter").get_attribute("value").startswith("Guten Tag"))
        choose(page, "#kind", "declined")
        page.until(lambda: "Ein Name genügt" in page.one("#letter").get_attribute("value"))
        choose(page, "#language", "en")
        page.click("#invitation button[value=close]")
        page.until(lambda: any("somebody@example.org typed on" in text for text in page.texts("#panel .contact")))
    finally:  # other tests write to the same person
        httpx2.put(f"{address}/api/v1/desk/addresses/{first}", json={"email": ""})


def test_who_could_be_asked_instead_is_proposed_when_somebody_declines(page):
    first, _ = keep(page)
    open_kept(page)
    page.until(lambda: people(page, "#next"))
    stand(page, first, "declined")
    page.until(lambda: any("declined. Next on the list:" in text for text in page.texts(".toast")))


def test_an_author_who_is_added_later_is_marked_in_the_list_and_in_the_invitation(page, address):
    first, second = keep(page)
    open_kept(page)
    route = f"{address}/api/v1{page.driver.current_url.removeprefix(address)}"
    kept = httpx2.get(route).json()
    submission = {**kept["submission"], "authors": [{"id": first}]}
    change = {"submission": submission, "options": kept["options"], "revision": kept["revision"]}
    assert httpx2.put(route, json=change).status_code == 200
    page.driver.refresh()
    page.until(lambda: page.texts(f'[data-id="{first}"] .conflicts .certain'))
    open_letter(page, f'[data-id="{first}"]')
    assert "author of the submission" in page.one("#invitation-conflicts").text
    page.click("#invitation button[value=close]")
    open_letter(page, f'[data-id="{second}"]')
    assert "author of the submission" not in page.one("#invitation-conflicts").text


def test_an_invitation_has_days_that_are_listed_when_they_are_due(page, address):
    first, _ = keep(page)
    open_kept(page)
    open_letter(page, "#panel")
    link = page.one("#mail-letter").get_attribute("href")
    assert link.startswith("mailto:?subject=Review%20of%20")
    assert unquote(link).endswith(page.one("#letter").get_attribute("value").replace("\n", "\r\n"))
    page.one("#weeks").clear()
    page.one("#weeks").send_keys("1")
    page.click("#invitation button[value=close]")
    stand(page, first, "invited")
    box = f'.person-card[data-id="{first}"]'
    page.until(lambda: page.all(f"{box} .due"))
    today = date.today()  # as the browser's
    assert page.one(f"{box} .due").get_attribute("value") == str(today + timedelta(days=7))
    assert page.one(f"{box} .reminder").get_attribute("value") == str(today)
    day = (today + timedelta(days=2)).isoformat()
    page.script(
        """const box = document.querySelector(arguments[0]); box.value = arguments[1];
        box.dispatchEvent(new Event('change'))""",
        f"{box} .reminder",
        day,
    )
    shown = f"{box} .tag.state time:last-of-type"
    said = "return document.querySelector(arguments[0])?.dateTime"  # cards are made anew whenever something changes
    page.until(lambda: page.script(said, shown) == day)
    page.driver.refresh()
    page.until(lambda: page.script(said, shown) == day)
    page.open(f"{address}/submissions")
    page.until(lambda: len(page.texts("#deadlines li")) >= 2)
    assert page.one("#deadlines time").get_attribute("datetime") <= str(today + timedelta(days=7))
    page.click("#calendar")
    assert page.downloaded("due.ics").count("BEGIN:VEVENT") >= 2
    page.script("localStorage.clear()")
    assert page.complaints() == []


def test_a_note_follows_the_person_and_two_tabs_do_not_lose_it(page, address):
    first, _ = keep(page)
    open_kept(page)
    box = f'.person-card[data-id="{first}"]'
    page.click(f"{box} .note summary")
    page.until(lambda: page.one(f"{box} .note textarea").is_displayed())
    page.one(f"{box} .note textarea").send_keys("From this tab")
    elsewhere = page.driver.execute_async_script(
        """fetch(`/api/v1/desk/notes/${encodeURIComponent(arguments[0])}`, {method: 'PUT',
          headers: {'Content-Type': 'application/json'}, body: JSON.stringify({text: 'From another tab', revision: 0})})
          .then((answer) => arguments[1](answer.status))""",
        first,
    )
    assert elsewhere == 200
    page.click(f"{box} .note button")
    page.until(lambda: "From another tab" in page.one(f"{box} .note .problem").text)
    assert page.one(f"{box} .note textarea").get_attribute("value") == "From this tab"
    page.click(f"{box} .note button")
    page.until(lambda: page.texts(f"{box} .note-text") == ["From this tab"])
    page.open(f"{address}/api")
    page.script("sessionStorage.clear()")
    page.open(address)
    look_up(page)
    page.until(lambda: "From this tab" in page.texts("#cards .note-text"))


def test_two_tabs_change_the_same_list_without_losing_anything(page):
    first, second = keep(page)
    open_kept(page)
    with second_tab(page):
        page.until(lambda: page.all("#next .card"))
        stand(page, first, "accepted")
        page.until(lambda: standing(page)[first] == "accepted")
    stand(page, second, "invited")  # this tab did not know of the other's change
    page.until(lambda: standing(page) == {first: "accepted", second: "invited"})


def test_a_stale_tab_is_told_what_happened(page):
    first, _ = keep(page)
    open_kept(page)
    page.driver.execute_async_script(
        """const done = arguments[1], path = `/api/v1/submissions/${location.pathname.split('/')[2]}`;
        fetch(path).then((a) => a.json()).then((kept) => fetch(`${path}/reviewers/${arguments[0]}`, {method: 'PUT',
          headers: {'Content-Type': 'application/json'},
          body: JSON.stringify({state: 'declined', revision: kept.reviewers[0].revision})})).then(done)""",
        first,
    )
    stand(page, first, "accepted")
    page.until(lambda: "is now declined" in page.one("#toast").text)
    page.until(lambda: people(page, "#refused") == [first])


def test_forgetting_asks_first_and_erases(page, address):
    keep(page)
    open_kept(page)
    kept = page.driver.current_url
    page.click("#forget")
    page.click("dialog[open] button[value=no]")
    page.until(lambda: not page.all("dialog[open]"))
    page.click("#forget")
    page.click("dialog[open] .danger")
    page.until(lambda: page.driver.current_url == f"{address}/submissions")
    page.open(kept)
    page.until(lambda: "was forgotten" in page.one("#failure").text)


def test_keys_go_through_people_and_do_not_act_while_typing(page):
    look_up(page)
    page.script("document.activeElement.blur()")
    body = page.one("body")
    body.send_keys("j")
    page.driver.switch_to.active_element.send_keys("j")
    second = page.script("return document.activeElement.dataset.id")
    assert second == people(page, "#cards")[1]
    page.driver.switch_to.active_element.send_keys("s")
    page.until(lambda: page.all("#cards .card:nth-child(2).listed"))
    page.driver.switch_to.active_element.send_keys("/")
    assert page.script("return document.activeElement.id") == "title"
    page.one("#title").send_keys("x")
    assert len(people(page, "#cards")) == 10
    page.script("document.activeElement.blur()")
    body.send_keys("?")
    page.until(lambda: page.all("dialog[open] kbd"))
    page.click("#shortcuts-on")
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    page.until(lambda: not page.all("dialog[open]"))
    page.script("document.activeElement.blur()")
    body.send_keys("j")
    assert page.script("return document.activeElement === document.body || document.activeElement.id !== ''")
    page.script("localStorage.clear()")


def test_a_panel_is_printed_without_controls(page):
    keep(page)
    open_kept(page)
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        for hidden in (".top", "#forget", "#next", ".standing", ".invite", ".about"):
            assert not page.one(hidden).is_displayed(), hidden
        assert page.one("#title").is_displayed()
        assert len([one for one in page.all("#panel .paper") if one.is_displayed()]) > 2
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_titles_and_names_are_text_whatever_they_say(tmp_path, window):
    evil = '<img src=x onerror="window.broken = true"> coral'
    workspace = make_workspace(tmp_path, [paper("p1", at("a1", name="<b>Mallory</b>"), title=evil)])
    with running(start_service(workspace)) as address:
        window.look(1440, 1000)
        window.open(address)
        asked = f"{evil} reefs"
        window.one("#title").send_keys(asked, Keys.CONTROL, Keys.ENTER)
        settled(window)
        window.click("#cards .shortlisted")
        window.until(lambda: window.all("#shortlist li"))
        window.click("#keep")
        window.until(lambda: window.one("#kept-link").is_displayed())
        window.click("#kept-link")
        window.until(lambda: window.all("#panel .paper"))
        assert window.texts("#title") == [asked]
        assert window.texts("#panel h3") == ["<b>Mallory</b>"]
        window.click(".note summary")
        window.one(".note textarea").send_keys("<i>note</i>")
        window.click(".note button")
        window.until(lambda: window.texts(".note-text") == ["<i>note</i>"])
        window.open(f"{address}/submissions")
        window.until(lambda: window.texts("#submissions a") == [asked])
        assert window.script("return window.broken === undefined")


def test_a_report_is_imported_and_then_who_rests_is_left_out_and_who_edited_can_handle_it(page, address, tmp_path):
    look_up(page)
    best, second, editor = people(page, "#cards")[:3]
    day = (date.today() - timedelta(days=20)).isoformat()
    near = f'"{SAMPLE.title}","{SAMPLE.abstract}",{day}'
    rows = [
        f"{best},reviewer,j-1,{near}",
        f"{second},reviewer,j-2,Other,Other,2001-01-01",
        f"{editor},editor,j-1,{near}",
    ]
    report = tmp_path / "report.csv"
    report.write_text("\n".join(["person,role,paper,title,abstract,submitted", *rows, "x,reviewer,j-3,,,soon"]))
    page.open(f"{address}/submissions")
    page.script("document.querySelector('#history').open = true")
    page.one("#report-file").send_keys(str(report))
    page.until(lambda: "3 reviews read" in page.one("#imported").text)
    assert "line 5: submitted: 'soon' is not a day" in page.one("#imported").text

    page.open(address)
    page.click("#clear")
    look_up(page)
    opener = f'.card[data-id="{best}"] .opener'
    page.click(opener)
    assert "Reviewed 1 paper, 1 near this one" in page.one(f'.card[data-id="{best}"] .evidence').text
    assert page.one("#newcomers").get_attribute("value") == "4"
    page.script("document.querySelector('#submission .options').open = true")
    page.one("#rest").send_keys("90")
    page.click("#submission .primary")
    page.until(lambda: best not in people(page, "#cards"))
    settled(page)
    assert second in people(page, "#cards")

    page.click("#keep")
    page.until(lambda: page.one("#kept-link").is_displayed())
    open_kept(page)
    page.click("#handling summary")
    page.until(lambda: page.texts("#handlers li"))
    assert editor in unquote(page.one("#handlers a").get_attribute("href"))
    assert "edited 1 paper, 1 near this one" in page.texts("#handlers li")[0]
    assert page.complaints() == []
