"""What serving costs beside the searches, and whether it holds under load: ratios within one run, which have to hold.

    python benchmarks/serve.py [--workspace DIR] [--limit PAPERS] [--queries 60] [--clients 50] [--seconds 60]

- `after encoding`: the server's time for a warm `POST /reviewers`, from the request to the bytes of the answer, less
  the encoding of the query, against Lucene and FAISS searched directly with the same text, turn by turn. At most 1.5.
  Beside it, without a bar: the same over the wire, and a request as the page makes it (λ = 0.3, with quotations).
- `with a session`: by how much a small request (`GET /info`) takes longer once there are users, for one who has signed
  in, on the same server; a session is proven alike for every route, so it is told as a share of the look-up over the
  wire. At most 1.1.
- `load`: that many clients at once for that long. No request may fail, and the server's memory must stay flat: in the
  last quarter of the time at most 1.1 of what it was in the second.
- `event loop`: how long `GET /` takes meanwhile, asked from a process of its own ten times per second: the page is in
  memory and needs no thread, so all but a millisecond of it is the time for which something kept the event loop. Once
  under that load, once while a calibration and the largest affinity request with a duplicate are sent again and again.
- `result`: by how much the server's memory grows while a job of 945,000 pairs is scored and written, and while its
  result is sent, beside the size of that JSON. Without a bar: the suite tests that neither grows with the pairs.

The index is that of `--workspace`, else eLife and the ACL Anthology (`PANELIST_DATA`), built once into the cache by the
normal path, with as many papers as `--limit` says. Everything stays on loopback. Exits with 1 where a bar is missed.
"""

import argparse
import asyncio
import re
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path
from secrets import token_urlsafe
from tempfile import TemporaryDirectory

import httpx2
import numpy as np
from rich.console import Console
from rich.table import Table

from indexing.index import Index, open_index
from indexing.jobs.build import IndexJobs
from indexing.jobs.generations import current_generation
from indexing.text import Text
from panelist.app import limits
from panelist.app.access.roles import Role
from panelist.app.access.users import Users
from panelist.app.web.app import STATIC
from panelist.config import cache_dir, data_dir
from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport
from panelist.workspace import Workspace
from retriever.search import Search

RATIO, GROWTH, SIGNED = 1.5, 1.1, 1.1
SETS = ("elife", "acl")
PAIRS = 945_000


def main() -> None:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    workspace = Workspace.at(options.workspace) if options.workspace else prepare(options.limit)
    table = Table("what", "measured", "against", "ratio", "bar", box=None, header_style="dim", pad_edge=False)
    met = True
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as observer,
        serving(workspace) as (address, process),
        open_index(workspace.index_path) as index,
    ):
        texts = sample(workspace, index, options.queries + 500)
        server, wire, page, raw = after_encoding(address, index, texts[: options.queries])
        met &= server / raw <= RATIO
        against = f"Lucene + FAISS {raw:.1f} ms"
        for what, took, bar in (
            ("", server, f"≤ {RATIO}"),
            (", over the wire", wire, ""),
            (", as the page asks", page, ""),
        ):
            table.add_row(f"after encoding{what}", f"{took:.1f} ms", against, f"{took / raw:.2f}", bar)
        cost = session_cost(workspace)
        met &= (wire + cost) / wire <= SIGNED
        ratio = f"{(wire + cost) / wire:.3f}"
        table.add_row("with a session", f"{cost:+.2f} ms", f"over the wire {wire:.1f} ms", ratio, f"≤ {SIGNED}")
        watching = observer.submit(loop_lags, address, options.seconds)
        load = asyncio.run(under_load(address, process.pid, texts[options.queries :], options.clients, options.seconds))
        statuses, durations, memory = load
        lags = watching.result()
        failed = sum(count for status, count in statuses.items() if status != "200")
        met &= failed == 0
        rate = f"{statuses.total() / options.seconds:.0f} per second"
        table.add_row(f"{options.clients} clients, {options.seconds:.0f} s", f"{failed} failed", rate, "", "0 failed")
        middle, end = (statistics.median(part) for part in (quarter(memory, 1), quarter(memory, 3)))
        met &= end <= GROWTH * middle
        table.add_row("memory", f"{end:,.0f} MB", f"{middle:,.0f} MB before", f"{end / middle:.3f}", f"≤ {GROWTH}")
        spread = ", ".join(f"{name} {np.quantile(durations, q):.0f} ms" for name, q in (("median", 0.5), ("p95", 0.95)))
        table.add_row("waiting under that load", spread, "", "", "")
        table.add_row("event loop, under that load", lag_words(lags), "", "", "")
        table.add_row("event loop, hostile requests", lag_words(under_attack(address, options.seconds / 4)), "", "", "")
        made, sent, size = job_memory(address, process.pid, index.ownership.author_ids.all(), texts)
        measured = f"+{made:.0f} MB while made, +{sent:.0f} MB while sent"
        table.add_row(f"result of {PAIRS:,} pairs", measured, f"{size:.0f} MB of JSON", "", "")
    console = Console(highlight=False, width=140)
    console.print(table)
    console.print(f"{index.manifest.counts.papers:,} papers, statuses {dict(statuses)}", style="dim")
    sys.exit(0 if met else 1)


