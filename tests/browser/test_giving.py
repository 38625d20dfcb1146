"""What an editor gives of a manuscript, in a browser: names, files, a DOI or a record; and what is wrong with it."""

import json
import textwrap

import pytest
from browser_support import needs_browser
from find_support import opened, paste, search, settled
from panel_support import at, paper
from selenium.webdriver.common.keys import Keys
from web_support import make_workspace, pdf, running, start_service

from panelist.app import limits
from panelist.app.demo import corpus, submissions

pytestmark = [pytest.mark.browser, needs_browser]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    return start_service(make_workspace(tmp_path_factory.mktemp("web")))


@pytest.fixture
def page(window, address):
    return opened(window, address)


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
        (11, "Ada Nobody and Grace Unknown"),
        (10, "Abstract"),
        (10, "We measured tides and plankton."),
        (10, "Introduction"),
    ]
    file.write_bytes(pdf(*lines))
    page.one("#pdf").send_keys(str(file))
    page.until(lambda: page.one("#title").get_attribute("value") == "Tides stir the sea")
    assert page.one("#abstract").get_attribute("value") == "We measured tides and plankton."
    absent = [f"{name}not in the corpus×" for name in ("Ada Nobody", "Grace Unknown")]
    page.until(lambda: page.texts("#authors li.absent") == absent)
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


def test_mistakes_are_shown_at_their_field(page):
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


def test_a_doi_pasted_as_the_title_fills_the_form(page):
    known = next(paper for paper in corpus() if paper.doi and paper.abstract)
    page.click("#paste summary")
    page.one("#record").send_keys("10.5555/nobody-knows-this", Keys.ENTER)
    page.until(lambda: "this server asks nobody else" in page.one("#record-answer").text)
    page.script(
        """const data = new DataTransfer(); data.setData('text', arguments[0]);
        title.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, cancelable: true}))""",
        known.doi,
    )
    page.until(lambda: page.one("#title").get_attribute("value") == known.title)
    assert page.one("#abstract").get_attribute("value") == known.abstract
    assert len(page.all("#authors li")) == len(known.authorships)
    assert not page.one("#record").is_displayed()
    assert page.complaints() == []


def test_a_record_gives_orcids_and_institutions_to_the_look_up(page):
    orcid, ror = "https://orcid.org/0000-0002-1825-0097", "https://ror.org/05gq02987"
    work = {
        "id": "https://openalex.org/W77",
        "title": "Stars and planets",
        "authorships": [
            {
                "author": {"id": "https://openalex.org/A77", "display_name": "Ada Nobody", "orcid": orcid},
                "institutions": [{"display_name": "Nowhere University", "ror": ror, "country_code": "NO"}],
            }
        ],
    }
    page.click("#paste summary")
    page.script("record.value = arguments[0]; resolve.click()", json.dumps(work))
    page.until(
        lambda: page.one("#title").get_attribute("value") == "Stars and planets" and page.all("#authors .absent")
    )
    page.script(
        "const ask = fetch; window.sent = [];"
        "window.fetch = (path, asked) => { sent.push(asked.body); return ask(path, asked); }"
    )
    page.click("#submission .primary")
    settled(page)
    asked = json.loads(page.script("return sent.find((body) => body?.includes('submission'))"))["submission"]
    assert [(one["name"], one["orcid"]) for one in asked["authors"]] == [("Ada Nobody", orcid)]
    assert [(one["name"], one["ror"]) for one in asked["institutions"]] == [("Nowhere University", ror)]
    assert page.one("#checked").text.startswith("Only institutions were checked: 0 of 1 author matched · 1 not in")


def test_the_page_names_the_host_before_it_is_asked(tmp_path, window, server, monkeypatch):
    monkeypatch.setenv("PANELIST_OPENALEX_URL", server.url)
    work = {"id": "https://openalex.org/W1", "title": "From afar", "abstract": "Text", "authorships": []}
    server.answer = lambda path, query: (200, {}, json.dumps(work).encode())
    workspace = make_workspace(tmp_path, [paper("p1", at("a1"))])
    with running(start_service(workspace), online=True) as address:
        window.look(1440, 1000)
        window.open(address)
        window.click("#paste summary")
        window.one("#record").send_keys("10.5555/afar", Keys.ENTER)
        window.until(lambda: window.all("#record-elsewhere"))
        assert "127.0.0.1 may know it: only this DOI would be sent there" in window.one("#record-answer").text
        assert server.asked == []
        window.click("#record-elsewhere")
        window.until(lambda: window.one("#title").get_attribute("value") == "From afar")
        assert len(server.asked) == 1


def test_somebody_called_like_an_author_is_on_no_panel_until_the_editor_says_so(page):
    search(page, authors=False)
    named = page.texts("#cards h3")[1]
    page.one("#author").send_keys(named, Keys.ENTER)
    page.until(lambda: page.all("#authors .waiting"))
    page.click("#submission .primary")
    page.until(lambda: page.texts("#held p") == ["1 person may be an author, and is not on the panel:"])
    settled(page)
    assert named not in page.texts("#cards h3")
    page.click(f'#held [aria-label="{named} is another person"]')
    page.until(lambda: named in page.texts("#cards h3"))
    assert not page.one("#held").is_displayed()
