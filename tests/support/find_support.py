"""What an editor does on the page that finds reviewers, in a real browser."""

from selenium.webdriver.common.keys import Keys

from panelist.app.demo import corpus, submissions


def opened(window, address):
    """The page as it is in a new tab, over the demo's corpus."""
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


def paste(page, text):
    page.script(
        """const data = new DataTransfer(); data.setData('text', arguments[0]);
        author.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, cancelable: true}))""",
        text,
    )