def prepare(limit: int | None) -> Workspace:
    """The workspace of the real papers, imported and indexed where that has not been done."""
    workspace = Workspace.at(cache_dir() / "benchmarks" / f"serve-{limit or 'all'}")
    if current_generation(workspace.index_path) is None:
        files = [sorted((data_dir() / name / "works").glob("*.jsonl.gz")) for name in SETS]
        with workspace.open_corpus(create=True) as corpus:
            corpus.upsert(islice(openalex.read(list(chain(*files)), ReadReport()), limit))
            IndexJobs(workspace.index_path).build(corpus)
    return workspace


@contextmanager
def serving(workspace: Workspace, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The real command on a free port of this machine."""
    command = [sys.executable, "-m", "panelist", "serve", "--workspace", str(workspace.path), "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stderr.readline() if process.stderr else ""
        found = re.search(r"http://\S+", line)
        if found is None:
            sys.exit(f"the server does not start: {line.strip()}")
        threading.Thread(target=process.communicate, daemon=True).start()  # nobody waits for a full pipe
        yield found[0], process
    finally:
        process.terminate()
        process.wait(timeout=60)


def sample(workspace: Workspace, index: Index, count: int) -> list[Text]:
    """Papers of the corpus as queries, evenly spaced and numbered: no two are the same, so nothing is remembered."""
    units = np.linspace(0, len(index.units) - 1, count).astype(int)
    ids = index.units.paper_ids(units)
    with workspace.open_corpus() as corpus:
        papers = corpus.papers(ids)
    return [Text(f"{papers[key].title[:990]} {n}", papers[key].abstract[:20000]) for n, key in enumerate(ids)]


def body(text: Text, **options: object) -> dict[str, object]:
    """A request."""
    return {"submission": {"title": text.title or "untitled", "abstract": text.abstract}, "options": options}


def after_encoding(address: str, index: Index, texts: list[Text]) -> tuple[float, float, float, float]:
    """Median milliseconds less encoding: in the server, over the wire, as the page asks; and of the raw searches."""
    lexical, dense, encoder, depth = index.lexical(), index.dense(), index.encoder(), Search().depth
    measured = []
    with httpx2.Client(base_url=address, timeout=120) as client:

        def ask(text: Text, **options: object) -> tuple[float, float]:
            begun = time.perf_counter()
            response = client.post("/api/v1/reviewers", json=body(text, **options)).raise_for_status()
            took = 1000 * (time.perf_counter() - begun)
            stages = dict(re.findall(r"(\w+);dur=([\d.]+)", response.headers["server-timing"]))
            encoding = float(stages["encode"])
            return float(stages["total"]) - encoding, took - encoding

        for text in texts:
            server, wire = ask(text)
            page, _ = ask(Text(f"{text.title} again", text.abstract), diversity=0.3, sentences=True)
            vector = encoder.encode([text])
            begun = time.perf_counter()
            lexical.search([text.plain()], depth)
            dense.search(vector, depth)
            measured.append((server, wire, page, 1000 * (time.perf_counter() - begun)))
    warm = measured[len(measured) // 5 :]
    server, wire, page, raw = (statistics.median(column) for column in zip(*warm, strict=True))
    return server, wire, page, raw


def session_cost(workspace: Workspace) -> float:
    """Median milliseconds by which a small request takes longer once there are users, for one who has signed in.

    It is the same server before and after, and every request has a connection of its own: on one that stays open,
    delayed acknowledgements of TCP take 40 ms, which hides everything.
    """
    with TemporaryDirectory() as folder:
        own = Workspace.at(Path(folder))
        for path in workspace.path.iterdir():
            (own.path / path.name).symlink_to(path.resolve())
        page = {"sec-fetch-site": "same-origin", "connection": "close"}
        with serving(own) as (address, _), httpx2.Client(base_url=address, timeout=120, headers=page) as client:

            def median(turns: int = 300) -> float:
                took = []
                for _ in range(turns):
                    begun = time.perf_counter()
                    client.get("/api/v1/info").raise_for_status()
                    took.append(1000 * (time.perf_counter() - begun))
                return statistics.median(took)

            without = median()
            users, password = Users(own), token_urlsafe()
            users.add("ada", lambda: password, Role.ADMINISTRATOR)
            users.close()
            client.post("/api/v1/session", json={"name": "ada", "password": password}).raise_for_status()
            return median() - without


async def under_load(
    address: str, pid: int, texts: list[Text], clients: int, seconds: float
) -> tuple[Counter[str], list[float], list[float]]:
    """Answers by status, how long each took (ms), and the server's memory (MB), sampled."""
    statuses: Counter[str] = Counter()
    durations: list[float] = []
    memory: list[float] = []
    end = time.monotonic() + seconds

    async def client(number: int, connection: httpx2.AsyncClient) -> None:
        turn = number
        while time.monotonic() < end:
            turn += clients
            begun = time.perf_counter()
            try:
                response = await connection.post(
                    "/api/v1/reviewers", json=body(texts[turn % len(texts)], diversity=turn % 5 / 5)
                )
                statuses[str(response.status_code)] += 1
            except httpx2.HTTPError as error:
                statuses[type(error).__name__] += 1
            durations.append(1000 * (time.perf_counter() - begun))

    async def watch() -> None:
        while time.monotonic() < end:
            memory.append(resident(pid))
            await asyncio.sleep(seconds / 60)

    pool = httpx2.Limits(max_connections=clients)
    async with httpx2.AsyncClient(base_url=address, timeout=120, limits=pool) as connection:
        await asyncio.gather(watch(), *(client(number, connection) for number in range(clients)))
    return statuses, durations, memory


def loop_lags(address: str, seconds: float) -> list[float]:
    """Milliseconds that `GET /` took, ten times per second."""
    lags = []
    end = time.monotonic() + seconds
    with httpx2.Client(base_url=address, timeout=120) as client:
        while time.monotonic() < end:
            begun = time.perf_counter()
            client.get("/").raise_for_status()
            lags.append(1000 * (time.perf_counter() - begun))
            time.sleep(0.1)
    return lags


def under_attack(address: str, seconds: float) -> list[float]:
    """The same while hostile requests are sent, one after the other."""
    reviews = (STATIC / "sample-reviews.csv").read_bytes()
    people = [f"reviewer-{number}" for number in range(limits.POOL - 1)]
    twice = {"submissions": [{"title": "t", "abstract": "a" * 20_000}] * 500, "reviewers": [*people, people[-1]]}
    end = time.monotonic() + seconds
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as observer,
        httpx2.Client(base_url=address, timeout=120) as client,
    ):
        watching = observer.submit(loop_lags, address, seconds)
        while time.monotonic() < end:
            client.post("/api/v1/affinity", json=twice)
            client.post("/api/v1/calibration", content=reviews, headers={"content-type": "text/csv"})
        return watching.result()


