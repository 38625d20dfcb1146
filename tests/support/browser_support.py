"""A real headless browser: Debian's chromium with its driver, nothing downloaded, nothing asked of the network."""

import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from waiting import PATIENCE, until

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

needs_browser = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="no chromium with chromedriver (Debian: apt-get install chromium chromium-driver)"
)
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)


@contextmanager
def browser(directory):
    """A browser with an empty profile in `directory`, which downloads into `directory/downloads`."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*_FLAGS, f"--user-data-dir={directory / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        downloads = directory / "downloads"
        downloads.mkdir(exist_ok=True)
        driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
        yield Page(driver, downloads)
    finally:
        driver.quit()


@contextmanager
def second_tab(page):
    """Another tab with the same page; afterwards the first one is in front again."""
    first, address = page.driver.current_window_handle, page.driver.current_url
    page.driver.switch_to.new_window("tab")
    page.open(address)
    try:
        yield
    finally:
        page.driver.close()
        page.driver.switch_to.window(first)


_UNSEEN = """const seen = (window.messagesSeen ??= new Map());
return [...document.querySelectorAll('[role=alert], #toast, .failure')].filter((box) => {
  const said = box.checkVisibility() && !box.classList.contains('visually-hidden') ? box.textContent.trim() : '';
  if (seen.get(box) === said) return false;
  seen.set(box, said);
  const {top, bottom, left, right} = box.getBoundingClientRect();
  return said && !(bottom > 8 && top < innerHeight - 8 && right > 8 && left < innerWidth - 8);
}).map((box) => `outside the window: ${box.textContent.trim()}`)"""


class Page:
    """What a person does with a page; whatever a page says to them must be inside the window."""

    def __init__(self, driver, downloads):
        self.driver, self.downloads = driver, downloads
        self.look(1440, 1000)

    def open(self, address):
        self.driver.get_log("browser")
        self.driver.get(address)

    def look(self, width, height, *, dark=False):
        """Change the size of the window and the colours that the user prefers."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme, still]})

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.trim())", selector
        )

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def until(self, condition):
        """Wait until `condition()` is true, and return what it is; an element that is not there makes it false."""
        waiting = WebDriverWait(self.driver, PATIENCE, 0.05, [StaleElementReferenceException])
        reached = waiting.until(lambda _: condition())
        self.see_messages()
        return reached

    def see_messages(self):
        """Check that what the page says since the last look is said inside the window."""
        assert self.script(_UNSEEN) == []

    def click(self, selector):
        self.see_messages()
        try:
            self._click(selector)
        except StaleElementReferenceException:  # the page wrote it again meanwhile; a person does not notice
            self._click(selector)

    def _click(self, selector):
        element = self.one(selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def downloaded(self, name):
        """The text of a file that is being downloaded."""
        path = self.downloads / name
        until(lambda: path.exists() and path.stat().st_size)  # the name is taken before the content is there
        text = path.read_text()
        path.unlink()
        return text

    def complaints(self):
        """What the browser's console says that is no mere information."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def low_contrasts(self):
        """Visible texts whose contrast to their ground is below 4.5 (WCAG 2 AA), large ones excepted."""
        return self.script(Path(__file__).with_name("contrast.js").read_text())

    def nameless_controls(self):
        """Controls that a screen reader could not name."""
        return self.script(
            """return [...document.querySelectorAll('input:not([hidden]), select, textarea, button, a[href]')]
            .filter(e => e.getClientRects().length && !(e.labels && e.labels.length) && !e.getAttribute('aria-label')
              && !e.textContent.trim())
            .map(e => e.outerHTML)"""
        )

    def overflow(self):
        """By how many pixels the page is wider than the window; the `innerWidth` of a phone grows with the page."""
        return self.script("const page = document.documentElement; return page.scrollWidth - page.clientWidth")
