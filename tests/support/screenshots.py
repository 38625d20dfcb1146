"""The pictures of the README, of the demo and of nothing else: screenshots.py WORKSPACE DIRECTORY."""

import shutil
import sys
import tempfile
from pathlib import Path

from browser_support import browser
from PIL import Image
from web_support import running

from panelist.app.demo import corpus, submissions
from panelist.app.web.service import FinderService
from panelist.workspace import Workspace

SAMPLE = submissions()[1]


ANSWERS = "return performance.getEntriesByType('resource').filter(e => e.name.endsWith('/reviewers')).length"


def find(page, address):
    """A panel for a sample submission, with some diversity; nothing of an earlier one is in the tab."""
    page.open(f"{address}/api")
    page.script("sessionStorage.clear()")
    page.open(address)
    page.until(lambda: page.all("#examples button"))
    page.script("document.querySelectorAll('#examples button')[2].click()")
    page.until(lambda: page.all("#cards .card"))
    page.script("diversity.value = 0.1; diversity.dispatchEvent(new Event('input'))")
    page.until(lambda: page.script(ANSWERS) > 1 and page.script("return !panel.classList.contains('updating')"))


def submission(page, address):
    """The same, kept, with invitations and a decline."""
    find(page, address)
    for number in (1, 2, 3):
        page.click(f"#cards .card:nth-child({number}) .shortlisted")
        page.until(lambda number=number: len(page.all("#shortlist li")) == number)
    page.click("#keep")
    page.until(lambda: page.one("#kept-link").is_displayed())
    page.click("#kept-link")
    for number, state in ((0, "accepted"), (1, "invited"), (2, "declined")):
        person = page.until(lambda number=number: page.script(PERSON, number))
        page.script(STAND, person, state)
        page.until(lambda person=person, state=state: page.all(f'.state-{state}[data-id="{person}"]'))
    page.until(lambda: page.all("#next .card"))


PERSON = "return [...document.querySelectorAll('.person-card')].map(e => e.dataset.id).sort()[arguments[0]]"
STAND = """const box = document.querySelector(`.person-card[data-id="${arguments[0]}"] .stands`);
box.value = arguments[1]; box.dispatchEvent(new Event('change'))"""


def person(page, address):
    """Somebody who wrote a lot."""
    counts = {}
    for paper in corpus():
        for one in paper.authorships:
            counts[one.author.id] = counts.get(one.author.id, 0) + 1
    page.open(f"{address}/people/{max(counts, key=lambda one: (counts[one], one))}")
    page.until(lambda: page.all("#topics svg") and page.all("#note details"))


def tab(page, address, name, there):
    """A page of the demo's conference."""
    page.open(f"{address}/conferences")
    page.until(lambda: page.all("#list a"))
    page.click("#list a")
    if name:
        page.until(lambda: page.all(f".tabs a[href$={name}]"))
        page.click(f".tabs a[href$={name}]")
    page.until(lambda: page.all(there))


def evaluation(page, address):
    """Calibrated scores of the demo's conference."""
    tab(page, address, "calibration", "#result .lead")


def conference(page, address):
    """The papers of the demo's conference, with who reviews them."""
    tab(page, address, "", "#rows .window-body .window-row > span + span")


def assignment(page, address):
    """Two solutions of the same conference side by side."""
    tab(page, address, "assignment", "#sides .plot")


PICTURES = {
    "find": (find, 1440, 1000),
    "submission": (submission, 1280, 1000),
    "person": (person, 1280, 900),
    "conference": (conference, 1440, 1100),
    "assignment": (assignment, 1440, 1700),
    "evaluation": (evaluation, 1440, 1000),
}
"""name -> what is shown, width and height in pixels."""


def main(workspace: Path, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "demo"  # what is kept for the pictures does not stay
        shutil.copytree(workspace, copy, ignore=shutil.ignore_patterns("jobs"))
        service = FinderService(Workspace.at(copy), seconds=3600)
        service.start()
        with service.finder() as finder:
            if finder.corpus.counts().papers != len(corpus()):
                sys.exit(f"'{workspace}' is not the demo's: run 'make demo' first")
        with running(service) as address, browser(Path(scratch)) as page:
            for name, (show, width, height) in PICTURES.items():
                page.look(width, height)
                show(page, address)
                page.until(lambda: page.one("#toast").get_attribute("hidden") is not None)
                page.script("document.activeElement.blur(); scrollTo(0, 0)")
                taken = Path(scratch) / f"{name}.png"
                page.driver.save_screenshot(str(taken))
                Image.open(taken).convert("RGB").save(directory / f"{name}.webp", quality=80, method=6)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
