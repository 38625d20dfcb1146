"""Whether the chair's desk stays usable at 5,000 submissions × 10,000 reviewers: a real server, a real browser.

    python benchmarks/desk.py [--submissions 5000] [--reviewers 10000] [--keep 50] [--times 5]

The scores are invented: of each submission and of each reviewer the `--keep` best of random topics. The assignment is
the greatest total of three reviews per submission. Each of the two pages is opened once after its own server has
started, when files have to be read, then `--times` times again. Printed are

- `first paint`: Chromium's first-contentful-paint since the navigation began. Aim: 1 s;
- `first rows`: until the first row of the list has its text;
- `search`: from typing to the rows of the answer;
- `rows in the page`: the most at any time while the list is scrolled through from top to end. Bar: 200;
- `memory`: of the browser process that renders the page (private pages) after all that. Bar: 300 MB. Beside it the
  JavaScript heap;
- `server`: the resident memory of the server, idle after its start and the most while the page was used; and the most
  while it took the files and made the assignment.

Needs chromium with chromedriver and the default model (the workspace is the demo's). Everything stays on loopback.
Exits with 1 where a bar is missed.
"""

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import numpy as np
from rich.console import Console
from rich.table import Table
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from panelist.app.demo.workspace import demo_workspace

MOST_ROWS, MOST_MEMORY, AIM = 200, 300.0, 1.0
TOPICS = 40
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1440,1000")
BINARY = {"Content-Type": "application/octet-stream"}
# Notes when the first row has its text, and the most rows that were ever there.
OBSERVER = """
new MutationObserver(() => {
  const rows = document.querySelectorAll('.window-row');
  window.mostRows = Math.max(window.mostRows ?? 0, rows.length);
  const first = document.querySelector('.rows .window-body .window-row');
  if (first && first.textContent !== '…') window.firstRow ??= performance.now();
}).observe(document, {childList: true, subtree: true});
"""
PAGES = {"/people": ("#search", "r17"), "": ("#search", "topic 17")}
"""Each page with the box that searches its list, and what is looked for."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One page: (first paint, first row) in seconds after the start and again, and what it takes."""

    cold: tuple[float, float]
    warm: tuple[float, float]
    search: float
    rows: int
    memory: float
    heap: float
    server: tuple[float, float]

    def cells(self) -> list[str]:
        """For the table."""
        times = [f"{cold:.2f} s, then {warm:.2f} s" for cold, warm in zip(self.cold, self.warm, strict=True)]
        server = f"{self.server[0]:.0f} MB, at most {self.server[1]:.0f} MB"
        page = f"{self.memory:.0f} MB (heap {self.heap:.0f} MB)"
        return [*times, f"{self.search:.2f} s", str(self.rows), page, server]


def main() -> None:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=5_000)
    parser.add_argument("--reviewers", type=int, default=10_000)
    parser.add_argument("--keep", type=int, default=50)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="panelist-desk-") as folder:
        workspace = demo_workspace(Path(folder) / "workspace")
        scores = invent(options.submissions, options.reviewers, options.keep)
        titles = "".join(f"s{i},Submission {i} on topic {i % TOPICS},\n" for i in range(options.submissions))
        with serving(workspace.path) as (address, process):
            path = make_conference(address, scores, f"id,title,abstract\n{titles}")
            making = server_memory(process)[1]
        found = [measure(workspace.path, f"{path}{page}", *sought, options.times) for page, sought in PAGES.items()]
    table = Table("", "people", "papers", "bar")
    names = ["first paint", "first rows", "search", "rows in the page", "memory", "server"]
    bars = [f"aim {AIM} s", "", "", f"≤ {MOST_ROWS}", f"≤ {MOST_MEMORY:.0f} MB", ""]
    for line in zip(names, *(one.cells() for one in found), bars, strict=True):
        table.add_row(*line)
    pairs = scores.count("\n")
    Console().print(
        f"{options.submissions:,} submissions × {options.reviewers:,} reviewers, {pairs:,} scores; times after the "
        f"start, then again (median of {options.times}); the server took {making:.0f} MB while it made the assignment",
        table,
    )
    sys.exit(int(any(one.rows > MOST_ROWS or one.memory > MOST_MEMORY for one in found)))


def measure(workspace: Path, page: str, box: str, word: str, times: int) -> Measured:
    """Everything about one page, with a server and a browser of its own."""
    with serving(workspace) as (address, process), browsing() as driver:
        idle = server_memory(process)[0]
        cold = look(driver, f"{address}{page}")
        warm = [look(driver, f"{address}{page}") for _ in range(times)]
        paint, row = (statistics.median(values) for values in zip(*warm, strict=True))
        searched = search(driver, box, word)
        rows = scroll(driver)
        memory, heap = renderer_memory(driver), heap_size(driver)
        return Measured(cold, (paint, row), searched, rows, memory, heap, (idle, server_memory(process)[1]))


def invent(submissions: int, reviewers: int, keep: int) -> str:
    """Scores of topics: the best pairs of each submission and of each reviewer, as a CSV file."""
    dice = np.random.default_rng(7)
    of_submission, of_reviewer = (dice.dirichlet(np.full(TOPICS, 0.1), count) for count in (submissions, reviewers))
    matrix = (of_submission @ of_reviewer.T).astype(np.float32)
    kept = np.zeros(matrix.shape, dtype=np.bool_)
    best = np.argpartition(-matrix, keep, axis=1)[:, :keep]
    np.put_along_axis(kept, best, True, axis=1)
    best = np.argpartition(-matrix, keep, axis=0)[:keep]
    np.put_along_axis(kept, best, True, axis=0)
    rows, columns = np.nonzero(kept)
    values = matrix[rows, columns]
    return "".join(f"s{row},r{column},{value:.5f}\n" for row, column, value in zip(rows, columns, values, strict=True))


