"""The page that checks reviews, in a real browser: upload, choose a sentence, filter by aspect, export."""

import csv
import io

import pytest
from browser_support import needs_browser
from chair_support import ROW
from selenium.webdriver.common.keys import Keys

from panelist.app.web.app import STATIC

pytestmark = [pytest.mark.browser, needs_browser]


@pytest.fixture
def page(window, address):
    window.look(1440, 1000)
    window.open(f"{address}/reviews")
    return window


def upload(page, file=STATIC / "sample-review-texts.csv"):
    page.one("#file").send_keys(str(file))
    page.until(lambda: page.script("return !document.querySelector('#result').hidden"))
    return page.one("#result .lead").text


def test_reviews_are_read_and_their_sentences_coloured(page):
    assert upload(page).startswith("9 reviews of 3 papers")
    page.until(lambda: page.texts(f"{ROW} > span:first-child") == ["paper-1", "paper-2", "paper-3"])
    seen = {"positive": 0, "negative": 0}
    for number in (1, 2, 3):
        page.click(f"{ROW}:nth-child({number})")
        page.until(lambda number=number: page.texts(".reviews h2") == [f"paper-{number}"])
        seen = {kind: count + len(page.all(f".sentence.{kind}")) for kind, count in seen.items()}
    assert min(seen.values()) >= 5
    assert any("disagreement on" in text or text != "–" for text in page.texts(f"{ROW} > span:last-child"))
    assert page.complaints() == []


def test_a_sentence_that_is_chosen_says_how_it_was_tagged(page):
    upload(page)
    page.one(".sentence.negative").send_keys(Keys.ENTER)  # the middle of a sentence over two lines is beside it
    detail = page.texts(".sentence-detail p")
    assert detail[1].startswith("Polarity: negative (")
    assert page.one(".sentence.negative").get_attribute("aria-pressed") == "true"


def test_every_claim_of_a_disagreement_leads_to_its_sentence(page):
    upload(page)
    page.script("document.querySelector('.disputes').open = true")
    link = page.one(".disputes [data-to]")
    link.send_keys(Keys.ENTER)
    pressed = page.all('.sentence[aria-pressed="true"]')
    assert [sentence.get_attribute("data-sentence") for sentence in pressed] == [link.get_attribute("data-to")]
    assert page.texts(".sentence-detail p")[1].startswith(("Polarity: positive", "Polarity: negative"))


def test_sentences_are_filtered_by_aspect(page):
    upload(page)
    page.script("aspect.value = 'CLA'; aspect.dispatchEvent(new Event('change'))")
    lit = page.script("return [...document.querySelectorAll('.sentence:not(.dimmed)')].map(e => e.dataset.aspects)")
    assert lit
    assert all("CLA" in aspects.split() for aspects in lit)
    page.script("aspect.value = ''; aspect.dispatchEvent(new Event('change'))")
    assert page.all(".sentence.dimmed") == []


def test_only_the_chairs_export_has_flags(page):
    upload(page)
    page.click('[data-export="authors"]')
    authors = page.downloaded("reviews-authors.csv")
    assert len(list(csv.DictReader(io.StringIO(authors)))) == 9
    assert "~Ada" not in authors
    page.click('[data-export="chair"]')
    chair = list(csv.DictReader(io.StringIO(page.downloaded("reviews-chair.csv"))))
    assert chair[0]["reviewer"] == "~Ada"
    assert any("only" in row["flags"] for row in chair)


def test_hints_come_on_request_with_their_error_rates(page):
    upload(page)
    assert "never verdicts" not in page.one("#result").text
    page.click("#hints")
    page.until(lambda: "never verdicts" in page.one("#result").text)
    assert "not measured" in page.one("#result").text


def test_a_file_that_cannot_be_used_is_told_by_its_line(page, tmp_path):
    file = tmp_path / "reviews.csv"
    file.write_text("paper,text\np1,Fine.\n,No paper.\n")
    page.one("#file").send_keys(str(file))
    page.until(lambda: page.one("#problem").is_displayed())
    assert page.one("#problem").text.startswith("the file, line 3: the paper is empty")


def test_hostile_texts_stay_texts(page, tmp_path):
    file = tmp_path / "reviews.csv"
    file.write_text('paper,text\n"<img src=x onerror=alert(1)>","The method <script>alert(2)</script> is not clear."\n')
    upload(page, file)
    assert page.all("#result img, #result script") == []
    assert page.texts(".reviews h2") == ["<img src=x onerror=alert(1)>"]
