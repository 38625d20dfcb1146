"""The event loop stays free: while a route works at its limits, a ticker on the same loop goes on ticking.

Time is the processor time of the loop's own thread, so that neither a busy machine nor the threads beside it, which
load kernels and models, are taken for a busy loop.
"""

import asyncio
import time

import httpx2
import pytest
from web_support import make_workspace, pdf, start_service

from panelist.app import limits
from panelist.app.demo import corpus, submissions
from panelist.app.web.app import STATIC, create_app

TICK = 0.01
LONG = 1.0
"""Seconds of processor time: shorter work may keep the loop for all of its time."""
JSON, CSV, PDF = ({"content-type": kind} for kind in ("application/json", "text/csv", "application/pdf"))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return make_workspace(tmp_path_factory.mktemp("web"), corpus()[:150])


def reviewers():
    return sorted({one.author.id for paper in corpus()[:150] for one in paper.authorships})


def large_affinity():
    """As many reviewers as are allowed, one of them twice, and a body at the limit of its size."""
    import orjson

    room = limits.BODY["/api/v1/affinity"] - 2_000_000
    papers = [{"id": f"s{n}", "title": "t", "abstract": "a" * 19_000} for n in range(room // 19_100)]
    people = [f"reviewer-{number}" for number in range(limits.POOL - 1)]
    people.append(people[-1])
    return orjson.dumps({"submissions": papers, "reviewers": people})


def affinity(**options):
    import orjson

    papers = [{"id": one.id, "title": one.title, "abstract": one.abstract} for one in submissions()]
    return orjson.dumps({"submissions": papers, "reviewers": reviewers(), "model": "bm25", **options})


def wide_reviews(columns):
    header = ",".join(["paper", "reviewer", "score", *(f"c{number}" for number in range(columns - 4)), "c0"])
    return f"{header}\n".encode()


def many_reviews():
    texts = ("The method is sound. The experiments are weak. Why is there no ablation?", "I liked it. It is too long.")
    lines = [f"p{number // 3},r{number % 50},{number % 10},{texts[number % 2]}" for number in range(3_000)]
    return "\n".join(["paper,reviewer,score,text", *lines, ""]).encode()


def large_assignment():
    """Megabytes of scores; the last line is wrong, so that the job behind it ends soon."""
    import orjson

    lines = [f"p{paper},r{reviewer},0.5" for paper in range(1_000) for reviewer in range(300)]
    return orjson.dumps({"scores": "\n".join([*lines, "nonsense"]), "method": "total"})


CASES = {
    "assignment": ("assignments", large_assignment(), JSON, 202),
    "reviews": ("reviews/check", many_reviews(), CSV, 200),
    "reviews export": ("reviews/export", many_reviews(), CSV, 200),
    "calibration": ("calibration", (STATIC / "sample-reviews.csv").read_bytes(), CSV, 200),
    "calibration report": ("calibration/report", (STATIC / "sample-reviews.csv").read_bytes(), CSV, 200),
    "calibration, 300,003 columns": ("calibration", wide_reviews(300_003), CSV, 422),
    "calibration, 200 columns": ("calibration", wide_reviews(200), CSV, 422),
    "affinity": ("affinity", affinity(), JSON, 200),
    "affinity, 20,000 reviewers": ("affinity", large_affinity(), JSON, 422),
    "affinity, all wrong": ("affinity", affinity(reviewers=[" "] * limits.POOL), JSON, 422),
    "PDF": ("manuscript", pdf((20, "A title of some length"), (10, "Abstract")), PDF, 200),
    "reviewers": (
        "reviewers",
        b'{"submission":{"title":"reefs","abstract":"%s"},"options":{"size":100,"depth":5000,"diversity":0.5}}'
        % (b"word " * 3_900),
        JSON,
        200,
    ),
}


async def ask(workspace, path, content, headers):
    """The answer, processor seconds of the process, and the most that the loop's thread worked between two ticks."""
    gaps = []

    async def tick():
        last = time.thread_time()
        while True:
            await asyncio.sleep(TICK)
            now = time.thread_time()
            gaps.append(now - last)
            last = now

    app = create_app(start_service(workspace))
    transport = httpx2.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        ticker = asyncio.create_task(tick())
        await asyncio.sleep(2 * TICK)
        gaps.clear()
        begun = time.process_time()
        answer = await client.post(f"/api/v1/{path}", content=content, headers=headers, timeout=600)
        took = time.process_time() - begun
        await asyncio.sleep(2 * TICK)
        ticker.cancel()
    return answer, took, max(gaps)


@pytest.mark.parametrize("case", CASES)
def test_the_loop_ticks_while_a_route_works(workspace, case):
    path, content, headers, status = CASES[case]
    answer, took, gap = asyncio.run(ask(workspace, path, content, headers))
    assert answer.status_code == status, answer.text[:500]
    assert gap < max(LONG, took / 2), f"the loop worked for {gap:.2f} of {took:.2f} processor seconds"