def make_conference(address: str, scores: str, submissions: str) -> str:
    """A conference with these files and an assignment; the path of its pages."""
    with httpx2.Client(base_url=f"{address}/api/v1/", timeout=300) as api:
        made = api.post("conferences", json={"name": "Invented, large"}).json()["id"]
        for kind, text in (("scores", scores), ("submissions", submissions)):
            answer = api.put(f"conferences/{made}/files/{kind}", content=text.encode(), headers=BINARY)
            answer.raise_for_status()
        settings = {"method": "total", "alternates": 2}
        begun = api.post(f"conferences/{made}/solutions", json={"settings": settings}).json()
        solution = f"conferences/{made}/solutions/{begun['number']}"
        while (state := api.get(solution).json()["state"]) in ("waiting", "running"):
            time.sleep(0.2)
        if state != "done":
            sys.exit(f"the assignment is {state}")
        api.post(f"{solution}/choose").raise_for_status()
    return f"/conferences/{made}"


@contextmanager
def serving(workspace: Path) -> Iterator[tuple[str, int]]:
    """A server in a process of its own; its address, and the id of the process."""
    command = [sys.executable, "-m", "panelist", "serve", "--workspace", str(workspace), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            shown = (re.search(r"http://[\d.]+:\d+", line) for line in process.stdout or ())
            yield next(found[0] for found in shown if found), process.pid
        finally:
            process.terminate()


@contextmanager
def browsing() -> Iterator[webdriver.Chrome]:
    """A headless browser that counts rows."""
    chromium, driver_path = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver_path):
        sys.exit("no chromium with chromedriver (Debian: apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(driver_path))
    try:
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": OBSERVER})
        yield driver
    finally:
        driver.quit()


def look(driver: webdriver.Chrome, page: str) -> tuple[float, float]:
    """Open the page: seconds to the first paint and to the first row."""
    driver.get("about:blank")
    driver.get(page)
    row = wait(driver, "return window.firstRow")
    paint = wait(driver, "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
    return paint / 1000, row / 1000


def search(driver: webdriver.Chrome, box: str, word: str) -> float:
    """Search for a word: seconds until there are only rows that have it."""
    driver.execute_script(
        "window.began = performance.now(); const s = document.querySelector(arguments[0]); s.value = arguments[1];"
        "s.dispatchEvent(new Event('input', {bubbles: true}));",
        *(box, word),
    )
    answered = (
        "const r = [...document.querySelectorAll('.rows .window-body .window-row')];"
        f"const found = r.length && r.every(x => x.textContent.includes('{word}'));"
        "return found ? performance.now() - window.began : null"
    )
    took = wait(driver, answered)
    driver.execute_script(
        "const s = document.querySelector(arguments[0]); s.value = '';"
        "s.dispatchEvent(new Event('input', {bubbles: true}))",
        box,
    )
    return took / 1000


def scroll(driver: webdriver.Chrome) -> int:
    """Scroll through all rows; the most that were in the page at any time."""
    for part in range(201):
        driver.execute_script(
            "const w = document.querySelector('.rows .window'); w.scrollTop = arguments[0] * w.scrollHeight / 200", part
        )
        time.sleep(0.02)
    return int(wait(driver, "return window.mostRows"))


def wait(driver: webdriver.Chrome, code: str) -> float:
    """Until the code returns something."""
    deadline = time.monotonic() + 120
    while (found := driver.execute_script(code)) is None or found is False:
        if time.monotonic() > deadline:
            sys.exit(f"the page does not come: {code}")
        time.sleep(0.01)
    return float(found)


def heap_size(driver: webdriver.Chrome) -> float:
    """The JavaScript heap in megabytes."""
    driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next((one["value"] for one in metrics if one["name"] == "JSHeapUsedSize"), 0.0) / 1e6


def renderer_memory(driver: webdriver.Chrome) -> float:
    """The private memory of the largest renderer of this browser, in megabytes."""
    driver.execute_cdp_cmd("Performance.enable", {})
    sizes = [private_memory(process) for process in descendants(driver.service.process.pid) if is_renderer(process)]
    return max(sizes)


def descendants(root: int) -> set[int]:
    """A process and all below it."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        parents[int(status.parent.name)] = int(fields[1])
    found = {root}
    while more := {process for process, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def is_renderer(process: int) -> bool:
    """Whether this process renders pages."""
    return b"--type=renderer" in Path(f"/proc/{process}/cmdline").read_bytes()


def server_memory(process: int) -> tuple[float, float]:
    """The resident memory of a process, now and the most, in megabytes."""
    sizes = dict(re.findall(r"(Vm\w+):\s+(\d+) kB", Path(f"/proc/{process}/status").read_text()))
    return int(sizes["VmRSS"]) / 1e3, int(sizes["VmHWM"]) / 1e3


def private_memory(process: int) -> float:
    """Pages that no other process shares, in megabytes."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text()
    return sum(int(size) for size in re.findall(r"Private_\w+:\s+(\d+) kB", text)) / 1e3


if __name__ == "__main__":
    main()