def job_memory(address: str, pid: int, people: list[str], texts: list[Text]) -> tuple[float, float, float]:
    """By how many MB the server grows while a job is done and while its result is sent; the MB of that result."""
    reviewers = people[: limits.PAIRS_KEPT]  # so that every pair is kept
    count = min(PAIRS // len(reviewers), limits.SUBMISSIONS)
    papers = [{"id": f"s{number}", "title": texts[number % len(texts)].title or "untitled"} for number in range(count)]
    body = {"submissions": papers, "reviewers": reviewers, "model": "bm25", "keep": limits.PAIRS_KEPT}
    with httpx2.Client(base_url=address, timeout=600) as client:
        with memory_growth(pid) as made:
            begun = client.post("/api/v1/affinity", json=body | {"conflicts": "ignore"}).raise_for_status()
            while (job := client.get(begun.headers["location"]).json())["state"] in ("waiting", "running"):
                time.sleep(0.2)
        with memory_growth(pid) as sent, client.stream("GET", job["result"]) as answer:
            size = sum(map(len, answer.iter_raw()))
    return made[0], sent[0], size / limits.MEGABYTE


@contextmanager
def memory_growth(pid: int) -> Iterator[list[float]]:
    """By how many MB a process grows at most meanwhile: known when the block has ended."""
    before, most, over = resident(pid), [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(0.02):
            most[0] = max(most[0], resident(pid) - before)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield most
    finally:
        over.set()
        watcher.join()


def lag_words(lags: list[float]) -> str:
    """The spread of lags."""
    return f"median {np.median(lags):.1f} ms, p95 {np.quantile(lags, 0.95):.0f} ms, longest {max(lags):.0f} ms"


def resident(pid: int) -> float:
    """The memory of a process that is no file's (MB): mapped index files come and go as the system likes."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"^RssAnon:\s+(\d+) kB", status, re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def quarter(values: list[float], number: int) -> list[float]:
    """One quarter of a series, counted from 0."""
    step = len(values) / 4
    return values[int(number * step) : int((number + 1) * step)] or values


if __name__ == "__main__":
    main()
